// The list of legal moves, and what is written on the board for each.

import { discs, h, number, short } from "./dom.js";
import { BLACK, squareIndex } from "./rules.js";
import { t } from "./texts.js";

const sources = () => ({
  book: [t.tagBook, t.inTheBook],
  end: [t.tagEnd, t.endsTheGame],
  alternative: [t.tagAlternative, t.bestOutside],
  searched: [t.tagLive, t.searchedNow],
  unknown: ["", t.nothingKnown],
});

/** The moves of a position with the best value there is for each: the book's, or a search's of now. @param {PositionView} view @param {Found | null} found @returns {ValuedMove[]} */
export function valued(view, found) {
  const live = new Map((found?.moves ?? []).map((move) => [move.move, move.value]));
  if (found?.best && live.size === 0) live.set(found.best, found.value);
  const moves = view.moves.map((move) => {
    const searched = move.value == null && live.has(move.move);
    /** @type {ValuedMove["source"]} */
    const source = searched ? "searched" : move.value == null && move.known === "book" ? "unknown" : move.known;
    return { ...move, value: searched ? live.get(move.move) : move.value, source, loss: /** @type {number | null} */ (null) };
  });
  const best = Math.max(...moves.map((move) => move.value ?? -99));
  for (const move of moves) move.loss = move.value == null ? null : best - move.value;
  return moves.sort((a, b) => (b.value ?? -99) - (a.value ?? -99) || (b.statistics?.games ?? 0) - (a.statistics?.games ?? 0));
}

/** Games as [Black won, drawn, White won]. @param {Statistics | null | undefined} statistics @param {number} turn */
export function split(statistics, turn) {
  if (!statistics || statistics.wins + statistics.draws + statistics.losses === 0) return null;
  const { wins, draws, losses } = statistics;
  return turn === BLACK ? [wins, draws, losses] : [losses, draws, wins];
}

/** How many games, and when. @param {Statistics} statistics */
export function played({ games, first_year: first, last_year: last }) {
  if (!first) return t.games(games);
  return `${t.games(games)}, ${first === last ? first : `${first}–${last}`}`;
}

/** @param {ValuedMove} move */
function kind(move) {
  if (move.loss == null) return "unknown";
  if (move.loss < 0.05) return "best";
  if (move.loss < 1.5) return "good";
  return move.loss < 4 ? "fair" : "poor";
}

/** @param {ValuedMove} move */
function spoken(move) {
  const parts = [];
  if (move.value != null) parts.push(`${t.value} ${discs(move.value)}${(move.loss ?? 1) < 0.05 ? `, ${t.best}` : ""}`);
  if (move.statistics) parts.push(t.games(move.statistics.games));
  return parts.join(", ");
}

/** What the board shows on each legal square. @param {ValuedMove[]} moves @param {number} turn @returns {Map<number, import("./board.js").Note>} */
export function notes(moves, turn) {
  return new Map(moves.map((move) => [squareIndex(move.move), {
    text: move.value == null ? "" : discs(move.value),
    kind: `${kind(move)} ${move.source}`,
    split: split(move.statistics, turn),
    spoken: spoken(move),
  }]));
}

/** @param {number[]} parts */
export function bar(parts) {
  const total = parts.reduce((sum, part) => sum + part, 0);
  const share = (/** @type {number} */ part) => `${Math.round((100 * part) / total)}%`;
  const label = t.wonDrawnLost(share(parts[0]), share(parts[1]), share(parts[2]));
  return h("span", { class: "bar", title: label, role: "img", "aria-label": label },
    ["w-black", "w-draw", "w-white"].map((name, place) =>
      h("i", { class: name, style: { "flex-grow": parts[place] } }, parts[place] / total > 0.16 ? share(parts[place]) : "")));
}

/** Rows of buttons, one per move. A button stays the same while what it says changes: a search may change it several times a second. */
export class MoveList {
  /** @param {{ onplay: (move: string) => void, onpoint: (index: number | null) => void }} told */
  constructor({ onplay, onpoint }) {
    this.onplay = onplay;
    this.onpoint = onpoint;
    /** @type {Map<string, any>} */
    this.rows = new Map();
    /** What each row says: most of them say the same from look to look. @type {WeakMap<Element, string>} */
    this.said = new WeakMap();
    this.element = h("ol", { class: "moves", "aria-label": t.legalMoves });
  }

  /** @param {ValuedMove[]} moves @param {number} turn */
  show(moves, turn) {
    this.rows = new Map(moves.map(({ move }) => [move, this.rows.get(move) ?? this.#row(move)]));
    for (const move of moves) {
      const row = this.rows.get(move.move);
      const said = JSON.stringify([turn, move]);
      if (this.said.get(row) === said) continue;
      this.said.set(row, said);
      row.firstChild.className = `move ${kind(move)}`;
      row.firstChild.replaceChildren(...content(move, turn));
    }
    const rows = [...this.rows.values()];
    const same = rows.length === this.element.children.length && rows.every((row, at) => this.element.children[at] === row);
    if (!same) this.element.replaceChildren(...rows);
  }

  /** @param {string} move */
  #row(move) {
    const index = squareIndex(move);
    return h("li", {}, h("button", { type: "button", "data-move": move, "data-key": move, onclick: () => this.onplay(move), onpointerenter: () => this.onpoint(index), onpointerleave: () => this.onpoint(null) }));
  }
}

/** @param {ValuedMove} move @param {number} turn */
function content(move, turn) {
  const parts = split(move.statistics, turn);
  const [tag, meaning] = sources()[move.source];
  return [
    h("span", { class: "name" }, move.move),
    h("span", { class: "value", title: move.level ? t.searchedTo(move.level) : meaning }, move.value == null ? "·" : discs(move.value, 2)),
    parts ? bar(parts) : h("span", { class: "bar none" }),
    h("span", { class: "games" }, move.statistics ? short(move.statistics.games) : ""),
    h("span", { class: "marks" },
      tag && h("span", { class: `tag ${move.source}`, title: meaning }, tag),
      (move.ways_in ?? 0) > 1 && h("span", { class: "ways", title: t.transposition(number(move.ways_in ?? 0)) }, `⇄${move.ways_in}`)),
    ...(move.opening ? [h("span", { class: "leads" }, move.opening)] : []),
  ];
}
