// Over the board: how many discs each side has, whose turn it is, who plays, and the clocks.

import { $, h } from "./dom.js";
import { BLACK, WHITE, count, isOver } from "./rules.js";

/** @param {Position} position @param {{ black?: string | null, white?: string | null, clocks?: Record<number, string>, over?: boolean }} [who] */
export function playersBar(position, { black, white, clocks, over = isOver(position) } = {}) {
  const discs = count(position);
  const side = (/** @type {"black" | "white"} */ name, /** @type {number} */ turn, /** @type {string | null | undefined} */ player) =>
    h("span", { class: `player ${name} ${!over && position.turn === turn ? "turn" : ""}` },
      h("i", { class: `chip ${name}` }), discs[name],
      player && h("em", {}, player),
      clocks && h("time", {}, clocks[turn]));
  $("#players").replaceChildren(side("black", BLACK, black), side("white", WHITE, white));
}
