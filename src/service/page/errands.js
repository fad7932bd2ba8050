// Requests that are under way, each under a name: a new one of the same name ends the one before,
// and whoever leaves ends them all.

export class Errands {
  /** @type {Map<string, AbortController>} */
  #running = new Map();

  /** A new errand; its signal says when it is no longer wanted. @param {string} name */
  begin(name) {
    this.stop(name);
    const errand = new AbortController();
    this.#running.set(name, errand);
    return errand.signal;
  }

  /** @param {string} name */
  stop(name) {
    this.#running.get(name)?.abort();
    this.#running.delete(name);
  }

  stopAll() {
    for (const name of [...this.#running.keys()]) this.stop(name);
  }
}

/** Whether an error only says that nobody wants the answer any more. @param {any} error */
export const leftOff = (error) => error?.name === "AbortError";

/** Waits; an AbortError when the signal says so. @param {number} milliseconds @param {AbortSignal} signal */
export function pause(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      reject(new DOMException("left", "AbortError"));
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", end);
      resolve(undefined);
    }, milliseconds);
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  });
}

/** Resolves when what was drawn is on the screen, or at once where nobody looks. */
export function painted() {
  if (document.visibilityState !== "visible") return Promise.resolve();
  return new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
}

/** Something that can wait until what was drawn is on the screen, and is done once for all who asked for it meanwhile; before the page goes, it is done at once. @param {() => void} act */
export function afterwards(act) {
  let asked = false;
  const now = () => {
    if (asked) act();
    asked = false;
  };
  addEventListener("pagehide", now);
  return {
    ask() {
      if (!asked) painted().then(now);
      asked = true;
    },
  };
}
