// The rules of Othello, for a board that answers before the server does.

export const BLACK = 1;
export const WHITE = 2;
export const START = "---------------------------OX------XO--------------------------- X";

const STEPS = [[-1, -1], [-1, 0], [-1, 1], [0, -1], [0, 1], [1, -1], [1, 0], [1, 1]];

/** The squares that lie in each direction of each square, the nearest first. @type {number[][][]} */
const RAYS = [...Array(64).keys()].map((index) => STEPS.map(([down, right]) => {
  const ray = [];
  let [row, column] = [(index >> 3) + down, (index & 7) + right];
  for (; row >= 0 && row < 8 && column >= 0 && column < 8; row += down, column += right) ray.push(row * 8 + column);
  return ray;
}));

/** @param {number} turn */
export const other = (turn) => 3 - turn;
/** @param {number} index */
export const squareName = (index) => "abcdefgh"[index % 8] + (Math.floor(index / 8) + 1);
/** @param {string} name */
export const squareIndex = (name) => (name.charCodeAt(1) - 49) * 8 + name.charCodeAt(0) - 97;

/** A board's text as everybody writes it, or null. @param {string} text */
export function readBoard(text) {
  const marks = text.replace(/\s+/g, "").replaceAll(".", "-").replace(/[*b●]/gi, "X").replace(/[ow○]/gi, "O").replace(/x/g, "X");
  if (!/^[XO-]{64}[XO]$/.test(marks)) return null;
  return `${marks.slice(0, 64)} ${marks[64]}`;
}

/** @param {string} text @returns {Position} */
export function parseBoard(text) {
  const cells = [...text.slice(0, 64)].map((c) => (c === "X" ? BLACK : c === "O" ? WHITE : 0));
  return settle({ cells, turn: text.trim().endsWith("O") ? WHITE : BLACK });
}

/** @param {Position} position */
export function boardText({ cells, turn }) {
  return cells.map((c) => "-XO"[c]).join("") + (turn === BLACK ? " X" : " O");
}

/** How many discs of a ray a move would turn. @param {number[]} cells @param {number} turn @param {number[]} ray */
function turnedOn(cells, turn, ray) {
  let at = 0;
  while (at < ray.length && cells[ray[at]] === 3 - turn) at += 1;
  return at < ray.length && cells[ray[at]] === turn ? at : 0;
}

/** The discs that a move would turn. @param {number[]} cells @param {number} turn @param {number} index */
export function flips(cells, turn, index) {
  if (cells[index] !== 0) return [];
  return RAYS[index].flatMap((ray) => ray.slice(0, turnedOn(cells, turn, ray)));
}

/** @param {Position} position @param {number} index */
const isLegal = ({ cells, turn }, index) => cells[index] === 0 && RAYS[index].some((ray) => turnedOn(cells, turn, ray) > 0);

/** @param {Position} position */
export function legalMoves(position) {
  return position.cells.flatMap((_, index) => (isLegal(position, index) ? [index] : []));
}

/** @param {Position} position */
export const isOver = (position) => !position.cells.some((_, index) => isLegal(position, index));

/** A forced pass is made at once: it is not a move. @param {Position} position */
function settle(position) {
  if (!isOver(position)) return position;
  const passed = { cells: position.cells, turn: other(position.turn) };
  return isOver(passed) ? position : passed;
}

/** The position after a legal move; null if it is not one. @param {Position} position @param {number} index */
export function play(position, index) {
  const turned = flips(position.cells, position.turn, index);
  if (turned.length === 0) return null;
  const cells = position.cells.slice();
  for (const square of [index, ...turned]) cells[square] = position.turn;
  return settle({ cells, turn: other(position.turn) });
}

/** @param {Position} position */
export function count({ cells }) {
  return {
    black: cells.filter((c) => c === BLACK).length,
    white: cells.filter((c) => c === WHITE).length,
  };
}

/** The result for Black; the empty squares go to the winner. @param {Position} position */
export function result(position) {
  const { black, white } = count(position);
  const empty = 64 - black - white;
  return black === white ? 0 : black > white ? black - white + empty : black - white - empty;
}

/** The squares of a transcript as far as they are legal, and where it breaks off. @param {Position} start @param {string} text */
export function readMoves(start, text) {
  const words = text.toLowerCase().match(/[a-h][1-8]/g) ?? [];
  /** @type {string[]} */
  const line = [];
  let position = start;
  for (const word of words) {
    const next = play(position, squareIndex(word));
    if (!next) return { line, position, wrong: word };
    position = next;
    line.push(word);
  }
  return { line, position, wrong: words.length === 0 && text.trim() !== "" ? text.trim().slice(0, 12) : null };
}
