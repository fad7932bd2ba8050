// Explore: the analysis board. A position with what the book and the engine say of it, the tree of
// variations that was walked, and its graph.

import { Address } from "./address.js";
import * as api from "./api.js";
import { Editor } from "./editor.js";
import { EngineLines } from "./engine-lines.js";
import { afterwards, leftOff, painted, pause } from "./errands.js";
import { EvalBar } from "./evalbar.js";
import { Files } from "./files.js";
import { Find } from "./find.js";
import { gameRow } from "./game-list.js";
import { $, announce, button, discs, h, icon, number, redraw, tab, toast } from "./dom.js";
import { graph } from "./graph.js";
import { MoveList, bar, notes, played, split, valued } from "./moves.js";
import { gamesIn, isList, readText } from "./notation.js";
import { playersBar } from "./players-bar.js";
import { searchLine } from "./review.js";
import { BLACK, START, boardText, legalMoves, readBoard, result, squareIndex, squareName } from "./rules.js";
import { Session } from "./session.js";
import { Share } from "./share.js";
import { click } from "./sound.js";
import { t } from "./texts.js";
import { SERVER } from "./transport.js";
import { Tree } from "./tree.js";
import { TreeView } from "./tree-view.js";
import { Why } from "./why.js";

const SAMPLES = 6;
/** Names of openings are shorter. */
const LONGEST_NAME = 80;
/** While values are being updated, they are looked at again after so many milliseconds. */
const UPDATED = 6000;

