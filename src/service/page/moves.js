// The list of legal moves, and what is written on the board for each.

import { BLACK, squareIndex } from "./rules.js";
import { discs, h, number, short } from "./dom.js";

const SOURCES = {
  book: ["book", "in the book"],
  end: ["end", "ends the game"],
  alternative: ["alt", "the best move outside the book"],
  searched: ["live", "searched just now"],
  unknown: ["", "nothing known"],
};

// The moves of a position with the best value there is for each: the book's, or a search's of now.
export function valued(view, found) {
  const live = new Map((found?.moves ?? []).map((move) => [move.move, move.value]));
  if (found?.best && live.size === 0) live.set(found.best, found.value);
  const moves = view.moves.map((move) => {
    const searched = move.value == null && live.has(move.move);
    return {
      ...move,
      value: searched ? live.get(move.move) : move.value,
      source: searched ? "searched" : move.value == null && move.known === "book" ? "unknown" : move.known,
    };
  });
  const best = Math.max(...moves.filter((move) => move.value != null).map((move) => move.value));
  for (const move of moves) move.loss = move.value == null ? null : best - move.value;
  return moves.sort((a, b) => (b.value ?? -99) - (a.value ?? -99) || (b.statistics?.games ?? 0) - (a.statistics?.games ?? 0));
}

// Games as [Black won, drawn, White won].
export function split(statistics, turn) {
  if (!statistics || statistics.wins + statistics.draws + statistics.losses === 0) return null;
  const { wins, draws, losses } = statistics;
  return turn === BLACK ? [wins, draws, losses] : [losses, draws, wins];
}

function kind(move) {
  if (move.value == null) return "unknown";
  if (move.loss < 0.05) return "best";
  if (move.loss < 1.5) return "good";
  return move.loss < 4 ? "fair" : "poor";
}

function spoken(move) {
  const parts = [];
  if (move.value != null) parts.push(`value ${discs(move.value)}${move.loss < 0.05 ? ", best" : ""}`);
  if (move.statistics) parts.push(`${number(move.statistics.games)} games`);
  return parts.join(", ");
}

// What the board shows on each legal square.
export function notes(moves, turn) {
  return new Map(moves.map((move) => [squareIndex(move.move), {
    text: move.value == null ? "" : discs(move.value),
    kind: `${kind(move)} ${move.source}`,
    split: split(move.statistics, turn),
    spoken: spoken(move),
  }]));
}

export function bar(parts) {
  const total = parts.reduce((sum, part) => sum + part, 0);
  const share = (part) => `${Math.round((100 * part) / total)}%`;
  const label = `Black won ${share(parts[0])}, drawn ${share(parts[1])}, White won ${share(parts[2])}`;
  return h("span", { class: "bar", title: label, role: "img", "aria-label": label },
    ["w-black", "w-draw", "w-white"].map((name, place) =>
      h("i", { class: name, style: { "flex-grow": parts[place] } }, parts[place] / total > 0.16 ? share(parts[place]) : "")));
}

// Rows of buttons, one per move.
export function moveList(moves, turn, { onplay, onpoint }) {
  const rows = moves.map((move) => {
    const index = squareIndex(move.move);
    const parts = split(move.statistics, turn);
    const [tag, meaning] = SOURCES[move.source];
    return h("li", {},
      h("button", {
        type: "button",
        class: `move ${kind(move)}`,
        "data-move": move.move,
        onclick: () => onplay(index),
        onpointerenter: () => onpoint(index),
        onpointerleave: () => onpoint(null),
      },
      h("span", { class: "name" }, move.move),
      h("span", { class: "value", title: move.level ? `searched to ${move.level}` : meaning }, move.value == null ? "·" : discs(move.value, 2)),
      parts ? bar(parts) : h("span", { class: "bar none" }),
      h("span", { class: "games" }, move.statistics ? short(move.statistics.games) : ""),
      h("span", { class: "marks" },
        tag && h("span", { class: `tag ${move.source}`, title: meaning }, tag),
        move.ways_in > 1 && h("span", { class: "ways", title: `${move.ways_in} positions of the book lead there: a transposition` }, `⇄${move.ways_in}`)),
      move.opening && h("span", { class: "leads" }, move.opening)));
  });
  return h("ol", { class: "moves", "aria-label": "Legal moves" }, rows);
}
