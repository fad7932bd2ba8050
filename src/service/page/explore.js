// Explore: a position, its moves with values and games, the line walked, and its graph.

import * as api from "./api.js";
import { $, announce, discs, h, number, store, svg, toast } from "./dom.js";
import { Files, gameRow } from "./files.js";
import { graph } from "./graph.js";
import { bar, moveList, notes, split, valued } from "./moves.js";
import { BLACK, START, boardText, colour, count, isOver, parseBoard, play, readMoves, result, resultText, squareIndex, squareName } from "./rules.js";

const PAUSE = 120;
const LOOK = { level: 14, seconds: 4 };

export class Explore {
  constructor(app) {
    this.app = app;
    this.start = START;
    this.line = [];
    this.ply = 0;
    // Values seen by Black, by the key of the position.
    this.values = new Map();
    this.engine = store.get("engine", true);
    this.files = new Files((game) => this.#openGame(game));
  }

  enter() {
    const asked = new URLSearchParams(location.search);
    const board = asked.get("board");
    this.start = board && /^[XO-]{64} ?[XO]$/.test(board) ? board : START;
    const { line, wrong } = readMoves(parseBoard(this.start), asked.get("moves") ?? "");
    if (wrong) toast(`The address has an illegal move: ${wrong}.`);
    // Going back keeps what came after.
    const before = this.line.slice(0, line.length).join("") === line.join("");
    if (!before) this.line = line;
    this.ply = line.length;
    this.#build();
    this.#show();
    if (line.length > 0 && this.start === START) this.#fillGraph();
  }

  leave() {
    this.search?.abort();
  }

  // The position after some moves of the line.
  #position(ply = this.ply) {
    return this.line.slice(0, ply).reduce((position, name) => play(position, squareIndex(name)), parseBoard(this.start));
  }

