// The board: a grid of 64 buttons, discs that turn over, and what is written on empty squares.

import { BLACK, flips, legalMoves, squareName } from "./rules.js";
import { h } from "./dom.js";

const NAMES = ["empty", "black disc", "white disc"];

export class Board {
  // `onplay(index)` when a legal square is chosen; `onpoint(index or null)` while one is pointed at.
  constructor(place, { onplay, onpoint }) {
    this.onplay = onplay;
    this.onpoint = onpoint;
    this.position = null;
    this.locked = false;
    this.focused = 27;
    this.cells = [];
    const grid = h("div", { class: "grid", role: "grid", "aria-label": "Othello board", "aria-describedby": "keys" });
    for (let row = 0; row < 8; row++) {
      const line = h("div", { role: "row", class: "row" });
      for (let column = 0; column < 8; column++) line.append(this.#cell(row * 8 + column));
      grid.append(line);
    }
    for (const spot of ["nw", "ne", "sw", "se"]) grid.append(h("i", { class: `spot ${spot}`, "aria-hidden": "true" }));
    grid.addEventListener("keydown", (event) => this.#key(event));
    const letters = () => h("div", { class: "letters", "aria-hidden": "true" }, [..."abcdefgh"].map((c) => h("span", {}, c)));
    const digits = () => h("div", { class: "digits", "aria-hidden": "true" }, [..."12345678"].map((c) => h("span", {}, c)));
    place.replaceChildren(h("div", { class: "frame" }, letters(), digits(), grid));
    this.grid = grid;
  }

  #cell(index) {
    const cell = h("button", {
      class: "cell",
      role: "gridcell",
      type: "button",
      tabindex: index === this.focused ? "0" : "-1",
      "data-square": squareName(index),
    });
    cell.addEventListener("click", () => this.#choose(index));
    cell.addEventListener("focus", () => this.#rove(index));
    for (const [event, what] of [["pointerenter", index], ["pointerleave", null]]) {
      cell.addEventListener(event, () => this.onpoint?.(what));
    }
    this.cells.push({ cell, disc: null, note: null });
    return cell;
  }

  #choose(index) {
    if (!this.locked && this.legal?.has(index)) this.onplay(index);
  }

  #rove(index) {
    this.cells[this.focused].cell.tabIndex = -1;
    this.cells[index].cell.tabIndex = 0;
    this.focused = index;
  }

  #key(event) {
    const [row, column] = [Math.floor(this.focused / 8), this.focused % 8];
    const to = {
      ArrowUp: row > 0 ? -8 : 0,
      ArrowDown: row < 7 ? 8 : 0,
      ArrowLeft: column > 0 ? -1 : 0,
      ArrowRight: column < 7 ? 1 : 0,
    }[event.key];
    if (to === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    this.cells[this.focused + to].cell.focus();
  }

  // Shows a position. Where it follows from the one before by `last`, discs turn one after the other.
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
        entry.disc = h("span", { class: "disc", "aria-hidden": "true" }, h("i", { class: "face black" }), h("i", { class: "face white" }));
        entry.cell.append(entry.disc);
      }
      const distance = last == null ? 0 : Math.max(Math.abs(Math.floor(index / 8) - Math.floor(last / 8)), Math.abs((index % 8) - (last % 8)));
      entry.disc.style.setProperty("--wait", turned?.has(index) ? `${40 + distance * 45}ms` : "0ms");
      entry.disc.classList.toggle("fresh", fresh && index === last);
      entry.disc.classList.toggle("is-white", owner !== BLACK);
    });
    this.position = position;
    this.legal = new Set(legalMoves(position));
    this.cells.forEach(({ cell }, index) => {
      cell.classList.toggle("last", index === last);
      cell.classList.toggle("legal", this.legal.has(index));
      cell.setAttribute("aria-disabled", String(!this.legal.has(index)));
    });
    this.grid.dataset.turn = position.turn === BLACK ? "black" : "white";
    this.notes(new Map());
  }

  // Writes on empty squares: index → { text, kind, split: [black, draws, white], spoken }.
  notes(notes) {
    this.cells.forEach((entry, index) => {
      const note = notes.get(index);
      entry.note?.remove();
      entry.note = null;
      const what = NAMES[this.position.cells[index]];
      const legal = this.legal.has(index) ? ", can be played" : "";
      const spoken = note?.spoken ? `, ${note.spoken}` : "";
      entry.cell.setAttribute("aria-label", `${squareName(index)}, ${what}${legal}${spoken}`);
      if (!note) return;
      entry.note = h("span", { class: `note ${note.kind}`, "aria-hidden": "true" },
        h("b", {}, note.text),
        note.split && h("i", { class: "split" }, note.split.map((part, place) =>
          h("i", { class: ["w-black", "w-draw", "w-white"][place], style: { "flex-grow": part } }))));
      entry.cell.append(entry.note);
    });
  }

  point(index) {
    this.cells.forEach(({ cell }, place) => cell.classList.toggle("pointed", place === index));
  }

  lock(locked) {
    this.locked = locked;
    this.grid.classList.toggle("locked", locked);
  }

  focus() {
    this.cells[this.focused].cell.focus();
  }
}
