// Which view is shown, and the keys that work everywhere.

import { Board } from "./board.js";
import { lost, onAnswer } from "./connection.js";
import { $, toast } from "./dom.js";
import { leftOff } from "./errands.js";
import { Explore } from "./explore.js";
import { searchIn } from "./lines.js";
import { settings, settingsMenu } from "./settings.js";
import { speak, t } from "./texts.js";

/** Views that are fetched when they are first looked at. @type {Record<string, (app: App) => Promise<View>>} */
const LATER = {
  play: async (app) => new (await import("./play.js")).Play(app),
  games: async (app) => new (await import("./games.js")).Games(app),
  programs: async () => new (await import("./programs.js")).Programs(),
  grow: async () => new (await import("./grow.js")).Grow(),
};
const WITH_BOARD = ["explore", "play"];
/** In dots and milliseconds: what is a step of the wheel, a line, and a new turn of it. */
const WHEEL = { step: 40, line: 30, pause: 250 };

function wasReloaded() {
  const [arrival] = /** @type {PerformanceNavigationTiming[]} */ (performance.getEntriesByType("navigation"));
  return arrival?.type === "reload";
}

export class App {
  constructor() {
    /** @type {View | null} */
    this.view = null;
    this.engine = "";
    this.incomplete = false;
    this.wheeled = { when: 0, way: 0 };
    this.board = new Board($("#board"), {
      onplay: (index) => this.view?.play?.(index),
      onpoint: (index) => this.view?.point?.(index),
    });
    /** @type {Record<string, View>} */
    this.views = { explore: new Explore(this) };
    settings.onchange(() => this.board.look(settings.get()));
    settings.onchange(() => this.#engine(settings.get().engine));
    onAnswer(() => this.#answered());
    $("#board").addEventListener("wheel", (/** @type {WheelEvent} */ event) => this.#wheel(event), { passive: false });
    addEventListener("popstate", () => this.route());
    document.addEventListener("click", (event) => this.#follow(event));
    document.addEventListener("keydown", (event) => this.#key(event));
    document.addEventListener("dragover", (event) => event.preventDefault());
    document.addEventListener("drop", (event) => this.#drop(event));
    document.addEventListener("paste", (event) => this.#paste(event));
    addEventListener("unhandledrejection", (event) => {
      event.preventDefault();
      if (!leftOff(event.reason)) toast(event.reason?.message ?? t.wentWrong);
    });
    this.route();
  }

  async route() {
    const last = location.pathname.slice(location.pathname.lastIndexOf("/") + 1);
    const name = last in LATER ? last : "explore";
    this.wanted = name;
    try {
      this.views[name] ??= await LATER[name](this);
    } catch {
      // Browsers do not ask again for a script that once did not come.
      this.incomplete = true;
      // It may have come back just now. What does not come then, either, comes no more.
      if ((await lost()) && !wasReloaded()) location.reload();
      return;
    }
    if (this.wanted !== name) return;
    this.#turnTo(name);
    await this.views[name].enter();
  }

  /** Shows another view; what it has to say is its own matter. @param {string} name */
  #turnTo(name) {
    const view = this.views[name];
    if (view === this.view) return;
    this.view?.leave?.();
    this.view = view;
    document.body.dataset.view = name;
    const board = WITH_BOARD.includes(name);
    $("#table").hidden = !board;
    $("#wide").hidden = board;
    $("#keys").hidden = !board;
    for (const link of document.querySelectorAll("nav a")) {
      if (/** @type {HTMLElement} */ (link).dataset.view === name) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    for (const id of ["#panel", "#controls", "#graph", "#under", "#players", "#beside", "#wide"]) $(id).replaceChildren();
  }

  /** The server answers again: what was not answered is asked once more. */
  #answered() {
    if (this.incomplete) location.reload();
    else if (this.view?.again) this.view.again();
    else this.route();
  }

  /** @param {string} place where searches are made from now on */
  #engine(place) {
    if (place === this.engine) return;
    this.engine = place;
    searchIn(place, (why) => toast(t.engineRefused(why.message)));
    this.view?.searchAgain?.();
  }

  turn() {
    settings.set({ turned: !settings.get().turned });
  }

  /** Over the board the wheel walks through the game, and scrolls the page where the game ends. @param {WheelEvent} event */
  #wheel(event) {
    if (event.ctrlKey || event.deltaY === 0) return;
    // What touchpads send is many small steps.
    if (event.timeStamp - this.wheeled.when > WHEEL.pause) this.wheeled.way = 0;
    this.wheeled.when = event.timeStamp;
    this.wheeled.way += event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? event.deltaY : event.deltaY * WHEEL.line;
    if (Math.abs(this.wheeled.way) < WHEEL.step) return event.preventDefault();
    const walked = this.wheeled.way > 0 ? this.view?.on?.() : this.view?.back?.();
    this.wheeled.way = 0;
    if (walked) event.preventDefault();
  }

  /** @param {string} address */
  go(address) {
    history.pushState(null, "", address);
    this.route();
  }

  /** A game of another view, on the board. @param {GameView} game */
  openGame(game) {
    this.wanted = "explore";
    this.#turnTo("explore");
    this.explore.openGame(game);
    // Whoever goes back at once comes to the list again, and not to what was before it.
    this.explore.address.flush();
  }

  /** Where a view was left is where its link leads back to. @param {string} name @param {string} address */
  remember(name, address) {
    $(`nav [data-view=${name}]`)?.setAttribute("href", address);
  }

  /** @returns {Explore} */
  get explore() {
    return /** @type {Explore} */ (this.views.explore);
  }

  /** @param {MouseEvent} event */
  #follow(event) {
    const link = /** @type {Element} */ (event.target).closest("a[data-view], a[data-inside]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    this.go(link.getAttribute("href") ?? "./");
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const typing = /** @type {Element} */ (event.target).closest("input, textarea, select");
    if (typing || event.altKey || event.ctrlKey || event.metaKey || !this.view) return;
    const view = /** @type {any} */ (this.view);
    /** @type {Record<string, (() => void) | undefined>} */
    const actions = {
      Backspace: event.shiftKey ? () => view.on?.() : () => view.takeBack?.(),
      Home: () => view.first?.(),
      End: () => view.last?.(),
      ArrowLeft: () => view.back?.(),
      ArrowRight: () => view.on?.(),
      f: () => this.turn(),
    };
    // Up and down go to other side lines, and scroll the page where there are none.
    const beside = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (beside && view.beside?.(beside)) event.preventDefault();
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  /** Games may be dropped anywhere; where the book grows, only on their place. @param {DragEvent} event */
  #drop(event) {
    event.preventDefault();
    const files = [...(event.dataTransfer?.files ?? [])];
    const text = event.dataTransfer?.getData("text/plain") ?? "";
    if (this.view === this.views.grow || (files.length === 0 && !text)) return;
    if (this.view !== this.explore) this.go("./");
    if (files.length > 0) this.explore.files.read(files);
    else this.explore.paste(text);
  }

  /** And pasted anywhere. @param {ClipboardEvent} event */
  #paste(event) {
    const typing = /** @type {Element} */ (event.target)?.closest?.("input, textarea");
    const text = event.clipboardData?.getData("text/plain");
    if (typing || !text) return;
    event.preventDefault();
    if (this.view !== this.explore) this.go("./");
    this.explore.paste(text);
  }
}

await speak(settings.get().language);
settingsMenu();
new App();