  // What the server is asked for.
  #key(line) {
    if (this.start === START) return line.join("");
    const end = line.reduce((position, name) => play(position, squareIndex(name)), parseBoard(this.start));
    return boardText(end);
  }

  #address() {
    const asked = new URLSearchParams();
    if (this.start !== START) asked.set("board", this.start);
    if (this.ply > 0) asked.set("moves", this.line.slice(0, this.ply).join(""));
    const text = asked.toString();
    return text ? `./?${text}` : "./";
  }

  play(index) {
    const name = squareName(index);
    if (this.line[this.ply] !== name) this.line = [...this.line.slice(0, this.ply), name];
    this.#goto(this.ply + 1);
  }

  point(index) {
    this.app.board.point(index);
    for (const row of document.querySelectorAll(".move")) {
      row.classList.toggle("pointed", index != null && row.dataset.move === squareName(index));
    }
  }

  undo() {
    if (this.ply > 0) this.#goto(this.ply - 1);
  }

  redo() {
    if (this.ply < this.line.length) this.#goto(this.ply + 1);
  }

  restart() {
    this.#goto(0);
  }

  #goto(ply) {
    this.ply = ply;
    history.pushState(null, "", this.#address());
    this.#show();
  }

  load(line, start = START) {
    this.start = start;
    this.line = line;
    this.#goto(line.length);
    if (start === START) this.#fillGraph();
  }

  #openGame(game, ply = 0) {
    const start = game.start ?? START;
    const { line } = readMoves(parseBoard(start), game.moves);
    this.start = start;
    this.line = line;
    this.#goto(ply);
    if (start === START) this.#fillGraph();
    announce(`Game of ${game.black ?? "?"} against ${game.white ?? "?"}`);
  }

  #build() {
    const step = (label, shape, action) => h("button", { type: "button", class: "step", "aria-label": label, title: label, onclick: action },
      svg("svg", { viewBox: "0 0 20 20", "aria-hidden": "true" }, svg("path", { d: shape })));
    const engine = h("button", { type: "button", class: "switch", id: "engine", "aria-pressed": String(this.engine), title: "Search positions that the book has no values for", onclick: () => this.#toggleEngine() }, "Engine");
    $("#controls").replaceChildren(
      h("div", { class: "steps" },
        step("To the start", "M5 4h2v12H5zM16 4v12L8 10z", () => this.restart()),
        step("Take back", "M14 4v12L6 10z", () => this.undo()),
        step("Go on", "M6 4v12l8-6z", () => this.redo()),
        step("To the end", "M13 4h2v12h-2zM4 4v12l8-6z", () => this.#goto(this.line.length))),
      engine,
      h("button", { type: "button", class: "plain", id: "share", onclick: () => this.#share() }, "Copy link"));
    const transcript = h("input", { id: "transcript", name: "transcript", type: "text", autocomplete: "off", spellcheck: "false", placeholder: "Paste a game, or name an opening", "aria-label": "A transcript, a board or the name of an opening" });
    const form = h("form", { class: "paste" }, transcript, h("button", { type: "submit" }, "Show"));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#paste(transcript.value);
      transcript.value = "";
    });
    this.place = {
      title: h("h1", { class: "opening", id: "opening" }),
      facts: h("p", { class: "facts" }),
      total: h("div", { class: "total" }),
      moves: h("div", { class: "moves-place", id: "moves" }),
      path: h("ol", { class: "path", id: "path", "aria-label": "Moves so far" }),
      status: h("p", { class: "search-status", id: "search" }),
      samples: h("section", { class: "samples", id: "samples", "aria-label": "Games of the book from here" }),
    };
    $("#panel").replaceChildren(
      h("div", { class: "heading" }, this.place.title, this.place.facts, this.place.total),
      this.place.moves, this.place.status, this.place.path, this.place.samples, form, this.files.element);
  }

  async #show() {
    const position = this.#position();
    const last = this.ply > 0 ? squareIndex(this.line[this.ply - 1]) : null;
    this.app.board.lock(false);
    this.app.board.show(position, last);
    this.#players(position);
    this.#path();
    this.#drawGraph();
    this.search?.abort();
    const key = this.#key(this.line.slice(0, this.ply));
    const ready = api.knownPosition(key);
    if (ready) this.#shown(position, key, ready);
    const mine = (this.asking = {});
    const view = ready ?? (await api.position(key));
    if (this.asking !== mine || this.app.view !== this) return;
    if (!ready) this.#shown(position, key, view);
    api.prefetch(view.moves.map((move) => this.#key([...this.line.slice(0, this.ply), move.move])));
    this.#samples(key, view, mine);
    if (this.engine && view.moves.some((move) => move.value == null)) this.#look(position, key, view);
  }

  // Games that went through here; at the start that is all of them, and says nothing.
  async #samples(key, view, mine) {
    const some = this.ply > 0 && view.statistics ? await api.sampleGames(key).catch(() => null) : null;
    if (this.asking !== mine) return;
    const { games, total } = some ?? { games: [], total: 0 };
    const ply = this.ply;
    const rows = games.map((game) => gameRow(game, () => this.#openGame(game, ply)));
    const title = games.length < total ? `${games.length} of ${number(total)} games` : "Games";
    this.place.samples.replaceChildren(...(rows.length ? [h("h2", {}, title), h("ul", { class: "game-list" }, rows)] : []));
  }

  #shown(position, key, view, found = null) {
    const moves = valued(view, found);
    this.app.board.notes(notes(moves, position.turn));
    const best = moves.find((move) => move.value != null);
    const value = view.over ? result(position) : view.node?.value ?? best?.value;
    if (value != null) {
      this.values.set(key, view.over || position.turn === BLACK ? value : -value);
      this.#drawGraph();
    }
    this.#facts(position, view, value, found);
    this.place.moves.replaceChildren(moveList(moves, position.turn, {
      onplay: (index) => this.play(index),
      onpoint: (index) => this.point(index),
    }));
    if (!found) this.place.status.textContent = "";
    if (!found) announce(this.#spoken(position, view, value));
  }

  #facts(position, view, value, found) {
    const name = view.opening ?? (this.ply === 0 ? "The start" : view.over ? "The end" : view.in_book ? "Unnamed line" : "Out of book");
    this.place.title.textContent = name;
    this.place.title.classList.toggle("unnamed", !view.opening);
    document.title = view.opening ? `${view.opening} · Emilia` : "Emilia";
    const facts = [];
    if (view.over) facts.push(resultText(result(position)));
    else {
      facts.push(`${colour(position.turn)} to move`);
      if (value != null) facts.push(h("strong", { title: found ? "searched just now" : "seen by the player to move" }, discs(value, 2)));
      if (view.node?.bounds[0] === view.node?.bounds[1] && view.node) facts.push("proven");
      if (view.ways_in > 1) facts.push(h("span", { class: "ways", title: "This position is reached in several ways" }, `⇄ ${view.ways_in} ways in`));
      if (!view.settled) facts.push("values are being updated");
    }
    this.place.facts.replaceChildren(...facts.flatMap((fact, place) => (place ? [" · ", fact] : [fact])));
    const parts = split(view.statistics, position.turn);
    const { statistics } = view;
    this.place.total.replaceChildren(...(parts
      ? [bar(parts), h("span", { class: "games" }, `${number(statistics.games)} games${statistics.first_year ? `, ${years(statistics)}` : ""}`)]
      : []));
  }

  #spoken(position, view, value) {
    const move = this.ply > 0 ? `${this.line[this.ply - 1]} played. ` : "";
    if (view.over) return `${move}${resultText(result(position))}.`;
    const opening = view.opening ? `${view.opening}. ` : "";
    return `${move}${opening}${colour(position.turn)} to move${value == null ? "" : `, value ${discs(value)}`}.`;
  }

  #players(position) {
    const { black, white } = count(position);
    const over = isOver(position);
    const side = (name, discsOf, turn) => h("span", { class: `player ${name} ${!over && position.turn === turn ? "turn" : ""}` }, h("i", { class: `chip ${name}` }), String(discsOf));
    $("#players").replaceChildren(side("black", black, 1), side("white", white, 2));
  }

  #path() {
    let position = parseBoard(this.start);
    const items = this.line.map((name, place) => {
      const turn = position.turn;
      position = play(position, squareIndex(name));
      return h("li", { class: place >= this.ply ? "ahead" : "" },
        h("button", { type: "button", class: `ply ${turn === BLACK ? "black" : "white"}`, "aria-current": place + 1 === this.ply ? "step" : null, onclick: () => this.#goto(place + 1) }, name));
    });
    this.place.path.replaceChildren(...items);
    this.place.path.hidden = items.length === 0;
    const current = $('[aria-current="step"]', this.place.path);
    if (current) this.place.path.scrollTo({ left: current.offsetLeft - this.place.path.clientWidth / 2 });
  }

  #drawGraph() {
    const values = [...Array(this.line.length + 1).keys()].map((ply) => this.values.get(this.#key(this.line.slice(0, ply))) ?? null);
    graph($("#graph"), { values, at: this.ply, onpick: (ply) => this.#goto(ply) });
  }

  async #fillGraph() {
    const moves = this.line.join("");
    const { steps } = await api.line(moves);
    steps.forEach((step, ply) => {
      const key = moves.slice(0, 2 * ply);
      if (step.black_value != null && !this.values.has(key)) this.values.set(key, step.black_value);
    });
    if (this.app.view === this && this.line.join("") === moves) this.#drawGraph();
  }

  async #look(position, key, view) {
    const search = (this.search = new AbortController());
    await new Promise((done) => setTimeout(done, PAUSE));
    if (search.signal.aborted) return;
    const place = this.start === START ? { moves: key } : { board: key };
    try {
      await api.analyse({ ...place, ...LOOK, best_of: view.moves.length }, search.signal, (found, done) => {
        if (search.signal.aborted || found.depth < 2) return;
        this.#shown(position, key, view, found);
        const how = found.solved ? "solved" : `depth ${found.depth}`;
        this.place.status.textContent = `${done ? "Searched" : "Searching"}: ${how}, ${number(found.nodes)} positions`;
        this.place.status.classList.toggle("busy", !done);
      });
    } catch (error) {
      if (error.name === "AbortError" || search.signal.aborted) return;
      this.place.status.textContent = error.message;
    }
  }

  async #paste(text) {
    const board = text.trim().replace(/\s+/g, " ");
    if (/^[XO-]{64} ?[XO]$/.test(board)) return this.load([], board);
    const { line, wrong } = readMoves(parseBoard(START), text);
    if (line.length === 0 && wrong) {
      const { openings } = await api.openings(text.trim());
      if (openings.length > 0) return this.load(openings[0].moves.match(/../g));
    }
    if (line.length > 0 || !wrong) this.load(line);
    if (wrong) toast(`${line.length ? `Move ${line.length + 1}, ` : ""}“${wrong}” is neither a legal move nor an opening.`);
  }

  #toggleEngine() {
    this.engine = !this.engine;
    store.set("engine", this.engine);
    $("#engine").setAttribute("aria-pressed", String(this.engine));
    this.#show();
  }

  async #share() {
    const address = new URL(this.#address(), location.href).href;
    try {
      await navigator.clipboard.writeText(address);
      toast("The link is in the clipboard.");
    } catch {
      toast(address);
    }
  }
}

function years({ first_year: first, last_year: last }) {
  return first === last ? String(first) : `${first}–${last}`;
}
