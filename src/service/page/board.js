// The board: a grid of 64 buttons, discs that turn over, and what is written on empty squares.

import { h } from "./dom.js";
import { BLACK, flips, legalMoves, squareName } from "./rules.js";
import { t } from "./texts.js";

/** @typedef {{ text: string, kind: string, split: number[] | null, spoken: string }} Note */

export class Board {
  /** `onplay` when a square is chosen that may be; `onpoint` while one is pointed at. @param {HTMLElement} place @param {{ onplay: (index: number) => void, onpoint: (index: number | null) => void }} told */
  constructor(place, { onplay, onpoint }) {
    this.onplay = onplay;
    this.onpoint = onpoint;
    /** @type {Position | null} */
    this.position = null;
    /** @type {Set<number>} */
    this.legal = new Set();
    this.locked = false;
    /** Every square may be chosen, as when a board is set up. */
    this.free = false;
    this.turned = false;
    this.focused = 27;
    /** The cells, what is on them, and how that was described: most do not change from look to look. @type {{ cell: any, disc: any, note: any, said: string }[]} */
    this.cells = [];
    for (let index = 0; index < 64; index++) this.#cell(index);
    this.grid = h("div", { class: "grid", role: "grid", "aria-label": t.board, "aria-describedby": "keys" });
    this.grid.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => this.#key(event));
    this.letters = h("div", { class: "letters", "aria-hidden": "true" });
    this.digits = h("div", { class: "digits", "aria-hidden": "true" });
    this.frame = h("div", { class: "frame" }, this.letters, this.digits, this.grid);
    place.replaceChildren(this.frame);
    this.#lay();
  }

  /** @param {number} index */
  #cell(index) {
    const cell = h("button", {
      class: "cell",
      role: "gridcell",
      type: "button",
      tabindex: index === this.focused ? "0" : "-1",
      "data-square": squareName(index),
      onclick: () => (this.free || (!this.locked && this.legal.has(index))) && this.onplay(index),
      onfocus: () => this.#rove(index),
      onpointerenter: () => this.onpoint(index),
      onpointerleave: () => this.onpoint(null),
    });
    this.cells.push({ cell, disc: null, note: null, said: "" });
  }

  /** Puts the squares in their order, seen from either side. */
  #lay() {
    const order = this.turned ? [7, 6, 5, 4, 3, 2, 1, 0] : [0, 1, 2, 3, 4, 5, 6, 7];
    this.grid.replaceChildren(
      ...order.map((row) => h("div", { role: "row", class: "row" }, order.map((column) => this.cells[row * 8 + column].cell))),
      ...["nw", "ne", "sw", "se"].map((spot) => h("i", { class: `spot ${spot}`, "aria-hidden": "true" })));
    this.letters.replaceChildren(...order.map((column) => h("span", {}, "abcdefgh"[column])));
    this.digits.replaceChildren(...order.map((row) => h("span", {}, row + 1)));
  }

  /** @param {{ turned: boolean, coordinates: boolean }} look */
  look({ turned, coordinates }) {
    this.frame.classList.toggle("bare", !coordinates);
    if (turned === this.turned) return;
    this.turned = turned;
    this.#lay();
  }

  /** @param {number} index */
  #rove(index) {
    this.cells[this.focused].cell.tabIndex = -1;
    this.cells[index].cell.tabIndex = 0;
    this.focused = index;
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    const step = steps[/** @type {keyof typeof steps} */ (event.key)];
    if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    const [down, right] = step.map((part) => (this.turned ? -part : part));
    const within = (/** @type {number} */ place) => Math.min(7, Math.max(0, place));
    const index = within(Math.floor(this.focused / 8) + down) * 8 + within((this.focused % 8) + right);
    this.cells[index].cell.focus();
  }

  /** Shows a position. Where it follows from the one before by `last`, discs turn one after the other. @param {Position} position @param {number | null} [last] */
  show(position, last = null) {
    const before = this.position?.cells;
    const turned = before && last != null && !before[last] ? new Set(flips(before, position.cells[last], last)) : null;
    position.cells.forEach((owner, index) => {
      const entry = this.cells[index];
      if (!owner) {
        entry.disc?.remove();
        entry.disc = null;
        return;
      }
      const fresh = !entry.disc;
      if (fresh) {
        entry.disc = h("i", { class: "disc", "aria-hidden": "true" });
        entry.cell.append(entry.disc);
      }
      const colour = owner === BLACK ? "black" : "white";
      const motion = fresh ? (index === last ? "fresh" : "") : before && before[index] !== owner ? "turned" : "";
      const name = `disc ${colour} ${motion}`;
      if (entry.disc.className !== name) entry.disc.className = name;
      if (motion !== "turned") return;
      const distance = last == null ? 0 : Math.max(Math.abs(Math.floor(index / 8) - Math.floor(last / 8)), Math.abs((index % 8) - (last % 8)));
      entry.disc.style.setProperty("--wait", turned?.has(index) ? `${40 + distance * 45}ms` : "0ms");
    });
    this.position = position;
    this.legal = new Set(legalMoves(position));
    this.cells.forEach(({ cell }, index) => {
      cell.classList.toggle("last", index === last);
      cell.classList.toggle("legal", this.legal.has(index));
      const disabled = String(!this.free && !this.legal.has(index));
      if (cell.getAttribute("aria-disabled") !== disabled) cell.setAttribute("aria-disabled", disabled);
    });
    this.grid.dataset.turn = position.turn === BLACK ? "black" : "white";
    this.notes(new Map());
  }

  /** Writes on empty squares. @param {Map<number, Note>} notes */
  notes(notes) {
    this.cells.forEach((entry, index) => {
      const note = notes.get(index);
      const what = [t.emptySquare, t.blackDisc, t.whiteDisc][this.position?.cells[index] ?? 0];
      const legal = this.legal.has(index) ? `, ${t.canBePlayed}` : "";
      const spoken = note?.spoken ? `, ${note.spoken}` : "";
      const label = `${squareName(index)}, ${what}${legal}${spoken}`;
      const said = note ? `${label} ${note.text} ${note.kind} ${note.split}` : label;
      if (said === entry.said) return;
      entry.said = said;
      entry.note?.remove();
      entry.note = null;
      entry.cell.setAttribute("aria-label", label);
      entry.cell.classList.toggle("noted", Boolean(note));
      if (!note) return;
      entry.note = h("span", { class: `note ${note.kind}`, "aria-hidden": "true" },
        h("b", {}, note.text),
        note.split && h("i", { class: "split" }, note.split.map((part, place) =>
          h("i", { class: ["w-black", "w-draw", "w-white"][place], style: { "flex-grow": part } }))));
      entry.cell.append(entry.note);
    });
  }

  /** @param {number | null} index */
  point(index) {
    this.cells.forEach(({ cell }, place) => cell.classList.toggle("pointed", place === index));
  }

  /** @param {boolean} locked */
  lock(locked) {
    this.locked = locked;
    this.grid.classList.toggle("locked", locked);
  }

  /** @param {boolean} free */
  setUp(free) {
    this.free = free;
    this.grid.classList.toggle("free", free);
  }

  focus() {
    this.cells[this.focused].cell.focus();
  }
}
