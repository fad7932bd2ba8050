// The five programs: those of the papers, each with its year and its idea, to play against.

import * as api from "./api.js";
import { $, h } from "./dom.js";
import { Errands } from "./errands.js";
import { t } from "./texts.js";

/** A paper's variants, such as othellus-corners, belong to the one they are named after; BILL has two versions. @param {Player} player */
const family = ({ name }) => name.replace(/-.*|\d+$/, "");

/** @implements {View} */
export class Programs {
  errands = new Errands();

  async enter() {
    const list = h("ol", { class: "programs", id: "programs" });
    $("#wide").replaceChildren(h("h1", { class: "opening" }, t.fivePrograms), h("p", { class: "dim" }, t.fiveProgramsAbout), list);
    document.title = `${t.fivePrograms} · Emilia`;
    const signal = this.errands.begin("players");
    const players = await api.players();
    if (signal.aborted) return;
    const families = [...new Set(players.map(family))].map((name) => players.filter((player) => family(player) === name));
    list.replaceChildren(...families.map(card));
  }

  leave() {
    this.errands.stopAll();
  }
}

/** @param {Player[]} players */
function card(players) {
  const [first] = players;
  // Versions of equal rank are shown in full, variants of one program behind a fold.
  const variants = players.filter(({ name }) => name.includes("-"));
  const versions = players.filter((player) => !variants.includes(player));
  return h("li", { class: "program" },
    h("p", { class: "year" }, first.year),
    h("div", { class: "versions" }, versions.map(version)),
    variants.length > 0 && h("details", {}, h("summary", {}, t.heuristics(variants.length)), h("div", { class: "versions" }, variants.map(version))));
}

const version = (/** @type {Player} */ { name, title, idea, elo }) => h("section", { "aria-labelledby": `program-${name}` },
  h("h2", { id: `program-${name}` }, title),
  h("p", {}, idea),
  h("p", { class: "dim" }, t.rated(elo)),
  h("a", { class: "plain", "data-inside": true, href: `./play?player=${encodeURIComponent(name)}`, "data-player": name }, t.playAgainst(title)));
