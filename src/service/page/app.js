// Which view is shown, and the keys that work everywhere.

import { Board } from "./board.js";
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

export class App {
  constructor() {
    /** @type {View | null} */
    this.view = null;
    this.board = new Board($("#board"), {
      onplay: (index) => this.view?.play?.(index),
      onpoint: (index) => this.view?.point?.(index),
    });
    /** @type {Record<string, View>} */
    this.views = { explore: new Explore(this) };
    settings.onchange(() => this.board.look(settings.get()));
    settings.onchange(() => searchIn(settings.get().engine));
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
    this.views[name] ??= await LATER[name](this);
    if (this.wanted !== name) return;
    const view = this.views[name];
    if (view !== this.view) {
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
    await view.enter();
  }

  /** @param {string} address */
  go(address) {
    history.pushState(null, "", address);
    this.route();
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
    };
    // Up and down go to other side lines, and scroll the page where there are none.
    const beside = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (beside && view.beside?.(beside)) event.preventDefault();
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  /** Games may be dropped anywhere. @param {DragEvent} event */
  #drop(event) {
    event.preventDefault();
    const files = [...(event.dataTransfer?.files ?? [])];
    const text = event.dataTransfer?.getData("text/plain") ?? "";
    if (this.view !== this.explore) return;
    if (files.length > 0) this.explore.files.read(files);
    else if (text) this.explore.paste(text);
  }

  /** And pasted anywhere. @param {ClipboardEvent} event */
  #paste(event) {
    const typing = /** @type {Element} */ (event.target)?.closest?.("input, textarea");
    const text = event.clipboardData?.getData("text/plain");
    if (typing || !text || this.view !== this.explore) return;
    event.preventDefault();
    this.explore.paste(text);
  }
}

await speak(settings.get().language);
settingsMenu();
new App();
