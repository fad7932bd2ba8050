// Play: a game against the engine or a program of the papers, from any position, and afterwards what
// each move was worth. Looking back through the game changes nothing; taking back does.

import * as api from "./api.js";
import { Clock } from "./clock.js";
import { $, announce, button, h, tab, toast } from "./dom.js";
import { afterwards, leftOff, pause } from "./errands.js";
import { EvalBar } from "./evalbar.js";
import { graph } from "./graph.js";
import { analyse, move as ask } from "./lines.js";
import { notes, valued } from "./moves.js";
import { STRENGTHS, setup } from "./play-setup.js";
import { playersBar } from "./players-bar.js";
import { searchLine, verdict } from "./review.js";
import { BLACK, START, WHITE, count, other, parseBoard, readBoard, result, squareIndex, squareName } from "./rules.js";
import { Session } from "./session.js";
import { click } from "./sound.js";
import { t } from "./texts.js";
import { Tree } from "./tree.js";
import { TreeView } from "./tree-view.js";

const THINKING = 5;
const HINTS = { level: 10, seconds: 2 };
/** An answer that comes at once is hard to follow with the eyes. */
const SHORTEST = 450;

/** @typedef {Omit<import("./play-setup.js").Wish, "clock"> & { you: number, over: { discs: number, why?: string } | null, seed: number, clock: Clock }} Game */

/** @implements {View} */
export class Play {
  /** @param {import("./app.js").App} app */
  constructor(app) {
    this.app = app;
    this.session = new Session(() => this.#show());
    this.tree = new TreeView(this.session, { edits: false });
    this.bar = new EvalBar();
    /** @type {Game | null} */
    this.game = null;
    /** The position that the opponent is thinking about. @type {import("./tree.js").Node | null} */
    this.thought = null;
    this.status = h("p", { class: "status", id: "status", role: "status" });
    this.title = h("h1", { class: "opening", id: "opening" });
    this.after = h("div", { class: "review" });
    /** A game outlives a reload. */
    this.saved = afterwards(() => this.#save());
    addEventListener("pagehide", () => this.#save());
    this.#restore();
  }

  enter() {
    document.title = `${t.playTitle} · Emilia`;
    const asked = new URLSearchParams(location.search);
    const start = readBoard(asked.get("board") ?? "");
    const player = asked.get("player");
    if (start || player) {
      // A link names the opponent or the position. A game that is being played is not thrown away for it.
      if (!this.game || this.game.over) return this.#setup({ player, start: start ?? START });
      toast(t.finishFirst(this.game.player.title));
      history.replaceState(null, "", "./play");
    }
    if (this.game) this.#table();
    else this.#setup({});
  }

  leave() {
    this.session.leave();
    this.thought = null;
    this.game?.clock.stop();
  }

  /** What was asked meanwhile was not answered. */
  again() {
    if (!this.game) return;
    this.thought = null;
    this.#show();
  }

  #save() {
    const { game, session } = this;
    if (!game) return tab.set("game", null);
    const { player, side, strength, hints, start, you, over, seed, clock } = game;
    tab.set("game", { player, side, strength, hints, start, you, over, seed, minutes: clock.minutes, left: clock.left, moves: session.tree.end().moves() });
  }

  #restore() {
    const kept = tab.get("game", null);
    if (!kept || !readBoard(String(kept.start)) || !kept.player?.name || !STRENGTHS.includes(kept.strength)) return;
    const { minutes, left, moves, ...game } = kept;
    const clock = this.#clock(minutes);
    Object.assign(clock.left, left);
    this.game = { ...game, clock };
    this.session.tree = Tree.ofLine(moves, game.start);
    this.session.at = this.#tip;
    if (game.over) this.#offerReview();
  }

  /** @param {number} minutes */
  #clock(minutes) {
    return new Clock(minutes, () => this.#players(), (side) => this.#finish(side === BLACK ? -64 : 64, t.outOfTime(side === BLACK)));
  }

  /** @param {{ player?: string | null, start?: string }} wish */
  #setup({ player, start = START }) {
    this.leave();
    this.game = null;
    this.saved.ask();
    for (const id of ["#controls", "#graph", "#under", "#players", "#beside"]) $(id).replaceChildren();
    $("#panel").replaceChildren(setup({ player, start, onbegin: (chosen) => this.#begin(chosen) }));
    this.app.board.lock(true);
    this.app.board.show(parseBoard(start));
  }

  /** @param {import("./play-setup.js").Wish} wish */
  #begin(wish) {
    const you = wish.side === "black" ? BLACK : wish.side === "white" ? WHITE : Math.random() < 0.5 ? BLACK : WHITE;
    this.game = {
      ...wish,
      you,
      over: null,
      // Another game is another game, also against a player who does not always find the best.
      seed: Math.floor(Math.random() * 1e9),
      clock: this.#clock(wish.clock),
    };
    history.replaceState(null, "", "./play");
    this.session.values.clear();
    this.session.along.stopAll();
    this.session.tree = new Tree(wish.start);
    this.session.at = this.session.tree.root;
    this.after.replaceChildren();
    this.#table();
    announce(t.youPlayAs(you === BLACK));
    this.app.board.focus();
  }

  /** The game, for what happens only while there is one. */
  get #on() {
    return /** @type {Game} */ (this.game);
  }

  /** The end of the game so far. */
  get #tip() {
    return this.session.tree.end();
  }

