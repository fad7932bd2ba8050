// Live lines of the engine: how deep it has looked, its best moves, and what it expects after each.
// Pointing at a move of a line shows the position there on a small board; choosing it plays the line.

import { diagram } from "./diagram.js";
import { button, discs, h, number, short, store } from "./dom.js";
import { leftOff, pause } from "./errands.js";
import { analyse } from "./lines.js";
import { isOver, legalMoves, play, squareIndex } from "./rules.js";
import { t } from "./texts.js";

/** A first look, quick enough for walking through a game; each "deeper" goes on from there. */
const FIRST = { level: 14, seconds: 4 };
const DEEPER = { level: 4, times: 4 };
const PAUSE = 120;
const MOST_LINES = 8;

export class EngineLines {
  /** @param {{ onfound: (found: Found) => void, onplay: (moves: string[]) => void, onswitch: () => void }} told */
  constructor({ onfound, onplay, onswitch }) {
    this.onfound = onfound;
    this.on = store.get("engine", true) !== false;
    const kept = store.get("lines", 0);
    this.lines = kept >= 1 && kept <= MOST_LINES ? Math.floor(kept) : 3;
    this.endless = false;
    this.effort = FIRST;
    /** @type {Position | null} */
    this.position = null;
    /** @type {Found | null} */
    this.found = null;
    /** The lines that are shown. @type {{ value: number, moves: string[] }[]} */
    this.shown = [];
    /** @type {import("./errands.js").Errands | null} */
    this.errands = null;
    this.toggle = h("button", { type: "button", class: "switch", id: "engine", "aria-pressed": String(this.on), title: t.engineTitle, onclick: () => {
      this.on = !this.on;
      store.set("engine", this.on);
      onswitch();
    } }, t.engine);
    this.status = h("p", { class: "search-status", id: "search" });
    const many = h("select", { id: "lines", "aria-label": t.lineCount, title: t.lineCount, onchange: () => {
      this.lines = Number(many.value);
      store.set("lines", this.lines);
      this.#again();
    } }, [...Array(MOST_LINES).keys()].map((at) => h("option", { value: String(at + 1), selected: at + 1 === this.lines }, at + 1)));
    this.more = h("span", { class: "engine-more" }, many,
      button(t.deeper, () => this.deeper(), { id: "deeper", title: t.deeperTitle }),
      this.forever = button("∞", () => this.#endless(), { id: "endless", "aria-label": t.endless, title: t.endless, "aria-pressed": "false" }));
    const peek = (/** @type {Event} */ event) => {
      const moves = this.#upTo(event);
      if (moves) this.#peek(this.position, moves);
    };
    const leave = () => this.#peek(null);
    this.list = h("ol", { class: "engine-lines", id: "engine-lines", "aria-label": t.engineLines, onpointerover: peek, onfocusin: peek, onpointerleave: leave, onfocusout: leave, onclick: (/** @type {Event} */ event) => {
      const moves = this.#upTo(event);
      if (moves) onplay(moves);
    } });
    this.peek = h("div", { class: "peek", hidden: true });
    this.element = h("section", { class: "engine", "aria-label": t.engine },
      h("div", { class: "engine-head" }, this.toggle, this.status, this.more), this.list, this.peek);
  }

  /** Looks at a position from now on, as one of these errands. @param {Position} position @param {import("./errands.js").Errands} errands */
  look(position, errands) {
    this.position = position;
    this.errands = errands;
    this.found = null;
    this.effort = FIRST;
    this.#again();
  }

  /** The same again: somebody else searches from now on. */
  again() {
    if (this.on) this.#again();
  }

  deeper() {
    if (!this.on) this.toggle.click();
    this.effort = { level: Math.min(60, this.effort.level + DEEPER.level), seconds: this.effort.seconds * DEEPER.times };
    this.#again();
  }

  #endless() {
    this.endless = !this.endless;
    if (this.endless && !this.on) this.toggle.click();
    else this.#again();
  }

  #again() {
    const { position, errands } = this;
    this.toggle.setAttribute("aria-pressed", String(this.on));
    this.forever.setAttribute("aria-pressed", String(this.endless));
    this.more.hidden = !this.on;
    // Room is kept for lines that are still to come: what is below does not jump.
    this.list.style.setProperty("--lines", String(this.on && position && !isOver(position) ? Math.min(this.lines, legalMoves(position).length) : 0));
    this.#peek(null);
    errands?.stop("engine");
    if (!this.found) this.list.replaceChildren();
    this.#say("", false);
    if (!this.on || !position || !errands || isOver(position)) return;
    this.#search(position, errands.begin("engine"));
  }

