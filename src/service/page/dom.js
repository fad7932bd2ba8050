// Small helpers around the document.

/** The element that a selector finds; the page has it, or this is a mistake of ours. @param {string} selector @param {ParentNode} [within] @returns {any} */
export const $ = (selector, within = document) => within.querySelector(selector);

/** @typedef {Node | string | number | null | undefined | false} Child */

/** An element with properties, attributes (what the element has no property for) and children. @param {string} tag @param {Record<string, any>} [properties] @param {...(Child | Child[])} children @returns {any} */
export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  fill(element, properties);
  element.append(...kept(children));
  return element;
}

const SVG = "http://www.w3.org/2000/svg";

/** @param {string} tag @param {Record<string, any>} [attributes] @param {...(Child | Child[])} children @returns {any} */
export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value == null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value);
  }
  element.append(...kept(children));
  return element;
}

/** @param {(Child | Child[])[]} children @returns {(Node | string)[]} */
function kept(children) {
  return children.flat().filter((child) => child != null && child !== false).map((child) => (child instanceof Node ? child : String(child)));
}

/** @param {HTMLElement} element @param {Record<string, any>} properties */
function fill(element, properties) {
  for (const [name, value] of Object.entries(properties)) {
    if (value == null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") for (const [key, v] of Object.entries(value)) element.style.setProperty(key, String(v));
    else if (name === "class") element.className = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
}

/** A button that looks like nothing much. @param {string} label @param {(event: Event) => unknown} onclick @param {Record<string, any>} [more] */
export const button = (label, onclick, more = {}) => h("button", { type: "button", class: "plain", onclick, ...more }, label);

/** A button that is a picture. @param {string} label @param {string} shape @param {() => unknown} onclick @param {Record<string, any>} [more] */
export const icon = (label, shape, onclick, more = {}) => h("button", { type: "button", class: "step", "aria-label": label, title: label, onclick, ...more },
  svg("svg", { viewBox: "0 0 20 20", "aria-hidden": "true" }, svg("path", { d: shape })));

/** What waits to be drawn, by place. @type {WeakMap<Element, () => void>} */
const waiting = new WeakMap();

/** Draws what is in a place anew, now or when nobody presses anything there any more: a click must end where it began. The focus stays on what has the same name. @param {Element} place @param {() => void} draw */
export function redraw(place, draw) {
  if (place.matches(":active")) {
    if (!waiting.has(place)) addEventListener("pointerup", () => setTimeout(() => waiting.get(place)?.()), { once: true });
    waiting.set(place, () => redraw(place, draw));
    return;
  }
  waiting.delete(place);
  const focused = place.contains(document.activeElement) ? document.activeElement?.getAttribute("data-key") : null;
  draw();
  if (focused) $(`[data-key="${focused}"]`, place)?.focus();
}

/** Told to screen readers; the same text twice is told twice. @param {string} text */
export function announce(text) {
  const region = $("#live");
  region.textContent = region.textContent === text ? text + "\u00a0" : text;
}

// A message at the foot of the page that goes away by itself.
let fading = 0;
/** @param {string} text */
export function toast(text) {
  const place = $("#toast");
  place.textContent = text;
  place.hidden = false;
  clearTimeout(fading);
  fading = window.setTimeout(() => (place.hidden = true), 4000);
}

/** To the clipboard, or at least before the eyes. @param {string} text @param {string} done */
export async function copy(text, done) {
  try {
    await navigator.clipboard.writeText(text);
    toast(done);
  } catch {
    toast(text);
  }
}

/** Offers a file to be kept. @param {string} name @param {Blob} content */
export function download(name, content) {
  const address = URL.createObjectURL(content);
  h("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

const plain = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
/** @param {number} value */
export const number = (value) => plain.format(value).replaceAll(",", "\u202f");

/** @param {number} value */
export function short(value) {
  if (value < 10000) return number(value);
  if (value < 1e6) return `${(value / 1e3).toFixed(value < 1e5 ? 1 : 0)}k`;
  if (value < 1e9) return `${(value / 1e6).toFixed(value < 1e7 ? 2 : 1)}M`;
  return `${(value / 1e9).toFixed(2)}G`;
}

/** @param {number} value */
export function bytes(value) {
  const units = ["bytes", "kB", "MB", "GB", "TB"];
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit ? value.toFixed(1) : value} ${units[unit]}`;
}

/** Discs with a sign; a true minus is as wide as a plus. @param {number | null | undefined} value @param {number} [digits] */
export function discs(value, digits = 1) {
  if (value == null) return "?";
  const text = Math.abs(value).toFixed(Number.isInteger(value) ? 0 : digits);
  return (Number(text) === 0 ? "" : value > 0 ? "+" : "\u2212") + text;
}

/** What a browser keeps under a name. One that refuses, being full or forbidden to, keeps it as long as the page is open. @param {() => Storage} where */
function keeper(where) {
  /** @type {Map<string, string>} */
  const refused = new Map();
  return {
    /** @param {string} name @param {any} otherwise */
    get(name, otherwise) {
      try {
        return JSON.parse(refused.get(name) ?? where().getItem(`emilia.${name}`) ?? "null") ?? otherwise;
      } catch {
        return otherwise;
      }
    },
    /** @param {string} name @param {unknown} value */
    set(name, value) {
      const text = JSON.stringify(value);
      try {
        where().setItem(`emilia.${name}`, text);
        refused.delete(name);
      } catch {
        refused.set(name, text);
      }
    },
  };
}

/** Kept for good. */
export const store = keeper(() => localStorage);
/** Kept as long as the tab is open, reloads included. */
export const tab = keeper(() => sessionStorage);
