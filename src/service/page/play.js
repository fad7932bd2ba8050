// Play: a game against the engine or a program of the papers, and afterwards what each move was worth.

import * as api from "./api.js";
import { $, announce, discs, h, store, toast } from "./dom.js";
import { graph } from "./graph.js";
import { notes, valued } from "./moves.js";
import { BLACK, START, WHITE, colour, count, isOver, other, parseBoard, play, result, resultText, squareIndex, squareName } from "./rules.js";

const STRENGTHS = [
  ["beginner", "Beginner"], ["novice", "Novice"], ["amateur", "Amateur"], ["club", "Club player"], ["expert", "Expert"], ["master", "Master"], ["full", "Full strength"],
];
const CLOCKS = [[0, "No clock"], [1, "1 minute"], [3, "3 minutes"], [5, "5 minutes"], [15, "15 minutes"]];
const REVIEW = { level: 10, seconds: 2 };
const THINKING = 5;
// Ourselves; the server names the programs of the papers.
const OWN = { name: "emilia", title: "Emilia" };

export class Play {
  constructor(app) {
    this.app = app;
    this.game = null;
  }

  enter() {
    const invited = new URLSearchParams(location.search).get("player");
    if (invited) return this.#invite(invited);
    if (this.game) this.#table();
    else this.#setup();
  }

  leave() {
    this.thinking?.abort();
    this.reviewing?.abort();
    clearInterval(this.ticking);
  }

