// Files of games: dropped or chosen, several at once, read by the server, browsed here. Nothing is
// learned. WTHOR keeps names in files of their own (.jou, .trn): dropped along, they are used.

import * as api from "./api.js";
import { announce, h, number } from "./dom.js";
import { Errands, leftOff, pause } from "./errands.js";
import { GameList } from "./game-list.js";
import { t } from "./texts.js";
import { SERVER } from "./transport.js";
import { isNumbered, isTable, readNames, withNames } from "./wthor-names.js";

const ACCEPTED = ".wtb,.jou,.trn,.ggf,.sgf,.txt,.gz,.zst";
const PAGE = 200;
/** So many milliseconds without a key, and what is typed is a word. */
const TYPED = 150;

/** A field for files, and a place to drop them on. @param {string} id @param {string} label @param {(files: File[]) => unknown} onfiles */
export function dropPlace(id, label, onfiles) {
  const input = h("input", { type: "file", id, class: "unseen", multiple: true, accept: ACCEPTED });
  const drop = h("label", { class: "drop", for: id }, h("span", {}, label));
  input.addEventListener("change", () => {
    if (input.files.length > 0) onfiles([...input.files]);
    input.value = "";
  });
  input.addEventListener("focus", () => drop.classList.add("focused"));
  input.addEventListener("blur", () => drop.classList.remove("focused"));
  const element = h("div", {}, input, drop);
  for (const name of ["dragover", "dragleave", "drop"]) {
    element.addEventListener(name, (/** @type {DragEvent} */ event) => {
      const files = [...(event.dataTransfer?.files ?? [])];
      if (name === "drop" && files.length === 0) return;
      event.preventDefault();
      event.stopPropagation();
      drop.classList.toggle("over", name === "dragover");
      if (name === "drop") onfiles(files);
    });
  }
  return element;
}

/** All games of a file, with names where there are tables; the server gives a page of them at a time. @param {File} file @param {import("./wthor-names.js").Names} names @param {AbortSignal} signal @param {(read: number) => void} tell */
export async function allGames(file, names, signal, tell) {
  /** @type {GameView[]} */
  const games = [];
  for (;;) {
    tell(games.length);
    const page = await api.collection(file, games.length, signal);
    for (const game of page.games) games.push(withNames(game, names));
    if (games.length >= page.total || page.games.length === 0) return { ...page, games };
  }
}

export class Files {
  /** @param {(game: GameView) => void} onopen */
  constructor(onopen) {
    /** @type {GameView[]} */
    this.games = [];
    /** What each game is found by. @type {string[]} */
    this.texts = [];
    this.errands = new Errands();
    this.filter = h("input", { type: "search", class: "filter", id: "filter", placeholder: t.filterHint, "aria-label": t.filterGames, oninput: () => this.#filter() });
    this.summary = h("p", { class: "summary", role: "status" });
    this.list = new GameList({ id: "games", onopen, onmore: () => this.#more() });
    this.found = h("div", { hidden: true }, this.filter, this.list.element);
    this.element = h("section", { class: "files", "aria-label": t.files }, SERVER && dropPlace("file", t.dropGames, (files) => this.read(files)), this.summary, this.found);
  }

  /** Reads all games of all files; what was read before goes. @param {File[]} files */
  async read(files) {
    const signal = this.errands.begin("read");
    const collections = files.filter((file) => !isTable(file));
    this.games = [];
    this.texts = [];
    this.filter.value = "";
    const told = /** @type {string[]} */ ([]);
    const names = await readNames(files.filter(isTable)).catch(() => ({ players: [], events: [] }));
    for (const file of collections) {
      try {
        const { games, total, format, bad } = await allGames(file, names, signal, (read) => (this.summary.textContent = t.reading(file.name, number(read))));
        for (const game of games) this.games.push(game);
        told.push(`${file.name}: ${t.games(total)} (${format})${bad ? `, ${t.broken(number(bad))}` : ""}`);
      } catch (error) {
        // One that cannot be read does not keep the others from being.
        if (leftOff(error)) return;
        const { message } = /** @type {Error} */ (error);
        told.push(message.includes(file.name) ? message : `${file.name}: ${message}`);
      }
    }
    if (signal.aborted) return;
    if (collections.length === 0) told.push(t.onlyNames);
    if (this.games.some(isNumbered)) told.push(t.namesHint);
    this.summary.textContent = told.join("; ");
    this.found.hidden = this.games.length === 0;
    this.#list();
    announce(this.summary.textContent ?? "");
  }

  /** A hundred thousand games are looked through when somebody has typed to the end, not in between. */
  async #filter() {
    const signal = this.errands.begin("filter");
    await pause(TYPED, signal).catch(() => null);
    if (!signal.aborted) this.#list();
  }

  #list() {
    const words = this.filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    if (this.texts.length !== this.games.length) this.texts = this.games.map(({ black, white, event, year }) => `${black ?? ""} ${white ?? ""} ${event ?? ""} ${year ?? ""}`.toLowerCase());
    this.matching = this.games.filter((_, at) => words.every((/** @type {string} */ word) => this.texts[at].includes(word)));
    this.list.clear();
    this.#more();
  }

  #more() {
    const all = this.matching ?? [];
    this.list.add(all.slice(this.list.shown, this.list.shown + PAGE), all.length);
  }
}
