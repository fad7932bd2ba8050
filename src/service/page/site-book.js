// A book without a server: the file that `emilia export-site` writes (book/exchange/site.rs), read
// as a whole, and what the server would say of its positions.

import { BLACK, START, boardText, isOver, legalMoves, parseBoard, play, result, squareIndex, squareName } from "./rules.js";

const MAGIC = "EMILIAPG";
const NO_VALUE = -32768;
const NO_SQUARE = 64;
const NO_LEVEL = 255;
const ORIGINS = ["game", "expansion", "import"];

// The symmetries in the order of the book's own code: columns mirrored, rows mirrored, transposed.
const SYMMETRIES = [...Array(8).keys()].map((symmetry) => [...Array(64).keys()].map((square) => {
  let [column, row] = [square % 8, square >> 3];
  if (symmetry & 1) column = 7 - column;
  if (symmetry & 2) row = 7 - row;
  if (symmetry & 4) [column, row] = [row, column];
  return row * 8 + column;
}));

/** @param {number[]} a @param {number[]} b */
function compare(a, b) {
  for (let place = 0; place < 4; place++) if (a[place] !== b[place]) return a[place] - b[place];
  return 0;
}

/** The name of a position in the book, the same for all its images, and the symmetry that leads there. @param {Position} position */
function keyOf({ cells, turn }) {
  /** @type {{ words: number[], symmetry: number } | null} */
  let best = null;
  SYMMETRIES.forEach((places, symmetry) => {
    // Occupied squares and the mover's discs, each as a high and a low half.
    const words = [0, 0, 0, 0];
    cells.forEach((cell, square) => {
      if (!cell) return;
      const place = places[square];
      const half = place >= 32 ? 0 : 1;
      words[half] |= 1 << (place & 31);
      if (cell === turn) words[2 + half] |= 1 << (place & 31);
    });
    const plain = words.map((word) => word >>> 0);
    if (!best || compare(plain, best.words) < 0) best = { words: plain, symmetry };
  });
  const discs = cells.filter((cell) => cell).length;
  return { .../** @type {{ words: number[], symmetry: number }} */ (/** @type {unknown} */ (best)), discs };
}

/** @param {number} turn */
const side = (turn) => (turn === BLACK ? "black" : "white");
/** @param {number} centidiscs */
const discs = (centidiscs) => centidiscs / 100;

export class SiteBook {
  /** @param {URL} address */
  static async fetch(address) {
    const response = await fetch(address);
    if (!response.ok || !response.body) throw new Error(`the book cannot be fetched: ${response.status}`);
    const packed = new Uint8Array(await response.arrayBuffer());
    // A host may have unpacked it on the way.
    const isPacked = packed[0] === 0x1f && packed[1] === 0x8b;
    const stream = new Blob([packed]).stream();
    const bytes = isPacked ? new Response(stream.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer() : packed.buffer;
    return new SiteBook(await bytes);
  }

  /** @param {ArrayBuffer} buffer */
  constructor(buffer) {
    const bytes = new Uint8Array(buffer);
    const text = new TextDecoder();
    if (text.decode(bytes.subarray(0, 8)) !== MAGIC) throw new Error("the book's file is damaged");
    const length = new DataView(buffer).getUint32(8, true);
    const header = JSON.parse(text.decode(bytes.subarray(12, 12 + length)));
    this.layers = header.layers;
    this.levels = header.levels;
    this.stats = header.stats;
    this.all = header.openings;
    /** A number for each position, by the name of the column. @type {Record<string, Int32Array | Uint32Array>} */
    this.columns = {};
    let at = 12 + length;
    for (const { name, bytes: width, signed } of header.columns) {
      const column = signed ? new Int32Array(header.positions) : new Uint32Array(header.positions);
      const unused = 32 - 8 * width;
      // The low bytes of all positions, then the next ones: that packs best.
      for (let byte = 0; byte < width; byte++) {
        for (let place = 0; place < header.positions; place++) column[place] |= bytes[at++] << (8 * byte);
      }
      if (signed) for (let place = 0; place < header.positions; place++) column[place] = (column[place] << unused) >> unused;
      this.columns[name] = column;
    }
    this.keys = ["occupied_high", "occupied_low", "mover_high", "mover_low"].map((name) => this.columns[name]);
    /** @type {Map<string, string>} */
    this.names = new Map(this.all.map((/** @type {Opening} */ { name, moves }) => {
      const end = (moves.match(/../g) ?? []).reduce((/** @type {any} */ position, move) => play(position, squareIndex(move)), parseBoard(START));
      return [keyOf(end).words.join(), name];
    }));
  }

  /** Where a position is in the columns; -1 if the book does not have it. @param {{ words: number[], discs: number }} key */
  #find({ words, discs: layer }) {
    let [low, high] = [this.layers[layer], this.layers[layer + 1]];
    while (low < high) {
      const middle = (low + high) >> 1;
      const order = compare(this.keys.map((column) => column[middle]), words);
      if (order === 0) return middle;
      if (order < 0) low = middle + 1;
      else high = middle;
    }
    return -1;
  }