  // A link names the opponent. A game that is being played is not thrown away for it.
  #invite(player) {
    history.replaceState(null, "", "./play");
    if (this.game && !this.game.over) {
      toast(`You are playing ${this.game.opponent}: finish that game, or begin a new one.`);
      return this.#table();
    }
    this.game = null;
    this.#setup(player);
  }

  #setup(player) {
    const wish = { player: OWN.name, side: "black", strength: 3, clock: 0, hints: false, ...store.get("play", {}), ...(player && { player }) };
    const choice = (name, options, chosen) => h("div", { class: "choice", role: "radiogroup", "aria-label": name }, options.map(([value, label]) =>
      h("label", {}, h("input", { type: "radio", name, value, checked: value === chosen ? "checked" : null }), h("span", {}, label))));
    const strength = h("input", { type: "range", name: "strength", id: "strength", min: "0", max: String(STRENGTHS.length - 1), value: String(wish.strength), "aria-describedby": "strength-name" });
    const strengthName = h("output", { id: "strength-name", for: "strength" }, STRENGTHS[wish.strength][1]);
    strength.addEventListener("input", () => (strengthName.textContent = STRENGTHS[strength.value][1]));
    const idea = h("p", { class: "idea", id: "idea" });
    const opponent = h("select", { name: "player", id: "opponent", "aria-label": "Opponent", "aria-describedby": "idea" });
    const strengths = h("fieldset", {}, h("legend", {}, "Strength"), h("div", { class: "strength" }, strength, strengthName));
    const chosenOpponent = () => this.players.find(({ name }) => name === opponent.value) ?? OWN;
    const introduce = () => {
      const { year, idea: sentence } = chosenOpponent();
      idea.textContent = year ? `${year}. ${sentence}` : "";
      // The programs of the papers play as well as they can.
      strengths.hidden = Boolean(year);
    };
    const offer = (players) => {
      this.players = players;
      opponent.replaceChildren(...players.map(({ name, title, year }) => h("option", { value: name, selected: name === wish.player ? "selected" : null }, year ? `${title} (${year})` : title)));
      introduce();
    };
    offer(this.players ?? [OWN]);
    if (this.players.length === 1) api.players().then((guests) => offer([OWN, ...guests])).catch(() => null);
    opponent.addEventListener("change", introduce);
    const form = h("form", { class: "setup" },
      h("h1", { class: "opening" }, "A game"),
      h("fieldset", {}, h("legend", {}, "Against"), opponent, idea),
      h("fieldset", {}, h("legend", {}, "You play"), choice("side", [["black", "Black"], ["white", "White"], ["either", "Either"]], wish.side)),
      strengths,
      h("fieldset", {}, h("legend", {}, "Clock"), choice("clock", CLOCKS.map(([minutes, label]) => [String(minutes), label]), String(wish.clock))),
      h("label", { class: "check" }, h("input", { type: "checkbox", name: "hints", checked: wish.hints ? "checked" : null }), h("span", {}, "Show the value of every move")),
      h("button", { type: "submit", class: "big", id: "begin" }, "Begin"));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const data = new FormData(form);
      const chosen = { player: chosenOpponent().name, side: data.get("side"), strength: Number(data.get("strength")), clock: Number(data.get("clock")), hints: data.has("hints") };
      store.set("play", chosen);
      this.#begin(chosen);
    });
    $("#panel").replaceChildren(form);
    $("#controls").replaceChildren();
    $("#graph").replaceChildren();
    $("#players").replaceChildren();
    this.app.board.lock(true);
    this.app.board.show(parseBoard(START));
  }

  #begin({ player, side, strength, clock, hints }) {
    const opponent = this.players.find(({ name }) => name === player) ?? OWN;
    const you = side === "black" ? BLACK : side === "white" ? WHITE : Math.random() < 0.5 ? BLACK : WHITE;
    this.game = {
      you, hints, clock,
      player,
      opponent: opponent.title,
      level: opponent === OWN ? STRENGTHS[strength][0] : "full",
      name: opponent === OWN ? `Emilia, ${STRENGTHS[strength][1].toLowerCase()}` : opponent.title,
      line: [],
      positions: [parseBoard(START)],
      left: { [BLACK]: clock * 60, [WHITE]: clock * 60 },
      over: null,
      values: [0],
      losses: [],
      // Another game is another game, also against a player who does not always find the best.
      seed: Math.floor(Math.random() * 1e9),
    };
    this.#table();
    announce(`You play ${colour(you)}.`);
    this.app.board.focus();
  }

  #position() {
    return this.game.positions.at(-1);
  }

  #table() {
    const action = (label, id, act) => h("button", { type: "button", class: "plain", id, onclick: act }, label);
    $("#controls").replaceChildren(
      h("div", { class: "steps" }, action("Take back", "takeback", () => this.undo())),
      action("Resign", "resign", () => this.#finish(this.game.you === BLACK ? -64 : 64, "You resigned")),
      action("New game", "again", () => this.#again()));
    this.status = h("p", { class: "status", id: "status" });
    this.title = h("h1", { class: "opening", id: "opening" }, "The start");
    this.review = h("div", { class: "review" });
    this.moves = h("ol", { class: "path tall", "aria-label": "Moves so far" });
    $("#panel").replaceChildren(h("div", { class: "heading" }, this.title, this.status), this.moves, this.review);
    clearInterval(this.ticking);
    this.since = performance.now();
    if (this.game.clock) this.ticking = setInterval(() => this.#tick(), 200);
    this.#next();
  }

  #again() {
    this.leave();
    this.game = null;
    this.#setup();
  }

  async #next() {
    const { game } = this;
    const position = this.#position();
    const last = game.line.length ? squareIndex(game.line.at(-1)) : null;
    this.app.board.show(position, last);
    this.#players();
    this.#path();
    if (game.over) return this.#afterwards();
    if (isOver(position)) return this.#finish(result(position));
    const mine = position.turn === game.you;
    this.app.board.lock(!mine);
    this.status.textContent = mine ? `Your move, ${colour(game.you)}` : `${game.opponent} is thinking…`;
    this.status.classList.toggle("busy", !mine);
    this.#nameOpening();
    if (mine) {
      if (game.hints) this.#hints(position);
    } else {
      await this.#answer();
    }
  }

  play(index) {
    const { game } = this;
    if (!game || game.over || this.#position().turn !== game.you) return;
    this.#move(index);
  }

  #move(index) {
    const { game } = this;
    const next = play(this.#position(), index);
    if (!next) return;
    this.hinting?.abort();
    this.#spend(this.#position().turn);
    const by = this.#position().turn;
    game.line.push(squareName(index));
    game.positions.push(next);
    const passed = !isOver(next) && next.turn === by;
    announce(`${colour(by)} plays ${squareName(index)}.${passed ? ` ${colour(other(by))} has no move and passes.` : ""}`);
    if (passed) toast(`${colour(other(by))} has no move: ${colour(by)} plays again.`);
    this.#next();
  }

  async #answer() {
    const { game } = this;
    const thinking = (this.thinking = new AbortController());
    const left = game.left[other(game.you)];
    const toGo = Math.max(4, (60 - game.line.length) / 2);
    const seconds = game.clock ? Math.max(0.05, Math.min(THINKING, left / toGo)) : THINKING;
    try {
      const shown = new Promise((done) => setTimeout(done, 450));
      const answer = await api.choose({ moves: game.line.join(""), player: game.player, level: game.level, seconds, seed: game.seed }, thinking.signal);
      await shown;
      if (thinking.signal.aborted || this.game !== game || game.over) return;
      game.source = answer.source;
      this.#move(squareIndex(answer.move));
    } catch (error) {
      if (error.name === "AbortError") return;
      this.status.textContent = error.message;
      this.status.classList.remove("busy");
      this.status.append(" ", h("button", { type: "button", class: "plain", onclick: () => this.#next() }, "Try again"));
    }
  }

  undo() {
    const { game } = this;
    if (!game || game.over) return;
    this.thinking?.abort();
    do {
      if (game.line.length === 0) break;
      game.line.pop();
      game.positions.pop();
    } while (this.#position().turn !== game.you);
    this.#next();
  }

  async #hints(position) {
    const hinting = (this.hinting = new AbortController());
    const key = this.game.line.join("");
    const show = (view, found) => this.app.board.notes(notes(valued(view, found), position.turn));
    const view = await api.position(key);
    if (hinting.signal.aborted) return;
    show(view, null);
    if (view.moves.every((move) => move.value != null)) return;
    await api.analyse({ moves: key, level: 10, seconds: 2, best_of: view.moves.length }, hinting.signal, (found) => {
      if (!hinting.signal.aborted && found.depth > 1) show(view, found);
    }).catch(() => null);
  }

  async #nameOpening() {
    const key = this.game.line.join("");
    const view = await api.position(key).catch(() => null);
    if (view?.opening && this.game?.line.join("") === key) this.title.textContent = view.opening;
  }

  #spend(side) {
    const { game } = this;
    if (!game.clock) return;
    const now = performance.now();
    game.left[side] -= (now - this.since) / 1000;
    this.since = now;
  }

  #tick() {
    const { game } = this;
    if (!game || game.over) return clearInterval(this.ticking);
    this.#spend(this.#position().turn);
    this.#players();
    for (const side of [BLACK, WHITE]) {
      if (game.left[side] <= 0) this.#finish(side === BLACK ? -64 : 64, `${colour(side)} ran out of time`);
    }
  }

  #players() {
    const { game } = this;
    const position = this.#position();
    const discsOf = count(position);
    const side = (name, turn) => h("span", { class: `player ${name} ${!game.over && position.turn === turn ? "turn" : ""}` },
      h("i", { class: `chip ${name}` }), String(discsOf[name]),
      h("em", {}, game.you === turn ? "You" : game.name),
      game.clock > 0 && h("time", {}, clockText(game.left[turn])));
    $("#players").replaceChildren(side("black", BLACK), side("white", WHITE));
  }

  #path() {
    const { game } = this;
    this.moves.replaceChildren(...game.line.map((name, place) => {
      const turn = game.positions[place].turn;
      const loss = game.losses[place + 1];
      return h("li", {}, h("a", { class: `ply ${turn === BLACK ? "black" : "white"} ${grade(loss)}`, "data-inside": true, href: `./?moves=${game.line.slice(0, place + 1).join("")}`, title: loss == null ? name : `${name} cost ${loss.toFixed(1)}` }, name));
    }));
  }

  #finish(discsForBlack, why) {
    const { game } = this;
    if (game.over) return;
    this.thinking?.abort();
    this.hinting?.abort();
    game.over = { discs: discsForBlack, why };
    this.app.board.lock(true);
    this.#players();
    this.#afterwards();
  }

  #afterwards() {
    const { game } = this;
    const { discs: score, why } = game.over;
    const won = score === 0 ? null : (score > 0) === (game.you === BLACK);
    this.title.textContent = won == null ? "A draw" : won ? "You win" : `${game.opponent} wins`;
    const text = why ? `${why}.` : `${resultText(score)}.`;
    this.status.textContent = text;
    this.status.classList.remove("busy");
    $("#takeback").disabled = true;
    $("#resign").disabled = true;
    announce(`The game is over. ${this.title.textContent}. ${text}`);
    const address = `./?moves=${game.line.join("")}`;
    const look = h("button", { type: "button", class: "big", id: "review", onclick: () => this.#review(look) }, "What were the moves worth?");
    this.review.replaceChildren(look, h("a", { class: "plain", href: address, "data-inside": true }, "Open in Explore"));
  }

  // Searches every position of the game, from the end to the start: the end is solved at once, and
  // what was found there helps before it.
  async #review(button) {
    const { game } = this;
    const reviewing = (this.reviewing = new AbortController());
    button.disabled = true;
    const bar = h("progress", { max: String(game.line.length), value: "0", "aria-label": "Positions searched" });
    const list = h("ol", { class: "losses" });
    button.replaceWith(bar);
    this.review.append(list);
    game.values = game.positions.map(() => null);
    const draw = () => graph($("#graph"), { values: game.values, losses: game.losses, at: game.line.length });
    for (let ply = game.positions.length - 1; ply >= 0; ply--) {
      const position = game.positions[ply];
      let value = isOver(position) ? result(position) : null;
      if (value == null) {
        const found = await api.analyse({ moves: game.line.slice(0, ply).join(""), ...REVIEW }, reviewing.signal).catch(() => null);
        if (reviewing.signal.aborted) return;
        value = found ? (position.turn === BLACK ? found.value : -found.value) : null;
      }
      game.values[ply] = value;
      const after = game.values[ply + 1];
      if (value != null && after != null) {
        game.losses[ply + 1] = Math.max(0, position.turn === BLACK ? value - after : after - value);
      }
      bar.value = game.positions.length - ply;
      draw();
    }
    bar.remove();
    this.#path();
    const worst = game.losses.map((loss, ply) => ({ loss: loss ?? 0, ply })).filter(({ ply, loss }) => ply > 0 && loss >= 1)
      .sort((a, b) => b.loss - a.loss).slice(0, 6);
    const mean = (side) => {
      const own = game.losses.filter((_, ply) => ply > 0 && game.positions[ply - 1].turn === side);
      return own.length ? own.reduce((sum, loss) => sum + (loss ?? 0), 0) / own.length : 0;
    };
    list.replaceChildren(...worst.map(({ loss, ply }) => {
      const turn = game.positions[ply - 1].turn;
      return h("li", {}, h("a", { "data-inside": true, href: `./?moves=${game.line.slice(0, ply - 1).join("")}`, class: `game ${grade(loss)}` },
        h("i", { class: `chip ${turn === BLACK ? "black" : "white"}` }),
        h("span", {}, `Move ${ply}, ${game.line[ply - 1]}`),
        h("b", {}, discs(-loss))));
    }));
    list.before(h("p", { class: "summary", id: "reviewed" },
      `Discs lost per move: you ${mean(game.you).toFixed(2)}, ${game.opponent} ${mean(other(game.you)).toFixed(2)}.${worst.length ? " The costliest moves:" : " Nothing was lost."}`));
    announce("The analysis is done.");
  }
}

function grade(loss) {
  if (loss == null) return "";
  return loss >= 6 ? "blunder" : loss >= 2.5 ? "mistake" : "";
}

function clockText(seconds) {
  const left = Math.max(0, seconds);
  const whole = Math.floor(left % 60);
  return `${Math.floor(left / 60)}:${String(whole).padStart(2, "0")}`;
}
