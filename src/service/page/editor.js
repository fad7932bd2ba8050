// A board that is set up by hand: choose what to put, choose where, choose who moves.

import { button, h } from "./dom.js";
import { BLACK, START, WHITE, boardText, legalMoves, other, parseBoard } from "./rules.js";
import { t } from "./texts.js";

export class Editor {
  /** @param {import("./board.js").Board} board @param {Position} position @param {(board: string | null) => void} ondone with the new board, or null where nothing is to change */
  constructor(board, position, ondone) {
    this.board = board;
    this.cells = position.cells.slice();
    this.turn = position.turn;
    this.brush = BLACK;
    const choice = (/** @type {string} */ legend, /** @type {string} */ name, /** @type {[number, string][]} */ options, /** @type {number} */ chosen, /** @type {(value: number) => void} */ choose) =>
      h("fieldset", {}, h("legend", {}, legend), h("div", { class: "choice" }, options.map(([value, label]) =>
        h("label", {}, h("input", { type: "radio", name, value: String(value), checked: value === chosen, onchange: () => choose(value) }), h("span", {}, label)))));
    this.trouble = h("p", { class: "dim", role: "status" });
    this.element = h("section", { class: "setup", id: "editor", "aria-label": t.setUpBoard },
      h("h1", { class: "opening" }, t.setUpBoard),
      h("p", { class: "dim" }, t.setUpHint),
      choice(t.put, "brush", [[BLACK, t.black], [WHITE, t.white], [0, t.nothing]], this.brush, (value) => (this.brush = value)),
      choice(t.whoMoves, "turn", [[BLACK, t.black], [WHITE, t.white]], this.turn, (value) => {
        this.turn = value;
        this.show();
      }),
      h("div", { class: "row-of" },
        button(t.clear, () => this.#set(Array(64).fill(0))),
        button(t.usualStart, () => this.#set(parseBoard(START).cells)),
        button(t.swapColours, () => this.#set(this.cells.map((cell) => (cell ? other(cell) : 0))))),
      this.trouble,
      h("div", { class: "row-of" },
        h("button", { type: "button", class: "big", id: "edited", onclick: () => ondone(boardText({ cells: this.cells, turn: this.turn })) }, t.analyse),
        button(t.cancel, () => ondone(null))));
    this.show();
  }

  /** @param {number} index */
  put(index) {
    this.cells[index] = this.cells[index] === this.brush ? 0 : this.brush;
    this.show();
  }

  /** @param {number[]} cells */
  #set(cells) {
    this.cells = cells.slice();
    this.show();
  }

  show() {
    const position = { cells: this.cells.slice(), turn: this.turn };
    this.board.show(position);
    const free = [BLACK, WHITE].map((turn) => legalMoves({ cells: position.cells, turn }).length);
    this.trouble.textContent = free[this.turn - 1] > 0 ? "" : free[other(this.turn) - 1] > 0 ? t.mustPass : t.nobodyMoves;
  }
}
