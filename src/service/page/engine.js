// An engine in the browser: analysis and moves that cost the server nothing, and work without it.
// The module and its weights are fetched when they are first needed, about 5 MB, and never before.

import { boardText } from "./rules.js";

const MODULE = new URL("engine.wasm", import.meta.url);
const WEIGHTS = new URL("weights.emw", import.meta.url);
const WORKER = new URL("engine-worker.js", import.meta.url);
// The table of positions: enough for minutes; small phones have less to give.
const MEGABYTES = (/** @type {any} */ (navigator).deviceMemory ?? 4) >= 4 ? 64 : 16;

const stopped = () => new DOMException("the search was left", "AbortError");

/** @typedef {{ level?: number | string, lines?: number, infinite?: boolean, seconds?: number, seed?: number, signal?: AbortSignal }} Wish */
/** @typedef {{ tell?: (found: any, done: boolean) => void, resolve: (found: any) => void, reject: (reason: any) => void }} Waiting */
/** A search that can be left: the promise of its last word, and the way out. @typedef {{ done: Promise<any>, stop: () => void }} Search */

class Engine {
  #worker = new Worker(WORKER, { type: "module" });
  /** @type {Map<number, Waiting>} */
  #waiting = new Map();
  #last = 0;

  constructor() {
    this.#worker.onmessage = ({ data }) => this.#hear(data);
    this.#worker.onerror = (event) => this.#fail(new Error(event.message || "the engine cannot be started"));
  }

  /** @param {ArrayBuffer} module @param {ArrayBuffer} weights */
  async load(module, weights) {
    await this.#ask({ open: { module, weights, megabytes: MEGABYTES } }, undefined, [module, weights]).done;
    return this;
  }

  /**
   * Looks at a position, deeper and deeper; `onReport` hears of every depth. To a level, for some
   * seconds, or `infinite` (Infinity seconds): until it is solved or stopped. Another search ends
   * the one before.
   * @param {Position | string} position @param {Wish} wish @param {(found: Found, done: boolean) => void} [onReport] @returns {Search}
   */
  analyse(position, { level = 18, lines = 1, infinite = false, seconds, signal } = {}, onReport) {
    const endless = infinite || seconds === Infinity;
    const options = endless ? { lines } : { level, lines, seconds };
    return this.#order("analyse", position, options, onReport, signal);
  }

  /**
   * The move of a player of this level (0–60, or newcomer … full) without a book. The same seed
   * makes the same moves.
   * @param {Position | string} position @param {number | string} [level] @param {Wish} [wish]
   * @returns {Search} `done` resolves with { move, value, search }
   */
  move(position, level = "full", { seconds, seed = 0, signal } = {}) {
    const limited = level === "full" ? seconds ?? 3 : seconds;
    const search = this.#order("move", position, { level, seed, seconds: limited }, undefined, signal);
    const made = ({ move = null, move_value: value = null, ...found }) => ({ move, value, search: found });
    return { ...search, done: search.done.then(made) };
  }

  /** The result with perfect play. @param {Position | string} position @param {Wish} [wish] @param {(found: Found, done: boolean) => void} [onReport] @returns {Search} */
  solve(position, { signal } = {}, onReport) {
    return this.#order("solve", position, {}, onReport, signal);
  }

  /** What the searches of `emilia bench --depth` find, one by one. @param {number} depth */
  bench(depth) {
    return this.#ask({ bench: { depth } });
  }

  /** Forgets what earlier searches found: a new game. */
  forget() {
    this.#worker.postMessage({ forget: true });
  }

  /** Ends the engine and whatever it was asked. */
  close() {
    this.#worker.terminate();
    this.#fail(stopped());
  }

  /** @param {string} verb @param {Position | string} position @param {Record<string, unknown>} options @param {((found: any, done: boolean) => void) | undefined} tell @param {AbortSignal} [signal] */
  #order(verb, position, options, tell, signal) {
    const board = typeof position === "string" ? position : boardText(position);
    const more = Object.entries(options).filter(([, value]) => value != null).map(([name, value]) => ` ${name} ${value}`);
    const search = this.#ask({ order: `${verb} ${board}${more.join("")}` }, tell);
    if (signal?.aborted) search.stop();
    else signal?.addEventListener("abort", search.stop, { once: true });
    return search;
  }

  /** @param {object} message @param {(found: any, done: boolean) => void} [tell] @param {Transferable[]} [given] @returns {Search} */
  #ask(message, tell, given = []) {
    const id = ++this.#last;
    // The worker does one thing at a time, the newest.
    for (const before of [...this.#waiting.keys()]) this.#leave(before);
    const done = new Promise((resolve, reject) => this.#waiting.set(id, { tell, resolve, reject }));
    // Whoever only listens to the reports need not catch the end.
    done.catch(() => {});
    this.#worker.postMessage({ id, ...message }, given);
    return { done, stop: () => this.#leave(id) };
  }

  /** @param {number} id */
  #leave(id) {
    const left = this.#waiting.get(id);
    if (!left) return;
    this.#waiting.delete(id);
    this.#worker.postMessage({ stop: id });
    left.reject(stopped());
  }

  /** @param {{ id: number, found?: any, done?: boolean, error?: string, broken?: boolean }} data */
  #hear({ id, found, done = false, error, broken }) {
    if (broken) return this.#fail(new Error(error));
    const asked = this.#waiting.get(id);
    if (!asked) return;
    if (error != null || done) this.#waiting.delete(id);
    if (error != null) return asked.reject(new Error(error));
    asked.tell?.(found, done);
    if (done) asked.resolve(found);
  }

  /** Nothing more comes from the worker: the next who asks opens another engine. @param {Error} reason */
  #fail(reason) {
    this.onfail?.();
    this.#worker.terminate();
    for (const { reject } of this.#waiting.values()) reject(reason);
    this.#waiting.clear();
  }

  /** @type {(() => void) | null} */
  onfail = null;
}

/** The page's engines: one for the board, and one for what is searched beside it. @type {Map<string, Promise<Engine>>} */
const opened = new Map();

/** @param {URL} address */
async function bytesOf(address) {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`the engine cannot be fetched: ${address.pathname} answered ${response.status}`);
  return response.arrayBuffer();
}

async function open() {
  const [module, weights] = await Promise.all([bytesOf(MODULE), bytesOf(WEIGHTS)]);
  return new Engine().load(module, weights);
}

/** Whether this browser can run it at all. */
export const canRun = () => typeof WebAssembly === "object" && typeof Worker === "function";

/** The page's engine; it is fetched and started the first time. Another name is another engine, as each does one thing at a time. @param {string} [name] @returns {Promise<Engine>} */
export function openEngine(name = "board") {
  const known = opened.get(name);
  if (known) return known;
  const opening = open();
  const forget = () => opened.get(name) === opening && opened.delete(name);
  opened.set(name, opening);
  opening.then((engine) => { engine.onfail = forget; }, forget);
  return opening;
}

/** The engine as a source of lines, with the same words as the server's. @type {Source["analyse"]} */
export async function browserAnalyse({ position, lines, level, seconds, beside = false }, signal, tell) {
  const engine = await openEngine(beside ? "beside" : "board");
  signal.throwIfAborted();
  return engine.analyse(position, { lines, level, seconds, signal }, tell).done;
}