/** @implements {View} */
export class Explore {
  /** @param {import("./app.js").App} app */
  constructor(app) {
    this.app = app;
    this.session = new Session(() => this.#changed());
    /** Who played the game that is on the board. @type {import("./notation.js").Heading | null} */
    this.game = null;
    this.address = new Address();
    /** The tree as it was when its address was written. */
    this.written = "";
    /** Which games are counted. @type {import("./api.js").Among} */
    this.among = {};
    /** @type {PositionView | null} */
    this.view = null;
    /** @type {Editor | null} */
    this.editor = null;
    this.arriving = false;
    const { session } = this;
    this.bar = new EvalBar();
    this.whole = button(t.analyseLine, () => this.#analyseLine(), { id: "analyse-line" });
    this.tree = new TreeView(session, { more: [this.whole, button(t.startAnew, () => this.#open(new Tree()), { id: "anew" })] });
    /** Variations outlive a reload. */
    this.saved = afterwards(() => tab.set("tree", { start: session.tree.start, text: session.tree.text(), game: this.game }));
    this.tree.onwritten = () => this.saved.ask();
    this.why = new Why((moves) => this.#playLine(moves));
    this.engine = new EngineLines({
      onfound: (found) => this.view && this.#shown(this.view, found),
      onplay: (moves) => this.#playLine(moves),
      onswitch: () => this.#show(),
    });
    this.share = new Share(session, () => this.game ?? {});
    this.files = new Files((game) => this.openGame(game));
    this.find = new Find((text) => this.paste(text), (opening) => this.#open(Tree.ofLine(opening.moves)));
    this.title = h("h1", { class: "opening", id: "opening" });
    this.facts = h("p", { class: "facts", id: "facts" });
    this.total = h("div", { class: "total" });
    this.list = new MoveList({ onplay: (move) => session.play(move), onpoint: (index) => this.point(index) });
    this.moves = h("div", { class: "moves-place", id: "moves" }, this.list.element);
    this.samples = h("section", { class: "samples", id: "samples", "aria-label": t.gamesFromHere });
    this.filter = this.#filter();
    this.#restore();
    /** The tree that `game` is about. */
    this.opened = session.tree;
  }

  /** Statistics of some games only. */
  #filter() {
    const field = (/** @type {string} */ id, /** @type {"years" | "player"} */ what, /** @type {string} */ label, /** @type {string} */ hint) =>
      h("label", {}, h("span", {}, label), h("input", { type: "text", id, autocomplete: "off", placeholder: hint, onchange: (/** @type {any} */ event) => {
        this.among[what] = event.target.value.trim();
        this.#show();
      } }));
    return h("details", { class: "fold", id: "among" }, h("summary", {}, t.countOnly), h("div", { class: "filter-row" },
      field("among-years", "years", t.years, "2000-2015"), field("among-player", "player", t.player, "")));
  }

  enter() {
    this.arriving = true;
    const asked = new URLSearchParams(location.search);
    const board = asked.get("board");
    const shared = new URLSearchParams(location.hash.slice(1)).get("tree");
    if (shared) asked.set("tree", shared);
    const wrong = this.session.openAddress(asked, history.state?.tree);
    this.arriving = false;
    if (board && !readBoard(board)) toast(t.boardInAddress);
    else if (wrong) toast(t.illegalInAddress(wrong));
    this.#fillGraph();
  }

  leave() {
    this.address.flush();
    this.#edit(false);
    this.session.leave();
    this.files.errands.stopAll();
  }

  /** What was asked meanwhile was not answered. A board that is being set up asks nothing. */
  again() {
    if (!this.editor) this.#show();
  }

  /** Somebody else searches from now on. */
  searchAgain() {
    if (!this.editor) this.engine.again();
  }

  /** @param {number} index */
  play(index) {
    if (this.editor) return this.editor.put(index);
    if (this.session.play(squareName(index))) click(this.session.at.by);
  }

  /** @param {number | null} index */
  point(index) {
    this.app.board.point(index);
    for (const row of this.moves.querySelectorAll(".move")) {
      row.classList.toggle("pointed", index != null && row.dataset.move === squareName(index));
    }
  }

  back() {
    return this.session.back();
  }

  takeBack() {
    this.session.back();
  }

  on() {
    return this.session.on();
  }

  first() {
    this.session.first();
  }

  last() {
    this.session.last();
  }

  /** To the side line before or after this one; false where there is none. @param {number} step */
  beside(step) {
    const siblings = this.session.at.parent?.children ?? [];
    const next = siblings[siblings.indexOf(this.session.at) + step];
    if (next) this.session.go(next);
    return Boolean(next);
  }

  /** @param {string[]} moves */
  #playLine(moves) {
    this.session.go(this.session.tree.addLine(this.session.at, moves));
  }

  /** @param {Tree} tree @param {{ at?: import("./tree.js").Node, game?: import("./notation.js").Heading | null }} [how] */
  #open(tree, { at, game = null } = {}) {
    this.game = game;
    // One comes back from it to what was there before, even if that was the same.
    this.written = "";
    this.session.open(tree, at);
    this.#fillGraph();
  }

  /** A game of a list, seen after some of its moves. @param {GameView} game @param {number} [ply] */
  openGame(game, ply = 0) {
    const tree = Tree.ofLine(game.moves, game.start ?? START);
    const { black, white, event, year } = game;
    this.#open(tree, { at: [tree.root, ...tree.root.onward()][ply], game: { black, white, event, year } });
    announce(t.gameOf(game.black ?? "?", game.white ?? "?"));
  }

  /** Whatever somebody pastes. @param {string} text */
  async paste(text) {
    if (text.trim() === "") return this.#open(new Tree());
    if (text.includes("(;") && gamesIn(text) > 1) return this.files.read([new File([text], t.pasted)]);
    const read = readText(text);
    if (read?.wrong && isList(text)) return this.files.read([new File([text], t.pasted)]);
    if (read) this.#open(read.tree, { game: read.heading });
    if (read?.wrong) return toast(t.illegalMove(read.at, read.wrong));
    if (read) return;
    const name = text.trim();
    const { openings } = name.length > LONGEST_NAME ? { openings: [] } : await api.openings(name);
    if (openings.length > 0) this.#open(Tree.ofLine(openings[0].moves));
    else toast(t.notFound(name.slice(0, 20)));
  }

  /** Somebody moved, or changed the tree. */
  #changed() {
    this.#edit(false);
    const address = `./${this.session.address()}`;
    const tree = this.session.tree.text();
    // Walking along a tree is nothing to go back from.
    const push = !this.arriving && tree !== this.written;
    this.written = tree;
    // Who arrives at another tree arrives at its players.
    if (this.arriving && this.session.tree !== this.opened) this.game = history.state?.game ?? null;
    this.opened = this.session.tree;
    const state = { tree, game: this.game };
    if (this.arriving) this.address.arrive(address, state);
    else this.address.write(address, state, push);
    this.app.remember("explore", address);
    this.saved.ask();
    this.#show();
  }

  #restore() {
    const { start, text, game } = tab.get("tree", {});
    if (!readBoard(String(start)) || typeof text !== "string") return;
    this.session.tree = Tree.read(text, start);
    this.session.at = this.session.tree.root;
    this.game = game ?? null;
  }

  #build() {
    const controls = h("div", { class: "steps" },
      icon(t.toStart, "M5 4h2v12H5zM16 4v12L8 10z", () => this.first()),
      icon(t.back, "M14 4v12L6 10z", () => this.back()),
      icon(t.on, "M6 4v12l8-6z", () => this.on()),
      icon(t.toEnd, "M13 4h2v12h-2zM4 4v12l8-6z", () => this.last()),
      icon(`${t.turnBoard} (f)`, "M6 3 2.5 7H5v9h2V7h2.5zM14 17l3.5-4H15V4h-2v9h-2.5z", () => this.app.turn(), { id: "turn" }));
    this.playHere = h("a", { class: "plain", "data-inside": true, id: "play-here" }, t.playFromHere);
    $("#controls").replaceChildren(controls, button(t.setUp, () => this.#edit(true), { id: "edit" }), this.playHere);
    $("#beside").replaceChildren(this.bar.element);
    $("#panel").replaceChildren(
      h("div", { class: "heading" }, this.title, this.facts, this.total),
      this.moves, this.engine.element, this.tree.element, this.why.element, this.samples,
      ...(SERVER ? [this.filter] : []), this.share.element, this.files.element);
    $("#under").replaceChildren(this.find.element);
  }

  /** @param {boolean} edit */
  #edit(edit) {
    if (edit === Boolean(this.editor)) return;
    this.app.board.setUp(edit);
    if (!edit) {
      this.editor = null;
      $("#panel").replaceChildren();
      return;
    }
    this.session.here.stopAll();
    this.editor = new Editor(this.app.board, this.session.position, (board) => {
      if (board) return this.#open(new Tree(board));
      this.#edit(false);
      this.#show();
    });
    $("#panel").replaceChildren(this.editor.element);
    this.app.board.lock(false);
  }

  async #show() {
    if (this.app.view !== this) return;
    if (!this.title.isConnected) this.#build();
    const { session } = this;
    const { at, position } = session;
    const signal = session.here.begin("position");
    this.app.board.lock(false);
    this.app.board.show(position, at.move ? squareIndex(at.move) : null);
    playersBar(position, { black: this.game?.black, white: this.game?.white });
    // Whoever walks on sees the board at once; the rest is for those who stay.
    await painted();
    if (signal.aborted || this.app.view !== this) return;
    this.tree.show();
    this.playHere.hidden = at.over;
    this.playHere.href = `./play?board=${encodeURIComponent(at.text)}`;
    this.engine.look(position, session.here);
    const key = session.key();
    const known = api.remembered(key, this.among);
    // The board works at once, whatever the server has to say.
    this.#shown(known ?? unknown(position), null);
    this.why.show(session, known ?? null);
    if (known) announce(this.#spoken());
    try {
      await this.#look(key, signal, known);
    } catch (error) {
      if (leftOff(error)) return;
      // That the server is gone is said where everybody sees it.
      if (/** @type {api.ApiError} */ (error).status !== 0) toast(/** @type {Error} */ (error).message);
      this.#shown({ ...unknown(position), pending: false }, this.engine.found);
    }
  }

  /** What the book says of a position, and again while it is being updated. @param {string} key @param {AbortSignal} signal @param {PositionView} [known] what it said before */
  async #look(key, signal, known) {
    const { session } = this;
    const view = await api.position(key, { among: this.among, signal });
    if (signal.aborted) return;
    if (!known || JSON.stringify(known) !== JSON.stringify(view)) {
      this.#shown(view, this.engine.found);
      this.why.show(session, view);
    }
    if (!known) announce(this.#spoken());
    this.#samples(key, view, session.here.begin("samples"));
    if (!this.among.years && !this.among.player) {
      const next = (/** @type {MoveView} */ { move }) => (session.tree.start === START ? key + move : null);
      api.prefetch(view.moves.map(next).filter((one) => one != null), signal);
    }
    if (view.settled) return;
    await pause(UPDATED, signal);
    await this.#look(key, signal, view);
  }

  /** Games that went through here; at the start that is all of them, and says nothing. @param {string} key @param {PositionView} view @param {AbortSignal} signal */
  async #samples(key, view, signal) {
    const { ply } = this.session.at;
    const some = ply > 0 && view.statistics ? await api.games({ position: key, limit: SAMPLES, ...this.among }, signal).catch(() => null) : null;
    if (signal.aborted) return;
    const { games, total } = some ?? { games: [], total: 0 };
    if (games.length === 0) return this.samples.replaceChildren();
    const title = games.length < total ? t.someOfGames(number(games.length), number(total)) : t.gamesFromHere;
    this.samples.replaceChildren(
      h("h2", {}, title, " ", h("a", { "data-inside": true, href: `./games?position=${encodeURIComponent(key)}`, id: "all-games" }, t.seeAll)),
      h("ul", { class: "game-list" }, games.map((game) => gameRow(game, () => this.openGame(game, ply)))));
  }

  /** @param {PositionView} view @param {Found | null} found */
  #shown(view, found) {
    this.view = view;
    const { session } = this;
    const { at, position } = session;
    const moves = valued(view, found);
    this.app.board.notes(notes(moves, position.turn));
    // Seen by the player to move.
    const value = view.over ? null : view.node?.value ?? found?.value ?? moves[0]?.value ?? null;
    if (value != null) session.learn(at, value);
    this.value = value;
    this.bar.show(session.value(at));
    this.#drawGraph();
    if (value != null) this.tree.show();
    this.#heading();
    redraw(this.moves, () => this.list.show(moves, position.turn));
  }

  #heading() {
    const { view, session } = this;
    if (!view) return;
    const { position, at } = session;
    const name = view.opening ?? (at.ply === 0 && session.tree.start === START ? t.theStart : view.over ? t.theEnd : view.in_book ? t.unnamedLine : t.outOfBook);
    // What is not known yet is not said; the name that is there stays for the moment.
    if (!view.pending || !this.title.textContent) this.title.textContent = name;
    this.title.classList.toggle("unnamed", !view.opening);
    document.title = view.opening ? `${view.opening} · Emilia` : "Emilia";
    const facts = [];
    if (view.over) facts.push(t.resultText(result(position)));
    else {
      facts.push(t.toMove(position.turn === BLACK));
      if (this.value != null) facts.push(h("strong", { title: view.node?.value == null ? t.searchedNow : t.seenByMover }, discs(this.value, 2)));
      if (view.node && view.node.bounds[0] === view.node.bounds[1]) facts.push(t.proven);
      if ((view.ways_in ?? 0) > 1) facts.push(h("span", { class: "ways", title: t.severalWays }, `⇄ ${t.waysIn(view.ways_in ?? 0)}`));
      if (!view.settled) facts.push(t.beingUpdated);
    }
    if (this.game) facts.unshift(`${this.game.black ?? "?"} – ${this.game.white ?? "?"}${this.game.year ? `, ${this.game.year}` : ""}`);
    this.facts.replaceChildren(...facts.flatMap((fact, place) => (place ? [" · ", fact] : [fact])));
    const parts = split(view.statistics, position.turn);
    const { statistics } = view;
    this.total.replaceChildren(...(parts && statistics
      ? [bar(parts), h("span", { class: "games" }, played(statistics))]
      : []));
  }

