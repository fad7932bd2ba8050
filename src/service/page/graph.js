// The value of each position of a line, seen by Black: above the middle Black is ahead. The graph is
// a slider: arrow keys walk along it as clicks jump.

import { discs, redraw, svg } from "./dom.js";
import { grade } from "./session.js";
import { t } from "./texts.js";

const WIDTH = 600;
const HEIGHT = 120;
const PAD = 8;

/** What each place shows, most of the time already, and who is told what is picked there. @type {WeakMap<Element, { content: string, onpick?: (ply: number) => void, now?: () => number }>} */
const shown = new WeakMap();

/** @param {HTMLElement} place @param {{ values: (number | null)[], at: number, losses?: (number | null)[], onpick?: (ply: number) => void, now?: () => number }} what values: one entry per position, null where nothing is known; losses: what each move cost; now: where keys go on from, as they may be faster than the drawing */
export function graph(place, { values, at, losses = [], onpick, now = () => at }) {
  const content = JSON.stringify([at, values, losses.map(grade)]);
  const same = place.firstChild && shown.get(place)?.content === content;
  shown.set(place, { content, onpick, now });
  if (same) return;
  const plies = Math.max(values.length - 1, 12);
  const reach = Math.max(6, ...values.map((value) => Math.abs(value ?? 0))) * 1.1;
  const x = (/** @type {number} */ ply) => PAD + (ply * (WIDTH - 2 * PAD)) / plies;
  // Near the middle a disc counts for more than far out.
  const y = (/** @type {number} */ value) => HEIGHT / 2 - (Math.sign(value) * Math.sqrt(Math.abs(value) / reach) * (HEIGHT - 2 * PAD)) / 2;
  const points = values.flatMap((value, ply) => (value == null ? [] : [[x(ply), y(value)]]));
  const end = values.length - 1;
  const slider = onpick && { role: "slider", tabindex: "0", "data-key": "graph", "aria-valuemin": "0", "aria-valuemax": String(end), "aria-valuenow": String(at), "aria-valuetext": spoken(values, at) };
  const drawing = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "graph", role: "img", "aria-label": slider ? t.graph : `${t.graph}: ${spoken(values, at)}`, preserveAspectRatio: "none", ...slider });
  drawing.append(svg("line", { x1: 0, x2: WIDTH, y1: HEIGHT / 2, y2: HEIGHT / 2, class: "middle" }));
  if (points.length > 1) {
    const path = points.map(([px, py]) => `${px.toFixed(1)},${py.toFixed(1)}`).join(" L");
    const closed = `M${points[0][0]},${HEIGHT / 2} L${path} L${points[points.length - 1][0]},${HEIGHT / 2} Z`;
    const [above, below] = ["graph-above", "graph-below"];
    drawing.append(
      svg("clipPath", { id: above }, svg("rect", { x: 0, y: 0, width: WIDTH, height: HEIGHT / 2 })),
      svg("clipPath", { id: below }, svg("rect", { x: 0, y: HEIGHT / 2, width: WIDTH, height: HEIGHT / 2 })),
      svg("path", { d: closed, class: "area black", "clip-path": `url(#${above})` }),
      svg("path", { d: closed, class: "area white", "clip-path": `url(#${below})` }),
      svg("path", { d: `M${path}`, class: "curve" }),
    );
  }
  drawing.append(svg("line", { x1: x(at), x2: x(at), y1: 2, y2: HEIGHT - 2, class: "now" }));
  values.forEach((value, ply) => {
    if (value == null) return;
    const kind = grade(losses[ply] ?? null);
    const grave = kind === "mistake" || kind === "blunder";
    drawing.append(svg("ellipse", { cx: x(ply), cy: y(value), rx: ply === at ? 4.5 : grave ? 3.5 : 2.2, ry: ply === at ? 5 : grave ? 4 : 2.5, class: `dot ${kind} ${ply === at ? "at" : ""}` }));
  });
  if (onpick) {
    const half = (WIDTH - 2 * PAD) / plies / 2;
    const title = svg("title", {});
    const pick = svg("rect", { x: -2 * half, y: 0, width: half * 2, height: HEIGHT, class: "pick" }, title);
    drawing.append(pick);
    const under = (/** @type {PointerEvent} */ event) => {
      const { left, width } = drawing.getBoundingClientRect();
      const ply = Math.round((((event.clientX - left) / width) * WIDTH - PAD) / (2 * half));
      return Math.min(end, Math.max(0, ply));
    };
    drawing.addEventListener("pointermove", (/** @type {PointerEvent} */ event) => {
      const ply = under(event);
      pick.setAttribute("x", String(x(ply) - half));
      title.textContent = `${ply ? t.moveNumber(ply) : t.theStart}: ${values[ply] == null ? t.unknown : discs(values[ply])}`;
    });
    drawing.addEventListener("click", (/** @type {PointerEvent} */ event) => shown.get(place)?.onpick?.(under(event)));
    drawing.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
      const from = shown.get(place)?.now?.() ?? at;
      const steps = { ArrowLeft: from - 1, ArrowDown: from - 1, ArrowRight: from + 1, ArrowUp: from + 1, Home: 0, End: end, PageUp: from + 10, PageDown: from - 10 };
      const to = steps[/** @type {keyof typeof steps} */ (event.key)];
      if (to === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      shown.get(place)?.onpick?.(Math.min(end, Math.max(0, to)));
    });
  }
  redraw(place, () => place.replaceChildren(drawing));
}

/** @param {(number | null)[]} values @param {number} at */
function spoken(values, at) {
  const value = values[at];
  return `${at ? t.moveNumber(at) : t.theStart}: ${value == null ? t.unknown : t.ahead(value)}`;
}