  /** What the book has on a position, squares as they were asked; null if it does not have it. @param {Position} position */
  #record(position) {
    const key = keyOf(position);
    const place = this.#find(key);
    if (place < 0) return null;
    /** @param {string} name */
    const at = (name) => this.columns[name][place];
    /** @param {number} square */
    const asAsked = (square) => (square === NO_SQUARE ? null : SYMMETRIES[key.symmetry].indexOf(square));
    /** @param {number} level */
    const levelName = (level) => (level === NO_LEVEL ? null : this.levels[level]);
    /** @param {number} value */
    const known = (value) => (value === NO_VALUE ? null : value);
    return {
      value: known(at("value")),
      bounds: [at("lower"), at("upper")],
      best: asAsked(at("best")),
      leadsOn: (at("flags") & 4) !== 0,
      origin: ORIGINS[at("flags") & 3],
      level: levelName(at("level")),
      alternative: { square: asAsked(at("alternative")), value: known(at("alternative_value")), level: levelName(at("alternative_level")) },
      ways: at("ways"),
      statistics: at("games") === 0 ? null : {
        games: at("games"), wins: at("wins"), draws: at("draws"), losses: at("losses"), sum: at("disc_sum"),
        years: at("first_year") ? [at("first_year"), at("last_year")] : null,
      },
    };
  }

  /** @param {Position} position */
  #name(position) {
    return this.names.get(keyOf(position).words.join()) ?? null;
  }

  /** What people call a line, or a position where no line is known. @param {Position} position @param {string[] | null} line */
  #opening(position, line) {
    if (!line) return this.#name(position);
    /** @type {string | null} */
    let named = null;
    let here = parseBoard(START);
    for (const move of line) {
      here = /** @type {Position} */ (play(here, squareIndex(move)));
      named = this.#name(here) ?? named;
    }
    return named;
  }

  /** As `/api/v1/position` answers. @param {{ position: Position, line: string[] | null }} asked @returns {any} */
  position({ position, line }) {
    const record = this.#record(position);
    const over = isOver(position);
    const moves = legalMoves(position).map((square) => this.#move(position, square, record));
    const rank = (/** @type {any} */ move) => [move.square === record?.best ? 1 : 0, move.centidiscs ?? -Infinity, move.statistics?.games ?? 0];
    moves.sort((a, b) => {
      const [first, second] = [rank(a), rank(b)];
      const place = first.findIndex((value, at) => value !== second[at]);
      return place < 0 ? a.square - b.square : second[place] - first[place];
    });
    return {
      position: boardText(position),
      line: line && line.join(""),
      opening: this.#opening(position, line),
      turn: side(position.turn),
      over,
      result: over ? result(position) : null,
      in_book: record != null,
      node: record && {
        value: record.value == null ? null : discs(record.value),
        bounds: record.bounds,
        leads_on: record.leadsOn,
        origin: record.origin,
        level: record.level,
      },
      best: record?.best == null ? null : squareName(record.best),
      ways_in: record?.ways ?? null,
      statistics: record?.statistics ? statistics(record.statistics, false) : null,
      moves: moves.map(({ square, centidiscs, ...move }) => move),
      settled: true,
    };
  }

  /** @param {Position} position @param {number} square @param {any} above */
  #move(position, square, above) {
    const next = /** @type {Position} */ (play(position, square));
    const turns = next.turn !== position.turn;
    /** @type {any} */
    const move = { square, move: squareName(square), known: "unknown", bounds: [-64, 64], leads_on: false };
    if (isOver(next)) {
      const score = position.turn === BLACK ? result(next) : -result(next);
      return { ...move, known: "end", centidiscs: 100 * score, value: score, bounds: [score, score] };
    }
    const child = this.#record(next);
    const opening = this.#name(next);
    if (opening) move.opening = opening;
    if (child) {
      const [lower, upper] = child.bounds;
      Object.assign(move, { known: "book", bounds: turns ? [-upper, -lower] : [lower, upper], leads_on: child.leadsOn, ways_in: child.ways });
      if (child.value != null) move.centidiscs = turns ? -child.value : child.value;
      if (child.level) move.level = child.level;
      if (child.statistics) move.statistics = statistics(child.statistics, turns);
    }
    // Until its position has a value, what a search said of the move stands.
    if (move.centidiscs == null && above?.alternative.square === square) {
      if (move.known === "unknown") move.known = "alternative";
      move.centidiscs = above.alternative.value;
      move.level = above.alternative.level;
    }
    if (move.centidiscs != null) move.value = discs(move.centidiscs);
    return move;
  }

  /** As `/api/v1/line` answers. @param {{ position: Position, line: string[] | null }} asked */
  line({ position, line }) {
    /** @type {any[]} */
    const steps = [];
    const step = (/** @type {Position} */ here, /** @type {string | null} */ move, /** @type {number | null} */ by) => {
      const over = isOver(here);
      const record = over ? null : this.#record(here);
      const seen = record?.value == null ? null : discs(here.turn === BLACK ? record.value : -record.value);
      const value = over ? result(here) : seen;
      const before = steps.at(-1)?.black_value ?? null;
      const loss = move == null || before == null || value == null ? null : by === BLACK ? before - value : value - before;
      steps.push({
        move, by: by && side(by), position: boardText(here), turn: side(here.turn), in_book: record != null, black_value: value,
        exact: over || (record != null && record.bounds[0] === record.bounds[1]),
        best: record?.best == null ? null : squareName(record.best), loss, games: record?.statistics?.games ?? 0,
      });
    };
    if (line) {
      let here = parseBoard(START);
      step(here, null, null);
      for (const move of line) {
        const by = here.turn;
        here = /** @type {Position} */ (play(here, squareIndex(move)));
        step(here, move, by);
      }
    } else step(position, null, null);
    return { steps, because: this.#because(position) };
  }

  /** What a value rests on: the best moves down to the search, or the end, that it comes from. @param {Position} position */
  #because(position) {
    const reasons = [];
    for (let here = /** @type {Position | null} */ (position); here; ) {
      const record = this.#record(here);
      if (!record) break;
      const [rests, level] = this.#support(here, record);
      reasons.push({
        position: boardText(here), turn: side(here.turn), move: record.best == null || rests === "nothing" ? null : squareName(record.best),
        black_value: record.value == null ? null : discs(here.turn === BLACK ? record.value : -record.value), rests_on: rests, level, origin: record.origin,
      });
      here = rests === "book" ? play(here, /** @type {number} */ (record.best)) : null;
    }
    return reasons;
  }

  /** @param {Position} position @param {any} record @returns {[string, string | null]} */
  #support(position, record) {
    if (record.best == null) return record.value != null && record.level ? ["evaluation", record.level] : ["nothing", null];
    const next = play(position, record.best);
    if (!next) return ["nothing", null];
    if (isOver(next)) return ["end", null];
    if (this.#record(next)?.value != null) return ["book", null];
    return record.alternative.square === record.best ? ["alternative", record.alternative.level] : ["nothing", null];
  }

  /** Those whose name, or another name, contains this. @param {string} name @returns {Opening[]} */
  openings(name) {
    const wanted = name.toLowerCase();
    return this.all.filter((/** @type {Opening} */ opening) => [opening.name, ...opening.also].some((known) => known.toLowerCase().includes(wanted)));
  }
}

/** Games of people, seen by the other player where the turn changed. @param {any} found @param {boolean} turned */
function statistics({ games, wins, draws, losses, sum, years }, turned) {
  const decided = wins + draws + losses;
  return {
    games,
    wins: turned ? losses : wins,
    draws,
    losses: turned ? wins : losses,
    average_discs: decided ? (turned ? -sum : sum) / decided : null,
    first_year: years?.[0] ?? null,
    last_year: years?.[1] ?? null,
  };
}
