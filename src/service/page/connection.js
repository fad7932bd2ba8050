// Whether the server answers. Whoever finds that it does not says so here: the page says it to its
// user, knocks until there is an answer, and then the view asks again.

import { $ } from "./dom.js";
import { t } from "./texts.js";
import { ask } from "./transport.js";

const KNOCK = 2000;
/** @type {(() => void)[]} */
const listeners = [];
let knocking = false;

/** @param {() => void} hear told when the server answers again */
export function onAnswer(hear) {
  listeners.push(hear);
}

/**
 * Something had no answer: the server is gone if it does not answer a knock either.
 * @returns {Promise<boolean>} whether it was there all the same, and so nobody is told when it answers again
 */
export async function lost() {
  if (knocking || typeof document === "undefined") return false;
  knocking = true;
  const isThere = await answers();
  if (!isThere) {
    const place = $("#away");
    place.textContent = t.serverGone;
    place.hidden = false;
    do await new Promise((resolve) => setTimeout(resolve, KNOCK));
    while (!(await answers()));
    place.hidden = true;
    for (const hear of listeners) hear();
  }
  knocking = false;
  return isThere;
}

async function answers() {
  try {
    return (await ask("/health")).ok;
  } catch {
    return false;
  }
}
