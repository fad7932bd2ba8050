// Games: the book's games by position, player, event, year and result, page by page, with statistics
// of those that were found; each opens on the board.

import * as api from "./api.js";
import { diagram } from "./diagram.js";
import { $, button, discs, h, number } from "./dom.js";
import { Errands, leftOff } from "./errands.js";
import { GameList } from "./game-list.js";
import { bar, played, split } from "./moves.js";
import { BLACK, START, parseBoard, readBoard, readMoves } from "./rules.js";
import { t } from "./texts.js";

const PAGE = 50;
const FIELDS = /** @type {const} */ (["player", "event", "years", "result", "position"]);

/** @implements {View} */
export class Games {
  /** @param {import("./app.js").App} app */
  constructor(app) {
    this.app = app;
    this.errands = new Errands();
    /** @type {number | null} */
    this.next = null;
    /** @type {Record<string, string>} */
    this.which = {};
    const field = (/** @type {string} */ name, /** @type {string} */ label, /** @type {string} */ hint) =>
      h("label", {}, h("span", {}, label), h("input", { type: "search", name, id: `games-${name}`, autocomplete: "off", spellcheck: "false", placeholder: hint }));
    const results = h("label", {}, h("span", {}, t.result), h("select", { name: "result", id: "games-result" },
      [["", t.any], ["black", t.blackWins], ["white", t.whiteWins], ["draw", t.aDraw]].map(([value, label]) => h("option", { value }, label))));
    this.form = h("form", { class: "games-form", role: "search", "aria-label": t.findGames, onsubmit: (/** @type {Event} */ event) => {
      event.preventDefault();
      const wanted = new URLSearchParams();
      for (const name of FIELDS) if (this.form.elements[name].value.trim()) wanted.set(name, this.form.elements[name].value.trim());
      const text = wanted.toString();
      this.app.go(`./games${text && `?${text}`}`);
    } }, field("player", t.player, t.playerHint), field("event", t.event, ""), field("years", t.years, "1990-2005"), results, field("position", t.position, "f5d6c3"),
    h("button", { type: "submit", class: "big", id: "find-games" }, t.find));
    this.list = new GameList({ id: "found", onopen: (game) => app.openGame(game), onmore: () => this.#page() });
    this.numbers = h("aside", { class: "numbers", id: "numbers", "aria-label": t.statistics });
  }

  enter() {
    const asked = new URLSearchParams(location.search);
    this.which = {};
    for (const name of FIELDS) {
      const value = asked.get(name) ?? "";
      this.form.elements[name].value = value;
      if (value) this.which[name] = value;
    }
    $("#wide").replaceChildren(h("h1", { class: "opening" }, t.gamesTitle), this.form, h("div", { class: "games-columns" }, this.list.element, this.numbers));
    document.title = `${t.gamesTitle} · Emilia`;
    this.app.remember("games", `./games${location.search}`);
    this.next = null;
    this.list.clear();
    this.#page();
    this.#statistics();
  }

  leave() {
    this.errands.stopAll();
  }

  async #page() {
    const signal = this.errands.begin("page");
    this.list.summary.textContent ||= t.searching;
    this.list.more.disabled = true;
    try {
      const found = await api.games({ ...this.which, limit: PAGE, after: this.next ?? undefined }, signal);
      this.next = found.next;
      this.list.add(found.games, found.total);
      if (found.total === 0) this.list.summary.textContent = Object.keys(this.which).length ? t.noGames : t.noGamesYet;
      else if (found.players.length > 1) this.list.summary.textContent += `: ${found.players.slice(0, 8).join(", ")}${found.players.length > 8 ? "…" : ""}`;
    } catch (error) {
      if (!leftOff(error)) this.list.summary.textContent = /** @type {Error} */ (error).message;
    }
    this.list.more.disabled = false;
  }

  /** How these games went, and what was played next, at the position that was asked for. */
  async #statistics() {
    const signal = this.errands.begin("statistics");
    const asked = this.which.position ?? "";
    const key = readBoard(asked) ?? readMoves(parseBoard(START), asked).line.join("");
    this.numbers.replaceChildren();
    try {
      const view = await api.position(key, { among: { years: this.which.years, player: this.which.player }, signal });
      if (signal.aborted) return;
      this.numbers.replaceChildren(...this.#told(view, key));
    } catch (error) {
      if (!leftOff(error)) this.numbers.replaceChildren(h("p", { class: "dim" }, /** @type {Error} */ (error).message));
    }
  }

  /** @param {PositionView} view @param {string} key */
  #told(view, key) {
    const position = parseBoard(view.position);
    const parts = split(view.statistics, position.turn);
    const rows = view.moves.filter((move) => move.statistics).sort((a, b) => (b.statistics?.games ?? 0) - (a.statistics?.games ?? 0));
    const average = (/** @type {Statistics} */ { average_discs: mean }) => (mean == null ? "" : discs(position.turn === BLACK ? mean : -mean));
    const table = h("table", { class: "next-moves" }, h("caption", { class: "dim" }, t.playedNext),
      h("tbody", {}, rows.map(({ move, statistics }) => {
        const of = split(statistics, position.turn);
        return h("tr", {}, h("th", { scope: "row" }, move), h("td", {}, number(statistics?.games ?? 0)), h("td", { class: "wide-cell" }, of && bar(of)), h("td", {}, statistics && average(statistics)));
      })));
    return [
      h("div", { class: "numbers-board" }, diagram(position, { label: view.opening ?? t.position })),
      h("h2", {}, view.opening ?? (key ? t.unnamedLine : t.theStart)),
      ...(parts && view.statistics ? [bar(parts), h("p", { class: "dim" }, played(view.statistics)), table] : [h("p", { class: "dim" }, t.noGames)]),
      button(t.openInExplore, () => this.app.go(readBoard(key) ? `./?board=${encodeURIComponent(key)}` : `./?moves=${key}`), { id: "explore-position" }),
    ];
  }
}
