// The five programs: those of the papers, each with its year and its idea, to play against.

import * as api from "./api.js";
import { $, h } from "./dom.js";

// A paper's variants, such as othellus-corners, belong to the one they are named after; BILL has two versions.
const family = ({ name }) => name.replace(/-.*|\d+$/, "");

export class Programs {
  async enter() {
    const list = h("ol", { class: "programs", id: "programs" });
    $("#wide").replaceChildren(
      h("h1", { class: "opening" }, "The five programs"),
      h("p", { class: "dim" }, "Five papers taught computers to play Othello, from 1981 to 2010. Their programs play here again, as the papers describe them, each with its own evaluation, its own search and its own way with the clock."),
      list);
    this.here = new AbortController();
    const { signal } = this.here;
    const players = await api.players();
    if (signal.aborted) return;
    const families = [...new Set(players.map(family))].map((name) => players.filter((player) => family(player) === name));
    list.replaceChildren(...families.map(card));
  }

  leave() {
    this.here?.abort();
  }
}

function card(players) {
  const [first] = players;
  // Versions of equal rank are shown in full, variants of one program behind a fold.
  const variants = players.filter(({ name }) => name.includes("-"));
  const versions = players.filter((player) => !variants.includes(player));
  return h("li", { class: "program" },
    h("p", { class: "year" }, String(first.year)),
    h("div", { class: "versions" }, versions.map(version)),
    variants.length > 0 && h("details", {}, h("summary", {}, `Its ${variants.length} heuristics, each as a player`), h("div", { class: "versions" }, variants.map(version))));
}

const version = ({ name, title, idea }) => h("section", { "aria-labelledby": `program-${name}` },
  h("h2", { id: `program-${name}` }, title),
  h("p", {}, idea),
  h("a", { class: "plain", "data-inside": true, href: `./play?player=${encodeURIComponent(name)}`, "data-player": name, "aria-label": `Play against ${title}` }, "Play against it"));