  /** @param {Position} position @param {AbortSignal} signal */
  async #search(position, signal) {
    // The first look tells something of every move; deeper ones keep to the best.
    const first = this.effort === FIRST && !this.endless;
    const lines = Math.min(first ? 64 : this.lines, legalMoves(position).length);
    const seconds = this.endless ? Infinity : this.effort.seconds;
    this.#say(t.searching, true);
    try {
      await pause(PAUSE, signal);
      await analyse({ position, lines, level: this.effort.level, seconds }, signal, (found, done) => {
        if (found.depth < 2 && !done && !found.solved) return;
        this.found = found;
        this.#show(found, done);
        this.onfound(found);
      });
      // A server that is stopped ends its streams without a last word.
      if (!signal.aborted) this.status.classList.remove("busy");
    } catch (error) {
      if (!leftOff(error)) this.#say(/** @type {Error} */ (error).message, false);
    }
  }

  /** @param {string} text @param {boolean} busy */
  #say(text, busy) {
    this.status.textContent = text;
    this.status.classList.toggle("busy", busy);
  }

  /** @param {Found} found @param {boolean} done */
  #show(found, done) {
    const how = found.solved ? t.solved : t.depth(found.depth);
    this.#say(`${how} · ${t.nodes(short(found.nodes))}${found.nps ? ` · ${t.perSecond(short(found.nps))}` : ""}`, !done);
    this.status.title = t.searchedFor(number(found.nodes), found.seconds.toFixed(1));
    const lines = found.moves.length ? found.moves : found.best ? [{ move: found.best, value: found.value, line: found.line }] : [];
    this.shown = lines.slice(0, this.lines).map(({ move, value, line }) => ({ value, moves: (line.startsWith(move) ? line : move).match(/../g) ?? [] }));
    // The buttons stay where they are and only change their words: whoever is about to press one can.
    while (this.list.children.length > this.shown.length) this.list.lastChild.remove();
    this.shown.forEach(({ value, moves }, at) => {
      const row = this.list.children[at] ?? this.list.appendChild(h("li", {}, h("b", { class: "line-value" }), h("span", { class: "line-moves" })));
      const [number, place] = row.children;
      number.textContent = discs(value, 2);
      while (place.children.length > moves.length) place.lastChild.remove();
      moves.forEach((name, step) => {
        const one = place.children[step] ?? place.appendChild(h("button", { type: "button" }));
        one.textContent = name;
        one.setAttribute("aria-label", t.playLine(moves.slice(0, step + 1).join(" ")));
      });
    });
  }

  /** The moves up to a button of the list. @param {Event} event */
  #upTo(event) {
    const one = /** @type {Element} */ (event.target).closest("button");
    if (!one) return null;
    const place = /** @type {Element} */ (one.parentElement);
    const row = [...this.list.children].indexOf(place.parentElement);
    return this.shown[row]?.moves.slice(0, [...place.children].indexOf(one) + 1) ?? null;
  }

  /** Shows where some moves lead; nothing without a position. @param {Position | null} position @param {string[]} [moves] */
  #peek(position, moves = []) {
    this.peek.hidden = !position;
    if (!position) return;
    const end = moves.reduce((now, name) => play(now, squareIndex(name)) ?? now, position);
    this.peek.replaceChildren(diagram(end, { last: squareIndex(moves[moves.length - 1]), label: t.after(moves.join(" ")) }));
  }
}
