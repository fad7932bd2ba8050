// The page's words, in the user's language. English is always there; others are fetched when wanted.
// A translation is a file beside texts-en.js with the same names.

import { en } from "./texts-en.js";

/** Whose name is not marked is finished. @type {[string, string][]} */
export const LANGUAGES = [["en", "English"], ["fr", "Français (draft)"], ["ja", "日本語 (draft)"]];

/** @typedef {typeof en} Texts */

/** @type {Texts} */
export let t = en;

/** Speaks a language from now on, or the browser's where it is "auto". @param {string} wanted */
export async function speak(wanted) {
  const asked = wanted === "auto" ? navigator.language.slice(0, 2) : wanted;
  if (asked === "fr") t = (await import("./texts-fr.js")).fr;
  else if (asked === "ja") t = (await import("./texts-ja.js")).ja;
  else return;
  document.documentElement.lang = asked;
  /** @param {Element} place @param {string} attribute */
  const named = (place, attribute) => String(t[/** @type {keyof Texts} */ (place.getAttribute(attribute))]);
  for (const place of document.querySelectorAll("[data-t]")) place.textContent = named(place, "data-t");
  for (const place of document.querySelectorAll("[data-label]")) place.setAttribute("aria-label", named(place, "data-label"));
}
