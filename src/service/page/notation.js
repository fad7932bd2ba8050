// Games as text: what people paste is read, and what is on the board is written: transcripts, boards,
// GGF and SGF. SGF keeps variations and comments, the others the line alone.

import { BLACK, START, WHITE, boardText, count, other, parseBoard, readBoard, readMoves, result } from "./rules.js";
import { Tree } from "./tree.js";

/** @typedef {import("./tree.js").Node} Node */
/** @typedef {{ black?: string | null, white?: string | null, event?: string | null, year?: number | null }} Heading */

/** What a text holds: one tree and who played, or null where it is none of these. `wrong` is what could not be read, and `at` the number of its move. @param {string} text @returns {{ tree: Tree, wrong: string | null, at: number, heading: Heading | null } | null} */
export function readText(text) {
  const board = readBoard(text);
  if (board) return { tree: new Tree(board), wrong: null, at: 0, heading: null };
  if (text.includes("(;")) return readBrackets(text);
  const { line, wrong } = readMoves(parseBoard(START), text);
  if (line.length === 0) return null;
  return { tree: Tree.ofLine(line.join("")), wrong, at: line.length + 1, heading: null };
}

/** Whether a text is a list of games, one in each line. @param {string} text */
export function isList(text) {
  const games = text.split("\n").filter((line) => {
    const { line: moves, wrong } = readMoves(parseBoard(START), line);
    return moves.length > 0 && !wrong;
  });
  return games.length > 1;
}

/** How many games a text of brackets holds. @param {string} text */
export function gamesIn(text) {
  let depth = 0;
  let games = 0;
  for (const [word] of text.matchAll(/\[(?:\\[^]|[^\]\\])*\]|[()]/g)) {
    if (word === "(") games += depth++ === 0 ? 1 : 0;
    else if (word === ")") depth -= 1;
  }
  return games;
}

/** The first game of a GGF or SGF text, as far as its moves are legal. @param {string} text */
function readBrackets(text) {
  const tree = new Tree(readStart(text));
  /** @type {Node | null} */
  let node = tree.root;
  /** @type {(Node | null)[]} */
  const branches = [];
  /** @type {Record<string, string>} */
  const said = {};
  /** @type {{ wrong: string | null, at: number }} */
  const trouble = { wrong: null, at: 0 };
  let name = "";
  for (const [word, ident, value] of text.slice(text.indexOf("(;")).matchAll(/([A-Za-z]+)(?=\s*\[)|\[((?:\\[^]|[^\]\\])*)\]|[()]/g)) {
    if (word === "(") branches.push(node);
    else if (word === ")") {
      node = branches.pop() ?? null;
      if (branches.length === 0) break;
    } else if (ident) name = ident;
    else if (value !== undefined && node) {
      const square = squareOf(value);
      if ((name === "B" || name === "W") && square) {
        /** @type {Node | null} */
        const next = tree.add(node, square);
        if (!next && !trouble.wrong) Object.assign(trouble, { wrong: square, at: node.ply + 1 });
        node = next;
      } else if (name === "C") node.comment = plain(value);
      else said[name] ??= plain(value);
    }
  }
  return { tree, ...trouble, heading: headingOf(said) };
}

/** Without the backslashes that keep what would end a value. @param {string} value */
const plain = (value) => value.replace(/\\([^])/g, "$1").trim();

/** Who played, where it says so; GGF names the place, SGF the event. @param {Record<string, string>} said @returns {Heading | null} */
function headingOf({ PB, PW, EV, PC, DT }) {
  const known = (/** @type {string | undefined} */ name) => (name && name !== "?" ? name : null);
  if (!known(PB) && !known(PW)) return null;
  return { black: known(PB), white: known(PW), event: known(EV) ?? known(PC), year: Number(DT?.match(/\d{4}/)?.[0]) || null };
}

/** Squares as `f5`, or as two letters; what follows a slash is a note. @param {string} value */
function squareOf(value) {
  const word = value.split("/")[0].trim().toLowerCase();
  if (/^[a-h][1-8]$/.test(word)) return word;
  if (/^[a-h][a-h]$/.test(word)) return word[0] + (word.charCodeAt(1) - 96);
  return null;
}

