// Pictures of a book: its positions by move, by value and by the level of their search.

import { h, number, short, svg } from "./dom.js";
import { t } from "./texts.js";

const WIDTH = 10;
const HEIGHT = 120;
/** Levels that are told apart. */
const SHOWN = 8;

/** @typedef {{ title: string, parts: [number, string][] }} Column parts: how many, of which kind; later ones are drawn over earlier ones */

/** @param {Column[]} all @param {string} label */
function columns(all, label) {
  const most = Math.max(1, ...all.flatMap(({ parts }) => parts.map(([count]) => count)));
  const tall = (/** @type {number} */ count) => (count === 0 ? 0 : Math.max(1, (count / most) * HEIGHT));
  const bars = all.map(({ title, parts }, place) => svg("g", {}, svg("title", {}, title), parts.map(([count, kind]) =>
    svg("rect", { x: place * WIDTH + 1, width: WIDTH - 2, y: HEIGHT - tall(count), height: tall(count), rx: 1.5, class: kind }))));
  return svg("svg", { viewBox: `0 0 ${Math.max(1, all.length) * WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", class: "columns", role: "img", "aria-label": label }, bars);
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
  // What is further out stands in the outermost columns.
  const shown = [...Array(16).keys()].map((at) => {
    const [from, to] = [at === 0 ? -64 : 4 * at - 32, at === 15 ? 64 : 4 * at - 28];
    const positions = values.filter((step) => step.from >= from && (step.from < to || at === 15)).reduce((sum, step) => sum + step.positions, 0);
    return { from, to, positions };
  });
  return figure(t.byValue, columns(shown.map(({ from, to, positions }) => ({
    title: t.valueStep(from, to, number(positions)),
    parts: [[positions, "valued"]],
  })), t.byValue), ["−32", "0", "+32"]);
}

/** The levels of most positions, the deepest first. @param {Record<string, number>} levels */
export function byLevel(levels) {
  const depth = (/** @type {string} */ name) => Number.parseInt(name, 10) || -1;
  const most = Math.max(1, ...Object.values(levels));
  const shown = Object.entries(levels).sort((a, b) => b[1] - a[1]).slice(0, SHOWN).sort((a, b) => depth(b[0]) - depth(a[0]));
  return h("figure", { class: "chart" }, h("figcaption", {}, t.byLevel), h("ol", { class: "levels" }, shown.map(([name, count]) =>
    h("li", {}, h("span", {}, name === "not evaluated" ? t.notEvaluated : name), h("i", { style: { width: `${Math.max(1, (100 * count) / most)}%` } }), h("b", {}, short(count))))));
}
