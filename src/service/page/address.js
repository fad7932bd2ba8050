// The address follows what is looked at. Browsers refuse, or leave out, what is written there too
// often, as happens to whoever holds an arrow key down: then only the last of it is written.

/** Safari allows a hundred in half a minute. */
const REST = 350;

export class Address {
  /** @type {{ address: string, state: unknown, push: boolean } | null} */
  #wanted = null;
  #timer = 0;
  #last = -REST;

  constructor() {
    addEventListener("pagehide", () => this.flush());
  }

  /** @param {string} address @param {unknown} state what comes back with it @param {boolean} push whether it can be gone back from */
  write(address, state, push) {
    this.#wanted = { address, state, push: push || Boolean(this.#wanted?.push) };
    const wait = this.#last + REST - performance.now();
    if (wait <= 0) this.flush();
    else this.#timer ||= window.setTimeout(() => this.flush(), wait);
  }

  /** Writes what waits to be written. */
  flush() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    if (!this.#wanted) return;
    const { address, state, push } = this.#wanted;
    this.#wanted = null;
    this.#last = performance.now();
    const same = new URL(address, location.href).href === location.href;
    try {
      if (push && !same) history.pushState(state, "", address);
      else history.replaceState(state, "", address);
    } catch {
      // Too often, or too much to keep: the page works without.
    }
  }
}
