// Where engine lines and the engine's moves come from: the server, or for lines the browser itself,
// if its user wants it so. No view knows which.

import * as api from "./api.js";
import { leftOff, pause } from "./errands.js";
import { boardText } from "./rules.js";
import { SERVER } from "./transport.js";

/** As deep as a search can be asked for. */
const DEEPEST = 60;
const BREATH = 400;

/** Nobody is kept busy for a page that nobody looks at. */
async function seen() {
  while (document.visibilityState !== "visible") {
    await new Promise((resolve) => document.addEventListener("visibilitychange", resolve, { once: true }));
  }
}

/** @type {Source} */
const server = {
  async analyse({ position, lines, level, seconds }, signal, tell) {
    const body = { board: boardText(position), best_of: lines };
    if (seconds !== Infinity) return api.analyse({ ...body, level, seconds }, signal, tell);
    // The server ends every search after a while: it is asked again, and what it found before is
    // still in its table. Only news are told.
    let best = 0;
    for (;;) {
      const last = await api.analyse({ ...body, level: DEEPEST, seconds: 3600 }, signal, (found, done) => {
        if (found.depth < best || (done && !found.solved)) return;
        best = found.depth;
        tell(found, done);
      });
      if (!last || last.solved) return last;
      await pause(BREATH, signal);
      await seen();
    }
  },
};

/** An engine that cannot be fetched or started is left for the server. @type {Source} */
const browser = {
  async analyse(question, signal, tell) {
    try {
      const { browserAnalyse } = await import("./engine.js");
      return await browserAnalyse(question, signal, tell);
    } catch (error) {
      if (leftOff(error) || !SERVER) throw error;
      source = server;
      onrefused?.(/** @type {Error} */ (error));
      return server.analyse(question, signal, tell);
    }
  },
};

/** @type {Source} */
let source = SERVER ? server : browser;
/** @type {((why: Error) => void) | undefined} */
let onrefused;

/** Where positions are searched from now on, and who is told when it cannot be there. @param {string} place @param {(why: Error) => void} [refused] */
export function searchIn(place, refused) {
  source = place === "browser" || !SERVER ? browser : server;
  onrefused = refused;
}

/** Searches a position and tells of every depth; Infinity seconds go on until the signal ends it. Resolves with the last word, null when it is no longer wanted. @param {Question} question @param {AbortSignal} signal @param {(found: Found, done: boolean) => void} tell */
export async function analyse(question, signal, tell) {
  try {
    return await source.analyse(question, signal, (found, done) => signal.aborted || tell(found, done));
  } catch (error) {
    if (leftOff(error) || signal.aborted) return null;
    throw error;
  }
}

/** A move of whoever plays: the server's, which has the book and the programs of the papers. @param {MoveWish} wish @param {AbortSignal} signal */
export const move = ({ position, ...wish }, signal) => api.choose({ board: boardText(position), ...wish }, signal);
