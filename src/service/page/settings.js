// How the page looks and sounds to its user; kept in the browser.

import { $, h, store, svg } from "./dom.js";
import { LANGUAGES, t } from "./texts.js";
import { SERVER } from "./transport.js";

const USUAL = { theme: "auto", language: "auto", coordinates: true, turned: false, sounds: false, engine: "server" };
/** What somebody else kept under our name is not taken for a setting. */
let current = { ...USUAL, ...Object.fromEntries(Object.entries(store.get("settings", {})).filter(([name, value]) => typeof value === typeof USUAL[/** @type {keyof typeof USUAL} */ (name)])) };
/** @type {(() => void)[]} */
const listeners = [];

export const settings = {
  get: () => current,
  /** @param {Partial<typeof USUAL>} change */
  set(change) {
    current = { ...current, ...change };
    store.set("settings", current);
    apply();
    for (const hear of listeners) hear();
  },
  /** @param {() => void} hear */
  onchange(hear) {
    listeners.push(hear);
    hear();
  },
};

/** The theme of the system is what a page without a word gets. */
function apply() {
  if (current.theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = current.theme;
}

/** The menu behind the button in the head. */
export function settingsMenu() {
  apply();
  const place = $("#settings");
  const radio = (/** @type {string} */ legend, /** @type {"theme" | "language" | "engine"} */ name, /** @type {[string, string][]} */ options) =>
    h("fieldset", {}, h("legend", {}, legend), h("div", { class: "choice" }, options.map(([value, label]) =>
      h("label", {}, h("input", { type: "radio", name, value, checked: current[name] === value, onchange: () => choose(name, value) }), h("span", {}, label)))));
  const check = (/** @type {"coordinates" | "turned" | "sounds"} */ name, /** @type {string} */ label) => {
    const box = h("input", { type: "checkbox", name, onchange: () => settings.set({ [name]: box.checked }) });
    settings.onchange(() => (box.checked = current[name]));
    return h("label", { class: "check" }, box, h("span", {}, label));
  };
  const choose = (/** @type {"theme" | "language" | "engine"} */ name, /** @type {string} */ value) => {
    settings.set({ [name]: value });
    if (name === "language") location.reload();
  };
  const menu = h("div", { class: "menu", id: "settings-menu", hidden: true, role: "group", "aria-label": t.settings },
    radio(t.theme, "theme", [["auto", t.themeAuto], ["light", t.themeLight], ["dark", t.themeDark]]),
    radio(t.language, "language", [["auto", t.themeAuto], ...LANGUAGES]),
    SERVER && radio(t.engineWhere, "engine", [["server", t.engineServer], ["browser", t.engineBrowser]]),
    check("coordinates", t.coordinates), check("turned", t.turnBoard), check("sounds", t.sounds),
    SERVER && h("a", { href: "./docs" }, t.interface));
  const open = h("button", { type: "button", class: "plain", id: "settings-open", "aria-expanded": "false", "aria-controls": "settings-menu", "aria-label": t.settings, title: t.settings },
    svg("svg", { viewBox: "0 0 20 20", width: 18, height: 18, "aria-hidden": "true", fill: "none", stroke: "currentColor", "stroke-width": 1.7, "stroke-linecap": "round" },
      svg("path", { d: "M3 6h8M15 6h2M3 14h2M9 14h8" }), svg("circle", { cx: 13, cy: 6, r: 2 }), svg("circle", { cx: 7, cy: 14, r: 2 })));
  const show = (/** @type {boolean} */ shown) => {
    menu.hidden = !shown;
    open.setAttribute("aria-expanded", String(shown));
  };
  open.addEventListener("click", () => show(menu.hidden));
  place.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== "Escape") return;
    show(false);
    open.focus();
  });
  document.addEventListener("pointerdown", (event) => place.contains(event.target) || show(false));
  place.replaceChildren(open, menu);
}