  #table() {
    this.takeBackButton = button(t.takeBack, () => this.takeBack(), { id: "takeback" });
    this.resign = button(t.resign, () => this.#finish(this.#on.you === BLACK ? -64 : 64, t.youResigned), { id: "resign" });
    this.hintsButton = button(t.hints, () => this.#toggleHints(), { id: "hints", "aria-pressed": String(this.#on.hints) });
    $("#controls").replaceChildren(h("div", { class: "steps" }, this.takeBackButton, this.hintsButton), this.resign, button(t.newGame, () => this.#setup({}), { id: "again" }));
    this.title.textContent = t.theStart;
    $("#panel").replaceChildren(h("div", { class: "heading" }, this.title, this.status), this.tree.element, this.after);
    this.#show();
  }

  #show() {
    if (this.app.view !== this || !this.game) return;
    this.saved.ask();
    const { game, session } = this;
    const { at, position } = session;
    this.app.board.show(position, at.move ? squareIndex(at.move) : null);
    this.#players();
    this.tree.show();
    this.#graph();
    const live = at === this.#tip && !game.over;
    const mine = live && position.turn === game.you && !session.over;
    this.app.board.lock(!mine);
    this.takeBackButton.disabled = Boolean(game.over) || this.#tip.ply === 0;
    this.resign.disabled = Boolean(game.over);
    this.hintsButton.hidden = Boolean(game.over);
    this.#nameOpening();
    if (game.over) {
      this.bar.show(session.value(at));
      return this.#afterwards();
    }
    if (this.#tip.over) return this.#finish(result(this.#tip.position));
    if (!live) this.#say(t.lookingBack, false, button(t.toTheGame, () => this.last()));
    else if (mine) {
      this.#say(t.yourMove(game.you === BLACK), false);
      if (game.hints) this.#hints();
    }
    const turn = this.#tip.position.turn;
    if (game.clock.side !== turn || !game.clock.ticking) game.clock.run(turn);
    if (turn !== game.you) this.#answer();
  }

  /** @param {string} text @param {boolean} busy @param {Node | null} [more] */
  #say(text, busy, more = null) {
    this.status.replaceChildren(text, ...(more ? [" ", more] : []));
    this.status.classList.toggle("busy", busy);
  }

  /** @param {number} index */
  play(index) {
    const { game, session } = this;
    if (!game || game.over || session.at !== this.#tip || session.position.turn !== game.you) return;
    this.#made(squareName(index));
  }

  /** A move at the end of the game; whoever looks at an earlier position goes on doing so. @param {string} move */
  #made(move) {
    const before = this.#tip;
    const next = this.session.tree.add(before, move);
    if (!next) return;
    const by = before.position.turn;
    const passed = !next.over && next.position.turn === by;
    announce(`${t.plays(by === BLACK, move)}${passed ? ` ${t.passes(by !== BLACK)}` : ""}`);
    if (passed) toast(t.playsAgain(by !== BLACK));
    click(by);
    if (this.session.at === before) this.session.go(next);
    else this.#show();
  }

  async #answer() {
    const { session } = this;
    const game = this.#on;
    const tip = this.#tip;
    if (session.at === tip) this.#say(t.isThinking(game.player.title), true);
    if (this.thought === tip) return;
    this.thought = tip;
    const signal = session.along.begin("answer");
    const side = other(game.you);
    const discs = count(tip.position);
    const level = game.player.year ? "full" : game.strength;
    const seconds = game.clock.share(side, THINKING, 64 - discs.black - discs.white);
    try {
      const [answer] = await Promise.all([
        ask({ position: tip.position, player: game.player.name, level, seconds, seed: game.seed }, signal),
        pause(SHORTEST, signal),
      ]);
      if (signal.aborted || game.over || !answer.move) return;
      this.thought = null;
      this.#made(answer.move);
    } catch (error) {
      if (leftOff(error)) return;
      this.thought = null;
      // Nobody loses time while there is nobody to play against.
      game.clock.stop();
      this.#say(/** @type {Error} */ (error).message, false, button(t.tryAgain, () => this.#show()));
    }
  }

  back() {
    return Boolean(this.game) && this.session.back();
  }

  on() {
    return Boolean(this.game) && this.session.on();
  }

  first() {
    if (this.game) this.session.first();
  }

  last() {
    if (this.game) this.session.go(this.#tip);
  }

  takeBack() {
    const { game, session } = this;
    if (!game || game.over || this.#tip.ply === 0) return;
    session.along.stop("answer");
    this.thought = null;
    let node = this.#tip;
    do node = session.tree.remove(node);
    while (node.parent && node.position.turn !== game.you);
    session.go(node);
  }

  #toggleHints() {
    const game = this.#on;
    game.hints = !game.hints;
    this.hintsButton.setAttribute("aria-pressed", String(game.hints));
    if (!game.hints) this.bar.element.remove();
    this.session.go(this.session.at);
  }

  /** The value of every move, from the book and then searched. */
  async #hints() {
    const { session } = this;
    const { at, position } = session;
    const signal = session.here.begin("hints");
    const show = (/** @type {PositionView} */ view, /** @type {Found | null} */ found) => {
      const moves = valued(view, found);
      this.app.board.notes(notes(moves, position.turn));
      if (moves[0]?.value == null) return;
      session.learn(at, moves[0].value);
      $("#beside").replaceChildren(this.bar.element);
      this.bar.show(session.value(at));
    };
    try {
      const view = await api.position(session.key(), { signal });
      if (signal.aborted) return;
      show(view, null);
      if (view.moves.every((move) => move.value != null)) return;
      await analyse({ position, lines: view.moves.length, ...HINTS }, signal, (found) => found.depth > 1 && show(view, found));
    } catch (error) {
      if (!leftOff(error)) toast(/** @type {Error} */ (error).message);
    }
  }

  async #nameOpening() {
    const signal = this.session.here.begin("name");
    const view = await api.position(this.session.key(), { signal }).catch(() => null);
    if (!signal.aborted && view?.opening && !this.game?.over) this.title.textContent = view.opening;
  }

