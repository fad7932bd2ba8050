// How the game stands, beside the board: the more of the bar is black, the better for Black.

import { h } from "./dom.js";
import { t } from "./texts.js";

/** Near the middle a disc counts for more than far out. @param {number} value */
const share = (value) => 50 + 50 * Math.tanh(value / 14);

export class EvalBar {
  constructor() {
    this.black = h("i", { class: "eval-black" });
    this.number = h("b", {});
    this.element = h("div", { class: "eval", id: "eval", role: "meter", "aria-label": t.evaluation, "aria-valuemin": "-64", "aria-valuemax": "64", "aria-valuenow": "0" }, this.black, this.number);
  }

  /** @param {number | null} value seen by Black; null leaves the bar in the middle */
  show(value) {
    this.element.classList.toggle("unknown", value == null);
    this.element.style.setProperty("--black", `${share(value ?? 0)}%`);
    this.element.classList.toggle("for-white", (value ?? 0) < 0);
    // There is room for three signs.
    this.number.textContent = value == null ? "" : Math.abs(value).toFixed(Math.abs(value) < 9.95 && !Number.isInteger(value) ? 1 : 0);
    this.element.setAttribute("aria-valuenow", String(value ?? 0));
    this.element.setAttribute("aria-valuetext", value == null ? t.unknown : t.ahead(value));
  }
}