  #spoken() {
    const { view, session } = this;
    const { at, position } = session;
    const move = at.move ? `${t.played(at.move)} ` : "";
    if (view?.over) return `${move}${t.resultText(result(position))}.`;
    const opening = view?.opening ? `${view.opening}. ` : "";
    return `${move}${opening}${t.toMove(position.turn === BLACK)}${this.value == null ? "" : `, ${t.value} ${discs(this.value)}`}.`;
  }

  #drawGraph() {
    const { session } = this;
    const line = session.line();
    graph($("#graph"), {
      values: line.map((node) => session.value(node)),
      losses: line.map((node) => session.loss(node)),
      at: session.at.ply,
      onpick: (ply) => session.go(line[ply]),
      now: () => session.at.ply,
    });
  }

  /** Searches every position of the main line, so that the graph and the colours are whole. */
  async #analyseLine() {
    const { session } = this;
    this.whole.disabled = true;
    try {
      const best = await searchLine(session, session.along.begin("line"), (done) => {
        this.whole.textContent = `${done} / ${session.tree.end().ply + 1}`;
        if (this.app.view === this) this.#drawGraph();
      });
      if (best) announce(t.analysisDone);
    } catch (error) {
      toast(/** @type {Error} */ (error).message);
    }
    this.whole.textContent = t.analyseLine;
    this.whole.disabled = false;
    if (this.app.view === this) this.tree.show();
  }

  /** What the book knows of the line that was opened, all at once. */
  async #fillGraph() {
    const { session } = this;
    const line = session.line();
    const end = line[line.length - 1];
    if (end.ply === 0 || session.tree.start !== START) return;
    const signal = session.along.begin("graph");
    await painted();
    const view = signal.aborted ? null : await api.line(end.moves(), signal).catch(() => null);
    if (!view || signal.aborted) return;
    view.steps.forEach((step, ply) => {
      const { text } = line[ply];
      if (step.black_value != null && !session.values.has(text)) session.values.set(text, step.black_value);
    });
    if (this.app.view !== this) return;
    this.#drawGraph();
    this.tree.show();
  }
}

/** What is known of a position that nobody was asked about. @param {Position} position @returns {PositionView} */
function unknown(position) {
  const moves = legalMoves(position).map((index) => ({ move: squareName(index), known: /** @type {const} */ ("unknown") }));
  return { position: boardText(position), opening: null, over: moves.length === 0, in_book: true, node: null, best: null, ways_in: null, statistics: null, moves, settled: true, pending: true };
}
