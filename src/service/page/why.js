// Why the book says what it says: the best moves from here down to the search, or the end of the
// game, that the value comes from.

import * as api from "./api.js";
import { discs, h } from "./dom.js";
import { leftOff } from "./errands.js";
import { t } from "./texts.js";

export class Why {
  /** @param {(moves: string[]) => void} onplay plays a line from here */
  constructor(onplay) {
    this.onplay = onplay;
    /** @type {(() => void) | null} */
    this.fill = null;
    this.place = h("div", { id: "because" });
    this.element = h("details", { class: "fold", id: "why", hidden: true, ontoggle: () => this.element.open && this.fill?.() }, h("summary", {}, t.why), this.place);
  }

  /** Another position is shown; the answer is fetched when somebody looks. @param {import("./session.js").Session} session @param {PositionView | null} view */
  show(session, view) {
    this.element.hidden = view?.node?.value == null;
    this.place.replaceChildren();
    this.fill = () => {
      this.fill = null;
      this.#fill(session.key(), session.here.begin("why"));
    };
    if (this.element.open && !this.element.hidden) this.fill();
  }

  /** @param {string} key @param {AbortSignal} signal */
  async #fill(key, signal) {
    try {
      const { because } = await api.line(key, signal);
      this.place.replaceChildren(...this.#told(because));
    } catch (error) {
      if (!leftOff(error)) this.place.replaceChildren(h("p", { class: "dim" }, /** @type {Error} */ (error).message));
    }
  }

  /** @param {Reason[]} because */
  #told(because) {
    const leaf = because.at(-1);
    if (!leaf) return [h("p", { class: "dim" }, t.restsOnNothing)];
    const line = because.map((reason) => reason.move).filter((move) => move != null);
    const steps = because.filter((reason) => reason.move).map((reason, at) => h("li", {}, h("button", {
      type: "button",
      class: `ply ${reason.turn}`,
      title: reason.black_value == null ? t.unknown : t.ahead(reason.black_value),
      onclick: () => this.onplay(line.slice(0, at + 1)),
    }, reason.move)));
    return [
      h("ol", { class: "plies" }, steps),
      h("p", {}, t.restsOn(leaf.rests_on, leaf.level ?? "?"), leaf.black_value != null && h("b", {}, ` ${t.forBlack(discs(leaf.black_value, 2))}`)),
      h("p", { class: "dim" }, t.cameIn(leaf.origin)),
    ];
  }
}
