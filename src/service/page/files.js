// A file of games: dropped or chosen, read by the server, browsed here. Nothing is learned.

import * as api from "./api.js";
import { announce, discs, h, number } from "./dom.js";

const SHOWN = 200;

// One game in a list.
export const gameRow = (game, onopen) => h("li", {},
  h("button", { type: "button", class: "game", onclick: () => onopen(game) },
    h("span", {}, `${game.black ?? "?"} – ${game.white ?? "?"}`),
    h("span", { class: "dim" }, [game.event, game.year].filter(Boolean).join(", ")),
    h("b", {}, game.result == null ? "" : discs(game.result))));

export class Files {
  constructor(onopen) {
    this.onopen = onopen;
    this.games = [];
    const input = h("input", { type: "file", id: "file", class: "unseen", accept: ".wtb,.ggf,.sgf,.txt,.gz,.zst" });
    input.addEventListener("change", () => {
      if (input.files[0]) this.read(input.files[0]);
      input.value = "";
    });
    this.drop = h("label", { class: "drop", for: "file" }, h("span", {}, "Drop a file of games here, or ", h("u", {}, "choose one"), ": WTHOR, GGF, SGF, transcripts"));
    this.filter = h("input", { type: "search", class: "filter", id: "filter", placeholder: "Player, event or year", "aria-label": "Filter games" });
    this.filter.addEventListener("input", () => this.#list());
    this.summary = h("p", { class: "summary", role: "status" });
    this.list = h("ul", { class: "game-list", id: "games" });
    this.found = h("div", { hidden: true }, this.filter, this.list);
    this.element = h("div", { class: "files" }, input, this.drop, this.summary, this.found);
    for (const name of ["dragover", "dragleave", "drop"]) {
      this.element.addEventListener(name, (event) => {
        event.preventDefault();
        this.drop.classList.toggle("over", name === "dragover");
        if (name === "drop" && event.dataTransfer.files[0]) this.read(event.dataTransfer.files[0]);
      });
    }
    input.addEventListener("focus", () => this.drop.classList.add("focused"));
    input.addEventListener("blur", () => this.drop.classList.remove("focused"));
  }

  async read(file) {
    this.summary.textContent = `Reading ${file.name}…`;
    try {
      const collection = await api.collection(file);
      this.games = collection.games;
      const bad = collection.bad ? `, ${number(collection.bad)} broken` : "";
      const part = collection.total > collection.games.length ? `; the first ${number(collection.games.length)} are listed` : "";
      this.summary.textContent = `${file.name}: ${number(collection.total)} games (${collection.format})${bad}${part}`;
      this.found.hidden = this.games.length === 0;
      this.filter.value = "";
      this.#list();
      announce(this.summary.textContent);
    } catch (error) {
      this.found.hidden = true;
      this.summary.textContent = error.message;
    }
  }

  #list() {
    const words = this.filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    const matches = (game) => {
      const text = `${game.black ?? ""} ${game.white ?? ""} ${game.event ?? ""} ${game.year ?? ""}`.toLowerCase();
      return words.every((word) => text.includes(word));
    };
    const shown = this.games.filter(matches).slice(0, SHOWN);
    this.list.replaceChildren(...shown.map((game) => gameRow(game, this.onopen)));
  }
}