  #players() {
    const game = this.#on;
    const opponent = game.player.year ? game.player.title : `${game.player.title}, ${t.strengths[STRENGTHS.indexOf(game.strength)].toLowerCase()}`;
    const name = (/** @type {number} */ side) => (side === game.you ? t.you : opponent);
    playersBar(this.session.position, { black: name(BLACK), white: name(WHITE), clocks: game.clock.texts(), over: Boolean(game.over) });
  }

  #graph() {
    const { session } = this;
    const game = this.#on;
    if (!game.over) return $("#graph").replaceChildren();
    const line = session.line();
    graph($("#graph"), { values: line.map((node) => session.value(node)), losses: line.map((node) => session.loss(node)), at: session.at.ply, onpick: (ply) => session.go(line[ply]) });
  }

  /** @param {number} discs for Black @param {string} [why] */
  #finish(discs, why) {
    const { session } = this;
    const game = this.#on;
    if (game.over) return;
    session.leave();
    game.clock.stop();
    game.over = { discs, why };
    this.#offerReview();
    this.#show();
    announce(`${t.gameOver} ${this.title.textContent}. ${this.status.textContent}`);
  }

  #offerReview() {
    const { session } = this;
    const address = `./${session.address({ node: this.#tip })}`;
    const look = h("button", { type: "button", class: "big", id: "review", onclick: () => this.#review(look) }, t.whatWorth);
    this.retry = button(t.tryAgainHere, () => this.#tryAgain(session.at), { id: "try-again" });
    this.after.replaceChildren(look, h("a", { class: "plain", href: address, "data-inside": true }, t.openInExplore), this.retry);
  }

  #afterwards() {
    const { session } = this;
    const game = this.#on;
    const { discs: score, why } = game.over ?? { discs: 0 };
    const won = score === 0 ? null : score > 0 === (game.you === BLACK);
    this.title.textContent = won == null ? t.aDraw : won ? t.youWin : t.wins(game.player.title);
    this.#say(why ? `${why}.` : `${t.resultText(score)}.`, false);
    this.retry.disabled = session.over;
  }

  /** Another game from an earlier position, with the same sides. @param {import("./tree.js").Node} node */
  #tryAgain(node) {
    const { session } = this;
    const game = this.#on;
    const tree = Tree.ofLine(node.moves(), session.tree.start);
    this.#begin({ ...game, side: game.you === BLACK ? "black" : "white", start: session.tree.start, clock: game.clock.minutes });
    session.open(tree);
  }

  /** @param {HTMLButtonElement} look */
  async #review(look) {
    const { session } = this;
    const game = this.#on;
    const signal = session.along.begin("review");
    const total = this.#tip.ply + 1;
    const bar = h("progress", { max: String(total), value: "0", "aria-label": t.positionsSearched });
    look.replaceWith(bar);
    try {
      const best = await searchLine(session, signal, (done) => {
        bar.value = done;
        this.#graph();
      });
      if (!best) return bar.replaceWith(look);
      bar.remove();
      this.after.append(verdict(session, best, { you: game.you, opponent: game.player.title, ontry: (node) => this.#tryAgain(node) }));
      this.tree.show();
      announce(t.analysisDone);
    } catch (error) {
      bar.replaceWith(look);
      toast(/** @type {Error} */ (error).message);
    }
  }
}
