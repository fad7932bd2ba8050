// A position as a picture of its own: small beside a line of the engine, or a file with numbers on
// the moves as books print them. Its colours are written in it, since a file knows no style sheet.

import { svg } from "./dom.js";
import { BLACK, squareIndex } from "./rules.js";

const CELL = 40;
const EDGE = 26;
const SIZE = 8 * CELL;

/** @param {Position} position @param {{ last?: number | null, numbers?: Map<number, number>, edge?: boolean, label?: string }} [how] numbers are moves by square */
export function diagram({ cells }, { last = null, numbers = new Map(), edge = false, label = "" } = {}) {
  const from = edge ? -EDGE : 0;
  const whole = edge ? SIZE + 2 * EDGE : SIZE;
  const middle = (/** @type {number} */ index) => [((index % 8) + 0.5) * CELL, (Math.floor(index / 8) + 0.5) * CELL];
  const lines = [...Array(9).keys()].map((at) => `M${at * CELL} 0V${SIZE}M0 ${at * CELL}H${SIZE}`).join("");
  const text = (/** @type {number} */ x, /** @type {number} */ y, /** @type {string} */ what, /** @type {string} */ fill, size = 15) =>
    svg("text", { x, y: y + size * 0.36, fill, "font-size": size, "font-family": "sans-serif", "text-anchor": "middle" }, what);
  return svg("svg", { xmlns: "http://www.w3.org/2000/svg", viewBox: `${from} ${from} ${whole} ${whole}`, class: "diagram", role: label ? "img" : null, "aria-label": label || null, "aria-hidden": label ? null : "true" },
    edge && svg("rect", { x: from, y: from, width: whole, height: whole, fill: "#ffffff" }),
    edge && [..."abcdefgh"].map((letter, at) => text((at + 0.5) * CELL, -EDGE / 2, letter, "#444444", 13)),
    edge && [..."12345678"].map((digit, at) => text(-EDGE / 2, (at + 0.5) * CELL, digit, "#444444", 13)),
    svg("rect", { width: SIZE, height: SIZE, fill: "#23845b" }),
    svg("path", { d: lines, stroke: "#0e4c30", "stroke-width": 1.5, fill: "none" }),
    cells.map((owner, index) => {
      if (!owner) return null;
      const [cx, cy] = middle(index);
      const black = owner === BLACK;
      const move = numbers.get(index);
      return svg("g", {},
        svg("circle", { cx, cy, r: CELL * 0.42, fill: black ? "#14181a" : "#fbf8ef", stroke: black ? "#000000" : "#b9b29f" }),
        move ? text(cx, cy, String(move), black ? "#ffffff" : "#14181a", 16) : null,
        index === last && svg("circle", { cx, cy, r: CELL * 0.1, fill: "#e5593f" }));
    }));
}

/** The number of the move that filled each square. @param {import("./tree.js").Node} node */
export const numbered = (node) => new Map(node.path().filter(({ move }) => move).map(({ move, ply }) => [squareIndex(move ?? ""), ply]));

/** @param {SVGElement} picture */
export const svgFile = (picture) => new Blob([new XMLSerializer().serializeToString(picture)], { type: "image/svg+xml" });

/** @param {SVGElement} picture @param {number} [side] in dots @returns {Promise<Blob>} */
export async function pngFile(picture, side = 900) {
  picture.setAttribute("width", String(side));
  picture.setAttribute("height", String(side));
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(new XMLSerializer().serializeToString(picture))}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = side;
  canvas.getContext("2d")?.drawImage(image, 0, 0, side, side);
  return new Promise((resolve, reject) => canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture"))), "image/png"));
}
