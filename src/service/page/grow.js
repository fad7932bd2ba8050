// Grow: how large the book is, what it looks like, and where it could grow next.

import * as api from "./api.js";
import { $, button, bytes, discs, h, number, short } from "./dom.js";
import { Errands, leftOff, pause } from "./errands.js";
import { Jobs } from "./jobs.js";
import { byLevel, byMove, byValue } from "./picture.js";
import { t } from "./texts.js";

const AGAIN = 1500;

/** @implements {View} */
export class Grow {
  errands = new Errands();
  writable = false;
  /** What was counted when the pictures were drawn. */
  drawn = "";

  enter() {
    this.errands.stopAll();
    this.drawn = "";
    document.title = `${t.theBook} · Emilia`;
    this.tiles = h("div", { class: "tiles" });
    this.picture = h("div", { class: "pictures", id: "pictures" });
    this.more = h("div", { class: "more" });
    this.jobs = new Jobs(this.errands, () => {
      api.forget();
      this.#stats();
    });
    $("#wide").replaceChildren(h("h1", { class: "opening" }, t.theBook), this.tiles, this.jobs.element, this.picture, this.more);
    this.#stats();
  }

  leave() {
    this.errands.stopAll();
  }

  /** Asked again while a large book is being counted. */
  async #stats() {
    const signal = this.errands.begin("stats");
    try {
      for (;;) {
        const stats = await api.stats(signal);
        this.#tiles(stats);
        this.writable = stats.writable;
        const counted = JSON.stringify(stats.counted);
        if (stats.counted && counted !== this.drawn) this.#counted(stats.counted);
        this.drawn = counted;
        this.jobs?.show(stats);
        if (!stats.counting && stats.counted) return;
        await pause(AGAIN, signal);
      }
    } catch (error) {
      if (!leftOff(error)) this.tiles.replaceChildren(h("p", { class: "dim" }, /** @type {Error} */ (error).message));
    }
  }

  /** @param {Stats} stats */
  #tiles({ positions, games, bytes: size, counted }) {
    const tile = (/** @type {string} */ value, /** @type {string} */ name) => h("div", { class: "tile" }, h("strong", {}, value), h("span", {}, name));
    this.tiles.replaceChildren(
      tile(positions == null ? t.counting : short(positions), t.positions),
      tile(games == null ? t.counting : short(games), t.gamesWord),
      tile(bytes(size), t.onDisk),
      tile(counted?.bytes_per_position ? counted.bytes_per_position.toFixed(1) : "…", t.bytesEach));
  }

  /** @param {Summary} counted */
  #counted({ gaps, layers, values, best_lines: lines, levels, origins, positions, wanted }) {
    this.picture.replaceChildren(byMove(layers), byValue(values), byLevel(levels));
    const share = (/** @type {number} */ value) => `${((100 * value) / Math.max(1, positions)).toFixed(value === positions ? 0 : 1)} %`;
    const facts = (/** @type {string} */ title, /** @type {[string, string][]} */ rows) => h("div", {}, h("h2", {}, title), h("dl", {}, rows.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)])));
    const places = (/** @type {string} */ id, /** @type {string} */ title, /** @type {{ moves: string, name: string, fact: string }[]} */ rows, /** @type {string} */ none) => h("div", {}, h("h2", {}, title), rows.length
      ? h("ol", { class: "best-lines", id }, rows.map(({ moves, name, fact }) => h("li", {}, h("a", { class: "line", "data-inside": true, href: `./?moves=${moves}`, title: moves }, name), h("span", { class: "dim" }, fact),
        this.writable && button(t.grow, () => this.jobs?.growFrom?.(moves), { "aria-label": `${t.grow}: ${name}` }))))
      : h("p", { class: "dim" }, none));
    const named = /** @type {[string, number][]} */ (Object.entries(origins)).filter(([, value]) => value > 0).map(([origin, value]) => /** @type {[string, string]} */ ([t.origin(origin), `${number(value)}  (${share(value)})`]));
    this.more.replaceChildren(
      places("gaps", t.widestGaps, gaps.map((gap) => ({ moves: gap.moves, name: gap.opening ? `${gap.opening}, ${gap.moves}` : gap.moves || t.theStart, fact: t.games(gap.games) })), t.noGaps),
      places("best-lines", t.bestLines, lines.slice(0, 8).map((line) => ({ moves: line.moves, name: line.opening ?? line.moves.slice(0, 20), fact: t.forBlack(discs(line.black_value, 2)) })), t.noBestLines),
      facts(t.whereFrom, named),
      ...(wanted.length ? [facts(t.stillWanted, wanted.map(({ cause, level, positions: count }) => [`${cause}, ${t.level} ${level}`, number(count)]))] : []));
  }
}
