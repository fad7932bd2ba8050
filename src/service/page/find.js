// One field for all that can be looked up: moves, boards, games in GGF or SGF, openings by name.
// While a name is typed, openings that contain it are offered.

import * as api from "./api.js";
import { h } from "./dom.js";
import { Errands } from "./errands.js";
import { t } from "./texts.js";

const OFFERED = 8;

export class Find {
  /** @param {(text: string) => unknown} onfind @param {(opening: Opening) => unknown} onopening */
  constructor(onfind, onopening) {
    this.onfind = onfind;
    this.onopening = onopening;
    this.errands = new Errands();
    /** @type {Opening[]} */
    this.offers = [];
    this.chosen = -1;
    this.field = h("input", { type: "text", id: "transcript", name: "transcript", autocomplete: "off", spellcheck: "false", placeholder: t.findHint, "aria-label": t.findLabel, role: "combobox", "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": "offers", oninput: () => this.#offer(), onkeydown: (/** @type {KeyboardEvent} */ event) => this.#key(event), onblur: () => setTimeout(() => this.#close(), 150), onpaste: (/** @type {ClipboardEvent} */ event) => this.#paste(event) });
    this.list = h("ul", { id: "offers", role: "listbox", "aria-label": t.openings, hidden: true });
    this.element = h("form", { class: "paste", onsubmit: (/** @type {Event} */ event) => {
      event.preventDefault();
      this.#submit();
    } }, h("div", { class: "combo" }, this.field, this.list), h("button", { type: "submit" }, t.show));
  }

  #submit() {
    const offer = this.offers[this.chosen];
    const text = this.field.value;
    this.field.value = "";
    this.#close();
    if (offer) this.onopening(offer);
    else this.onfind(text);
  }

  /** A field has one line: what has more is read as it is. @param {ClipboardEvent} event */
  #paste(event) {
    const text = event.clipboardData?.getData("text/plain") ?? "";
    if (!text.trim().includes("\n")) return;
    event.preventDefault();
    this.onfind(text);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.key === "Escape") this.#close();
    else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && this.offers.length > 0) {
      event.preventDefault();
      this.#choose((this.chosen + (event.key === "ArrowDown" ? 1 : -1) + this.offers.length) % this.offers.length);
    }
  }

  async #offer() {
    const name = this.field.value.trim();
    const isName = name.length > 1 && !/\d/.test(name);
    if (!isName) return this.#close();
    const signal = this.errands.begin("offer");
    const found = await api.openings(name, signal).catch(() => null);
    if (signal.aborted || !found) return;
    this.offers = found.openings.slice(0, OFFERED);
    this.list.replaceChildren(...this.offers.map((opening, at) => h("li", { role: "option", id: `offer-${at}`, "aria-selected": "false", onpointerdown: (/** @type {Event} */ event) => {
      event.preventDefault();
      this.chosen = at;
      this.#submit();
    } }, h("b", {}, opening.name), h("span", { class: "dim" }, opening.moves))));
    this.#open(this.offers.length > 0);
    this.#choose(-1);
  }

  /** @param {number} at */
  #choose(at) {
    this.chosen = at;
    [...this.list.children].forEach((one, place) => one.setAttribute("aria-selected", String(place === at)));
    if (at >= 0) this.field.setAttribute("aria-activedescendant", `offer-${at}`);
    else this.field.removeAttribute("aria-activedescendant");
  }

  /** @param {boolean} open */
  #open(open) {
    this.list.hidden = !open;
    this.field.setAttribute("aria-expanded", String(open));
  }

  #close() {
    this.errands.stop("offer");
    this.offers = [];
    this.chosen = -1;
    this.#open(false);
    this.field.removeAttribute("aria-activedescendant");
  }
}
