// Before a game: against whom, with which side, how strong, with what clock, from where.

import * as api from "./api.js";
import { h, store } from "./dom.js";
import { START } from "./rules.js";
import { t } from "./texts.js";

/** As `Skill::NAMED` has them. */
export const STRENGTHS = [
  "newcomer", "beginner", "novice", "learner", "casual", "hobby", "amateur", "regular",
  "club", "league", "regional", "national", "expert", "master", "grandmaster", "full",
];
const USUAL = "club";
const CLOCKS = [0, 1, 3, 5, 15];
/** Ourselves; the server names the programs of the papers. @type {Player} */
const OWN = { name: "emilia", title: "Emilia" };
/** @type {Player[] | null} */
let house = null;

/** @typedef {{ player: Player, side: string, strength: string, clock: number, hints: boolean, start: string }} Wish */

/** @param {{ player?: string | null, start?: string, onbegin: (wish: Wish) => void }} how */
export function setup({ player, start = START, onbegin }) {
  const wish = { player: OWN.name, side: "black", strength: USUAL, clock: 0, hints: false, ...store.get("play", {}), ...(player && { player }) };
  // A number is of a time with other levels.
  const kept = STRENGTHS.indexOf(wish.strength);
  const place = kept < 0 ? STRENGTHS.indexOf(USUAL) : kept;
  const choice = (/** @type {string} */ name, /** @type {string} */ label, /** @type {[string, string][]} */ options, /** @type {string} */ chosen) =>
    h("div", { class: "choice", role: "radiogroup", "aria-label": label }, options.map(([value, text]) =>
      h("label", {}, h("input", { type: "radio", name, value, checked: value === chosen }), h("span", {}, text))));
  const strength = h("input", { type: "range", name: "strength", id: "strength", min: "0", max: String(STRENGTHS.length - 1), value: String(place), "aria-label": t.strength, "aria-describedby": "strength-name" });
  const strengthName = h("output", { id: "strength-name", for: "strength" }, t.strengths[place]);
  strength.addEventListener("input", () => (strengthName.textContent = t.strengths[strength.value]));
  const idea = h("p", { class: "idea", id: "idea" });
  const opponent = h("select", { name: "player", id: "opponent", "aria-label": t.opponent, "aria-describedby": "idea" });
  const strengths = h("fieldset", {}, h("legend", {}, t.strength), h("div", { class: "strength" }, strength, strengthName));
  let offered = house ?? [OWN];
  const chosenOpponent = () => offered.find(({ name }) => name === opponent.value) ?? OWN;
  const introduce = () => {
    const { year, idea: sentence } = chosenOpponent();
    idea.textContent = year ? `${year}. ${sentence}` : "";
    // The programs of the papers play as well as they can.
    strengths.hidden = Boolean(year);
  };
  const offer = (/** @type {Player[]} */ players) => {
    offered = players;
    opponent.replaceChildren(...players.map(({ name, title, year }) => h("option", { value: name, selected: name === wish.player }, year ? `${title} (${year})` : title)));
    introduce();
  };
  offer(offered);
  if (!house) api.players().then((guests) => offer((house = [OWN, ...guests]))).catch(() => null);
  opponent.addEventListener("change", introduce);
  const form = h("form", { class: "setup" },
    h("h1", { class: "opening" }, t.aGame),
    start !== START && h("p", { class: "dim" }, t.fromPosition),
    h("fieldset", {}, h("legend", {}, t.against), opponent, idea),
    h("fieldset", {}, h("legend", {}, t.youPlay), choice("side", t.youPlay, [["black", t.black], ["white", t.white], ["either", t.either]], wish.side)),
    strengths,
    h("fieldset", {}, h("legend", {}, t.clock), choice("clock", t.clock, CLOCKS.map((minutes) => [String(minutes), t.minutes(minutes)]), String(wish.clock))),
    h("label", { class: "check" }, h("input", { type: "checkbox", name: "hints", checked: wish.hints }), h("span", {}, t.showValues)),
    h("button", { type: "submit", class: "big", id: "begin" }, t.begin));
  form.addEventListener("submit", (/** @type {Event} */ event) => {
    event.preventDefault();
    const data = new FormData(form);
    const chosen = { player: chosenOpponent().name, side: String(data.get("side")), strength: STRENGTHS[Number(data.get("strength") ?? place)], clock: Number(data.get("clock")), hints: data.has("hints") };
    store.set("play", chosen);
    onbegin({ ...chosen, player: chosenOpponent(), start });
  });
  return form;
}
