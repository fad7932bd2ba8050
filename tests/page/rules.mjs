// Holds the page's rules to those of the program: reads lines of JSON, one position each, with what
// is legal there and where each move leads, and complains of the first that the page sees otherwise.

import assert from "node:assert/strict";
import { createInterface } from "node:readline";
import { boardText, isOver, legalMoves, parseBoard, play, result, squareIndex, squareName } from "../../src/service/page/rules.js";

let positions = 0;
for await (const line of createInterface({ input: process.stdin })) {
  const { board, legal, after, score } = JSON.parse(line);
  const position = parseBoard(board);
  assert.equal(boardText(position), board);
  assert.deepEqual(legalMoves(position).map(squareName), legal, board);
  for (const [square, next] of Object.entries(after)) {
    const played = play(position, squareIndex(square));
    assert.ok(played, `${square} at ${board}`);
    assert.equal(boardText(played), next, `${square} at ${board}`);
  }
  const illegal = [...Array(64).keys()].filter((index) => !legal.includes(squareName(index)));
  assert.ok(illegal.every((index) => play(position, index) === null), board);
  assert.equal(isOver(position), score !== null, board);
  if (score !== null) assert.equal(result(position), score, board);
  positions += 1;
}
console.log(`${positions} positions`);
