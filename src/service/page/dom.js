// Small helpers around the document.

export const $ = (selector, within = document) => within.querySelector(selector);

// An element with properties, attributes (what the element has no property for) and children.
export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  fill(element, properties);
  element.append(...children.flat().filter((child) => child != null && child !== false));
  return element;
}

const SVG = "http://www.w3.org/2000/svg";

export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child != null));
  return element;
}

function fill(element, properties) {
  for (const [name, value] of Object.entries(properties)) {
    if (value == null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") for (const [key, v] of Object.entries(value)) element.style.setProperty(key, v);
    else if (name === "class") element.className = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
}

// Told to screen readers; the same text twice is told twice.
export function announce(text) {
  const region = $("#live");
  region.textContent = region.textContent === text ? text + "\u00a0" : text;
}

// A message at the foot of the page that goes away by itself.
let fading = 0;
export function toast(text) {
  const place = $("#toast");
  place.textContent = text;
  place.hidden = false;
  clearTimeout(fading);
  fading = setTimeout(() => (place.hidden = true), 4000);
}

const plain = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
export const number = (value) => plain.format(value).replaceAll(",", "\u202f");

export function short(value) {
  if (value < 10000) return number(value);
  if (value < 1e6) return `${(value / 1e3).toFixed(value < 1e5 ? 1 : 0)}k`;
  return `${(value / 1e6).toFixed(value < 1e7 ? 2 : 1)}M`;
}

export function bytes(value) {
  const units = ["bytes", "kB", "MB", "GB", "TB"];
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit ? value.toFixed(1) : value} ${units[unit]}`;
}

// Discs with a sign; a true minus is as wide as a plus.
export function discs(value, digits = 1) {
  if (value == null) return "?";
  const text = Math.abs(value).toFixed(Number.isInteger(value) ? 0 : digits);
  const zero = Number(text) === 0;
  return (zero ? "" : value > 0 ? "+" : "\u2212") + (zero && !Number.isInteger(value) ? text : Number.isInteger(value) ? String(Math.abs(value)) : text);
}

export const store = {
  get(name, otherwise) {
    try {
      return JSON.parse(localStorage.getItem(`emilia.${name}`)) ?? otherwise;
    } catch {
      return otherwise;
    }
  },
  set(name, value) {
    try {
      localStorage.setItem(`emilia.${name}`, JSON.stringify(value));
    } catch {
      // Private windows may refuse; then nothing is remembered.
    }
  },
};
