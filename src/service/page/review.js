// After a game: what each move was worth, what would have been better, and from where to try again.

import { button, discs, h } from "./dom.js";
import { analyse } from "./lines.js";
import { BLACK, other } from "./rules.js";
import { grade } from "./session.js";
import { t } from "./texts.js";

/** @typedef {import("./tree.js").Node} Node */

const EFFORT = { level: 10, seconds: 2, lines: 1, beside: true };
const COSTLIEST = 6;

/** Searches every position of the line, from the end to the start: the end is solved at once, and what was found there helps before it. The best line of each. @param {import("./session.js").Session} session @param {AbortSignal} signal @param {(done: number) => void} tell */
export async function searchLine(session, signal, tell) {
  /** @type {Map<Node, string>} */
  const best = new Map();
  const nodes = [session.tree.root, ...session.tree.root.onward()];
  for (let at = nodes.length - 1; at >= 0; at--) {
    const node = nodes[at];
    if (!node.over) {
      const found = await analyse({ position: node.position, ...EFFORT }, signal, () => undefined);
      if (signal.aborted) return null;
      if (found) {
        session.learn(node, found.value);
        best.set(node, found.line);
      }
    }
    tell(nodes.length - at);
  }
  return best;
}

/** @param {import("./session.js").Session} session @param {Map<Node, string>} best @param {{ you: number, opponent: string, ontry: (node: Node) => void }} game */
export function verdict(session, best, { you, opponent, ontry }) {
  const moves = session.tree.root.onward();
  const mean = (/** @type {number} */ side) => {
    const own = moves.filter((node) => node.by === side).map((node) => session.loss(node) ?? 0);
    return own.length ? own.reduce((sum, loss) => sum + loss, 0) / own.length : 0;
  };
  const costly = moves.map((node) => ({ node, loss: session.loss(node) ?? 0 })).filter(({ loss }) => loss >= 1).sort((a, b) => b.loss - a.loss).slice(0, COSTLIEST);
  const row = (/** @type {{ node: Node, loss: number }} */ { node, loss }) => {
    const before = /** @type {Node} */ (node.parent);
    const better = best.get(before)?.match(/../g)?.slice(0, 6).join(" ");
    return h("li", { class: `cost ${grade(loss)}` },
      h("button", { type: "button", class: "game", onclick: () => session.go(node) },
        h("i", { class: `chip ${node.by === BLACK ? "black" : "white"}` }),
        h("span", {}, `${t.moveNumber(node.ply)}, ${node.move}`), h("b", {}, discs(-loss))),
      better && h("p", { class: "dim" }, t.better(better)),
      node.by === you && button(t.tryAgainHere, () => ontry(before)));
  };
  return h("div", { id: "reviewed" },
    h("p", { class: "summary" }, t.lostPerMove(mean(you).toFixed(2), opponent, mean(other(you)).toFixed(2)), " ", costly.length ? t.costliest : t.nothingLost),
    h("ol", { class: "losses" }, costly.map(row)));
}
