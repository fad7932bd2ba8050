// The value of each position of a line, seen by Black: above the middle Black is ahead.

import { svg } from "./dom.js";
import { discs } from "./dom.js";

const WIDTH = 600;
const HEIGHT = 120;
const PAD = 8;

// `values` has one entry per position (null where nothing is known), `losses` what each move cost.
export function graph(place, { values, at, losses = [], onpick }) {
  const plies = Math.max(values.length - 1, 12);
  const known = values.filter((value) => value != null).map(Math.abs);
  const reach = Math.max(6, ...known) * 1.1;
  const x = (ply) => PAD + (ply * (WIDTH - 2 * PAD)) / plies;
  // Near the middle a disc counts for more than far out.
  const y = (value) => HEIGHT / 2 - (Math.sign(value) * Math.sqrt(Math.abs(value) / reach) * (HEIGHT - 2 * PAD)) / 2;
  const points = values.map((value, ply) => (value == null ? null : [x(ply), y(value)])).filter(Boolean);
  const drawing = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "graph", role: "img", "aria-label": spoken(values), preserveAspectRatio: "none" });
  drawing.append(svg("line", { x1: 0, x2: WIDTH, y1: HEIGHT / 2, y2: HEIGHT / 2, class: "middle" }));
  if (points.length > 1) {
    const path = points.map(([px, py]) => `${px.toFixed(1)},${py.toFixed(1)}`).join(" L");
    const closed = `M${points[0][0]},${HEIGHT / 2} L${path} L${points.at(-1)[0]},${HEIGHT / 2} Z`;
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
    const loss = losses[ply] ?? 0;
    const kind = loss >= 6 ? "blunder" : loss >= 2.5 ? "mistake" : "";
    drawing.append(svg("ellipse", { cx: x(ply), cy: y(value), rx: ply === at ? 4.5 : kind ? 3.5 : 2.2, ry: ply === at ? 5 : kind ? 4 : 2.5, class: `dot ${kind} ${ply === at ? "at" : ""}` }));
  });
  if (onpick) {
    values.forEach((value, ply) => {
      const half = (WIDTH - 2 * PAD) / plies / 2;
      const title = svg("title");
      title.textContent = `${ply ? `move ${ply}` : "start"}: ${value == null ? "unknown" : discs(value)}`;
      drawing.append(svg("rect", { x: x(ply) - half, y: 0, width: half * 2, height: HEIGHT, class: "pick", onclick: () => onpick(ply) }, title));
    });
  }
  place.replaceChildren(drawing);
}

function spoken(values) {
  const known = values.map((value, ply) => [ply, value]).filter(([, value]) => value != null);
  if (known.length === 0) return "Evaluation graph: no values yet";
  const [ply, value] = known.at(-1);
  const side = value > 0 ? "Black is ahead" : value < 0 ? "White is ahead" : "even";
  return `Evaluation graph over ${values.length - 1} moves; after move ${ply} ${side} by ${Math.abs(value).toFixed(1)} discs`;
}