/** @param {string} text */
function readStart(text) {
  const whole = text.match(/BO\[\s*8([^\]]*)\]/)?.[1];
  const ggf = whole && readBoard(whole);
  if (ggf) return ggf;
  const points = (/** @type {string} */ ident) => {
    const list = text.match(new RegExp(`[^A-Z]${ident}((?:\\s*\\[[^\\]]*\\])+)`))?.[1] ?? "";
    return [...list.matchAll(/\[([^\]]*)\]/g)].map(([, value]) => squareOf(value)).filter((square) => square != null);
  };
  const [black, white] = [points("AB"), points("AW")];
  if (black.length + white.length === 0) return START;
  const cells = [...Array(64).keys()].map((index) => {
    const name = "abcdefgh"[index % 8] + (Math.floor(index / 8) + 1);
    return black.includes(name) ? BLACK : white.includes(name) ? WHITE : 0;
  });
  return boardText({ cells, turn: /PL\[W/i.test(text) ? WHITE : BLACK });
}

/** The line to its end, in one word. @param {Node} node */
export const transcript = (node) => (node.onward().at(-1) ?? node).moves();

/** Backslashes keep what would end a value. @param {string} text */
const escaped = (text) => text.replace(/[\]\\]/g, "\\$&");

/** @param {Node} node a move of somebody, with the pass before it where there was one */
function told(node) {
  const before = node.parent;
  const passed = before?.move && before.by === node.by;
  const side = (/** @type {number} */ turn) => (turn === BLACK ? "B" : "W");
  return { side: side(node.by), pass: passed ? side(other(node.by)) : null };
}

/** @param {Node} end @param {(discs: number) => string} write */
const resultOf = (end, write) => (end.over ? write(result(end.position)) : null);

/** @param {Tree} tree @param {Node} at @param {Heading} [heading] */
export function ggf(tree, at, { black, white, event, year } = {}) {
  const end = at.onward().at(-1) ?? at;
  const start = tree.root.position;
  const discs = count(start).black + count(start).white;
  const moves = end.path().slice(1).map((node) => {
    const { side, pass } = told(node);
    return `${pass ? `${pass}[PA]` : ""}${side}[${node.move}]`;
  });
  const board = boardText(start).replaceAll("X", "*");
  return `(;GM[Othello]${event ? `PC[${escaped(event)}]` : ""}${year ? `DT[${year}]` : ""}PB[${escaped(black ?? "?")}]PW[${escaped(white ?? "?")}]`
    + `RE[${resultOf(end, (value) => `${value > 0 ? "+" : ""}${value}.000`) ?? "?"}]TY[8${tree.start === START ? "" : `r${discs}`}]BO[8 ${board}]${moves.join("")};)\n`;
}

/** @param {Tree} tree @param {Heading} [heading] */
export function sgf(tree, { black, white, event, year } = {}) {
  const end = tree.end();
  const { position } = tree.root;
  const points = (/** @type {number} */ owner) => position.cells.flatMap((cell, index) => (cell === owner ? [`[${"abcdefgh"[index % 8]}${Math.floor(index / 8) + 1}]`] : [])).join("");
  const list = (/** @type {string} */ ident, /** @type {number} */ owner) => points(owner) && ident + points(owner);
  const setup = tree.start === START ? "" : `${list("AB", BLACK)}${list("AW", WHITE)}PL[${position.turn === BLACK ? "B" : "W"}]`;
  const named = [["PB", black], ["PW", white], ["EV", event], ["DT", year], ["RE", resultOf(end, (value) => (value === 0 ? "Draw" : `${value > 0 ? "B" : "W"}+${Math.abs(value)}`))]];
  const head = named.filter(([, value]) => value).map(([ident, value]) => `${ident}[${escaped(String(value))}]`).join("");
  return `(;FF[4]GM[2]CA[UTF-8]AP[Emilia]SZ[8]${head}${setup}${commented(tree.root)}${branches(tree.root)})\n`;
}

/** @param {Node} node */
const commented = (node) => (node.comment ? `C[${escaped(node.comment)}]` : "");

/** @param {Node} node @returns {string} */
function branches(node) {
  const one = (/** @type {Node} */ child) => {
    const { side, pass } = told(child);
    return `${pass ? `;${pass}[]` : ""};${side}[${child.move}]${commented(child)}${branches(child)}`;
  };
  return node.children.length === 1 ? one(node.children[0]) : node.children.map((child) => `(${one(child)})`).join("");
}
