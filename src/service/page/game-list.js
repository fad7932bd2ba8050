// A list of games that grows by pages as it is asked for more, and always says how many there are.

import { button, discs, h, number } from "./dom.js";
import { t } from "./texts.js";

/** One game in a list. @param {GameView} game @param {(game: GameView) => void} onopen */
export const gameRow = (game, onopen) => h("li", {},
  h("button", { type: "button", class: "game", onclick: () => onopen(game) },
    h("span", {}, `${game.black ?? "?"} – ${game.white ?? "?"}`),
    h("span", { class: "dim" }, [game.event, game.year].filter(Boolean).join(", ")),
    game.result != null && h("b", { title: t.resultText(game.result) }, discs(game.result))));

export class GameList {
  /** @param {{ id: string, onopen: (game: GameView) => void, onmore: () => unknown }} how */
  constructor({ id, onopen, onmore }) {
    this.onopen = onopen;
    this.shown = 0;
    this.list = h("ul", { class: "game-list", id });
    this.summary = h("p", { class: "summary", role: "status", id: `${id}-summary` });
    this.more = button(t.moreGames, onmore, { id: `${id}-more`, hidden: true });
    this.element = h("div", { class: "games-found" }, this.summary, this.list, this.more);
  }

  clear() {
    this.shown = 0;
    this.list.replaceChildren();
    this.list.hidden = true;
    this.more.hidden = true;
    this.summary.textContent = "";
  }

  /** @param {GameView[]} games the next page @param {number} total how many there are on all pages */
  add(games, total) {
    this.list.append(...games.map((game) => gameRow(game, this.onopen)));
    this.shown += games.length;
    this.list.hidden = this.shown === 0;
    this.more.hidden = this.shown >= total || games.length === 0;
    this.summary.textContent = this.shown < total ? t.someOfGames(number(this.shown), number(total)) : t.games(total);
  }
}
