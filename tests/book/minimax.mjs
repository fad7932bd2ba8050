// Works the values of a book out again, from what searches said at its positions, and compares:
//     node minimax.mjs BOOK.jsonl
// Written from docs/book.md ("What a position is worth") and docs/formats.md ("JSON Lines"), in
// another language than the book is kept in and without any of its code. The last line is a JSON
// object; the exit code is 1 if a value is another.
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";

const DIRECTIONS = [-9, -8, -7, -1, 1, 7, 8, 9];

/** From each square, the squares on the way to the edge, for each direction that has two or more. */
const rays = Array.from({ length: 64 }, (_, square) =>
  DIRECTIONS.map((step) => {
    const ray = [];
    let from = square;
    for (;;) {
      const to = from + step;
      // A step that leaves the board changes the column by more than one.
      if (to < 0 || to > 63 || Math.abs((to & 7) - (from & 7)) > 1) return ray;
      ray.push(to);
      from = to;
    }
  }).filter((ray) => ray.length > 1),
);

/** How many discs at the beginning of a ray are turned: boards are arrays of 1 (X, who moves), -1 (O) and 0. */
function turnedOn(board, ray) {
  let count = 0;
  while (count < ray.length && board[ray[count]] === -1) count++;
  return count < ray.length && board[ray[count]] === 1 ? count : 0;
}

/** What a disc on each square turns where it turns any. */
function moves(board) {
  const found = new Map();
  for (let square = 0; square < 64; square++) {
    if (board[square] !== 0) continue;
    const discs = rays[square].flatMap((ray) => ray.slice(0, turnedOn(board, ray)));
    if (discs.length > 0) found.set(square, discs);
  }
  return found;
}

const hasMove = (board) =>
  rays.some((ways, square) => board[square] === 0 && ways.some((ray) => turnedOn(board, ray) > 0));

const otherSide = (board) => board.map((disc) => -disc + 0);

/** The discs' difference for who moves; empty squares go to the winner. */
function score(board) {
  const own = board.filter((disc) => disc === 1).length;
  const other = board.filter((disc) => disc === -1).length;
  const empty = 64 - own - other;
  return own - other + Math.sign(own - other) * empty;
}

const images = [];
for (const mirrored of [false, true]) {
  for (let quarter = 0; quarter < 4; quarter++) {
    images.push(
      Array.from({ length: 64 }, (_, square) => {
        let [row, column] = [square >> 3, square & 7];
        if (mirrored) column = 7 - column;
        for (let turn = 0; turn < quarter; turn++) [row, column] = [column, 7 - row];
        return row * 8 + column;
      }),
    );
  }
}

/** The same text for all eight images of a board: of the image that comes first. */
function name(board) {
  let first = images[0];
  for (const image of images) {
    let square = 0;
    while (square < 64 && board[image[square]] === board[first[square]]) square++;
    if (square < 64 && board[image[square]] < board[first[square]]) first = image;
  }
  let text = "";
  for (let square = 0; square < 64; square++) text += board[first[square]] + 1;
  return text;
}

const squareOf = (text) => text.charCodeAt(0) - 97 + 8 * (Number(text[1]) - 1);

const rows = new Map();
const layers = new Map();
for await (const line of createInterface({ input: createReadStream(process.argv[2]) })) {
  const row = JSON.parse(line);
  const [signs, mover] = row.position.split(" ");
  if (mover !== "X") throw new Error(`O is to move: ${line}`);
  row.board = [...signs].map((sign) => (sign === "X" ? 1 : sign === "O" ? -1 : 0));
  rows.set(name(row.board), row);
  const discs = row.board.filter((disc) => disc !== 0).length;
  if (!layers.has(discs)) layers.set(discs, []);
  layers.get(discs).push(row);
}

/** Each move's value: of a game's end, or of the position that it leads to, or none. */
function worths(board) {
  const found = new Map();
  for (const [square, discs] of moves(board)) {
    const after = [...board];
    for (const disc of [square, ...discs]) after[disc] = 1;
    let [next, sign] = [otherSide(after), -1];
    if (!hasMove(next)) {
      [next, sign] = [after, 1];
      if (!hasMove(next)) {
        found.set(square, score(after));
        continue;
      }
    }
    const value = rows.get(name(next))?.again;
    found.set(square, value === undefined ? undefined : sign * value);
  }
  return found;
}

let wrong = 0;
let valued = 0;
for (const discs of [...layers.keys()].sort((a, b) => b - a)) {
  for (const row of layers.get(discs)) {
    const all = worths(row.board);
    const known = [...all.values()].filter((value) => value !== undefined);
    // A search spoke of a move that nothing else tells about.
    if (row.alternative_move !== undefined && all.get(squareOf(row.alternative_move)) === undefined) {
      known.push(row.alternative);
    }
    row.again = known.length > 0 ? Math.max(...known) : row.evaluation;
    if (row.again !== undefined) valued++;
    const same =
      row.again === undefined
        ? row.value === undefined
        : row.value !== undefined && Math.abs(row.again - row.value) < 0.005;
    if (!same) {
      wrong++;
      if (wrong <= 10) console.error(`${row.position}: ${row.value}, but ${row.again}`);
    }
  }
}
console.log(JSON.stringify({ positions: rows.size, valued, wrong }));
process.exitCode = wrong > 0 ? 1 : 0;
