// Which view is shown, light or dark, and the keys that work everywhere.

import { Board } from "./board.js";
import { $, store, toast } from "./dom.js";
import { Explore } from "./explore.js";
import { Grow } from "./grow.js";
import { Play } from "./play.js";
import { Programs } from "./programs.js";

const THEMES = ["auto", "light", "dark"];

function theme() {
  const apply = (name) => {
    if (name === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = name;
  };
  let current = store.get("theme", "auto");
  apply(current);
  $("#theme").addEventListener("click", () => {
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    const shown = current === "auto" ? (dark ? "dark" : "light") : current;
    current = shown === "dark" ? "light" : "dark";
    if (!THEMES.includes(current)) current = "auto";
    store.set("theme", current);
    apply(current);
  });
}

class App {
  constructor() {
    this.board = new Board($("#board"), {
      onplay: (index) => this.view.play?.(index),
      onpoint: (index) => this.view.point?.(index),
    });
    this.views = {
      explore: new Explore(this),
      play: new Play(this),
      programs: new Programs(this),
      grow: new Grow(this),
    };
    this.view = null;
    addEventListener("popstate", () => this.route());
    document.addEventListener("click", (event) => this.#follow(event));
    document.addEventListener("keydown", (event) => this.#key(event));
    addEventListener("unhandledrejection", (event) => {
      event.preventDefault();
      if (event.reason?.name !== "AbortError") toast(event.reason?.message ?? "Something went wrong.");
    });
    this.route();
  }

  route() {
    const name = { play: "play", programs: "programs", grow: "grow" }[location.pathname.split("/").at(-1)] ?? "explore";
    const wide = ["programs", "grow"].includes(name);
    const view = this.views[name];
    if (view !== this.view) {
      this.view?.leave?.();
      this.view = view;
      document.body.dataset.view = name;
      $("#table").hidden = wide;
      $("#wide").hidden = !wide;
      $("#keys").hidden = wide;
      for (const link of document.querySelectorAll("nav a")) {
        if (link.dataset.view === name) link.setAttribute("aria-current", "page");
        else link.removeAttribute("aria-current");
      }
      for (const id of ["#panel", "#controls", "#graph", "#players", "#wide"]) $(id).replaceChildren();
    }
    view.enter();
  }

  go(address) {
    history.pushState(null, "", address);
    this.route();
  }

  #follow(event) {
    const link = event.target.closest("a[data-view], a[data-inside]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    this.go(link.getAttribute("href"));
  }

  #key(event) {
    const typing = event.target.closest("input, textarea, select");
    if (typing || event.altKey || event.ctrlKey || event.metaKey) return;
    const action = { Backspace: event.shiftKey ? "redo" : "undo", Home: "restart", ArrowLeft: "undo", ArrowRight: "redo" }[event.key];
    if (!action || !this.view[action]) return;
    event.preventDefault();
    this.view[action]();
  }
}

theme();
new App();
