// The address follows what is looked at, once that is on the screen. Browsers take their time to write
// it, and refuse, or leave out, what is written too often, as by whoever holds an arrow key down: then
// only the last of it is written.

import { painted } from "./errands.js";

/** Safari allows a hundred in half a minute. */
const REST = 350;

export class Address {
  /** @type {{ address: string, state: any, push: boolean } | null} */
  #wanted = null;
  #timer = 0;
  #last = -REST;

  constructor() {
    addEventListener("pagehide", () => this.flush());
  }

  /** @param {string} address @param {any} state what comes back with it @param {boolean} push whether it can be gone back from */
  write(address, state, push) {
    this.#wanted = { address, state, push: push || Boolean(this.#wanted?.push) };
    const wait = Math.max(0, this.#last + REST - performance.now());
    this.#timer ||= window.setTimeout(() => painted().then(() => this.flush()), wait);
  }

  /** Where somebody arrived; what was to be written before is of no more use. @param {string} address @param {any} state */
  arrive(address, state) {
    this.#wanted = { address, state, push: false };
    this.flush();
  }

  /** Writes what waits to be written. */
  flush() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    if (!this.#wanted) return;
    const { address, state, push } = this.#wanted;
    this.#wanted = null;
    const same = new URL(address, location.href).href === location.href;
    if (same && JSON.stringify(history.state) === JSON.stringify(state)) return;
    this.#last = performance.now();
    try {
      if (push && !same) history.pushState(state, "", address);
      else history.replaceState(state, "", address);
    } catch {
      // Too often, or too much to keep: the page works without.
    }
  }
}
