// Pictures of a book: its positions by move, by value and by the level of their search.

import { h, number, svg } from "./dom.js";
import { t } from "./texts.js";

const WIDTH = 10;
const HEIGHT = 120;
/** Fewer columns are not drawn wider than if there were so many. */
const FEWEST = 12;

/** @typedef {{ title: string, parts: [number, string][] }} Column parts: how many, of which kind; later ones are drawn over earlier ones */

/** @param {Column[]} all @param {string} label */
function columns(all, label) {
  const most = Math.max(1, ...all.flatMap(({ parts }) => parts.map(([count]) => count)));
  const tall = (/** @type {number} */ count) => (count === 0 ? 0 : Math.max(1, (count / most) * HEIGHT));
  const bars = all.map(({ title, parts }, place) => svg("g", {}, svg("title", {}, title), parts.map(([count, kind]) =>
    svg("rect", { x: place * WIDTH + 1, width: WIDTH - 2, y: HEIGHT - tall(count), height: tall(count), rx: 1.5, class: kind }))));
  return svg("svg", { viewBox: `0 0 ${Math.max(FEWEST, all.length) * WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", class: "columns", role: "img", "aria-label": label }, bars);
}

/** @param {string} caption @param {Element} drawing @param {string[]} marks under it */
const figure = (caption, drawing, marks) => h("figure", { class: "chart" }, h("figcaption", {}, caption), drawing, h("div", { class: "marks-under", "aria-hidden": "true" }, marks.map((mark) => h("span", {}, mark))));

/** @param {Layer[]} layers */
export function byMove(layers) {
  const last = layers.length ? layers[layers.length - 1].discs - 4 : 0;
  return figure(t.byMove, columns(layers.map((layer) => ({
    title: t.layer(layer.discs - 4, number(layer.positions), number(layer.valued), number(layer.exact), number(layer.games)),
    parts: [[layer.positions, "all"], [layer.valued, "valued"], [layer.exact, "exact"]],
  })), t.byMove), ["0", String(Math.round(last / 2)), String(last)]);
}

/** @param {Summary["values"]} values */
export function byValue(values) {
  const shown = values.filter(({ from }) => from >= -32 && from < 32);
  return figure(t.byValue, columns(shown.map(({ from, positions }) => ({
    title: t.valueStep(from, from + 4, number(positions)),
    parts: [[positions, "valued"]],
  })), t.byValue), ["−32", "0", "+32"]);
}

/** @param {Record<string, number>} levels */
export function byLevel(levels) {
  const depth = (/** @type {string} */ name) => Number.parseInt(name, 10);
  const all = Object.entries(levels).sort(([a], [b]) => (depth(a) || -1) - (depth(b) || -1) || a.localeCompare(b));
  const title = (/** @type {[string, number]} */ [name, count]) => `${name}: ${number(count)}`;
  return figure(t.byLevel, columns(all.map((entry) => ({ title: title(entry), parts: [[entry[1], "valued"]] })), `${t.byLevel}: ${all.map(title).join(", ")}`),
    [...new Set([all[0]?.[0], all[all.length - 1]?.[0]])].filter((name) => name !== undefined));
}
