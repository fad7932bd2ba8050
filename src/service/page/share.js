// What leaves the page: links, transcripts, GGF, SGF, boards and pictures.

import { diagram, numbered, pngFile, svgFile } from "./diagram.js";
import { button, copy, download, h } from "./dom.js";
import { ggf, sgf, transcript } from "./notation.js";
import { t } from "./texts.js";

export class Share {
  /** @param {import("./session.js").Session} session @param {() => import("./notation.js").Heading} heading */
  constructor(session, heading) {
    const text = (/** @type {string} */ content) => new Blob([content], { type: "text/plain" });
    const picture = () => diagram(session.position, { numbers: numbered(session.at), edge: true, label: t.after(session.at.moves()) });
    const kept = (/** @type {string} */ action, /** @type {string} */ what, /** @type {() => unknown} */ act, /** @type {Record<string, string>} */ more) => button(action, act, { "aria-label": `${action}: ${what}`, ...more });
    const both = (/** @type {string} */ name, /** @type {() => string} */ write) => h("div", { class: "share-row" },
      h("span", {}, name),
      kept(t.copy, name, () => copy(write().trim(), t.copied(name)), { "data-copy": name }),
      kept(t.download, name, () => download(`game.${name.toLowerCase()}`, text(write())), { "data-download": name }));
    this.element = h("details", { class: "fold", id: "out" }, h("summary", {}, t.keepAndShare), h("div", { class: "share" },
      h("div", { class: "share-row" }, h("span", {}, t.link),
        kept(t.copy, t.link, () => copy(location.origin + location.pathname + session.address({ whole: true }), t.copied(t.link)), { id: "share" })),
      h("div", { class: "share-row" }, h("span", {}, t.transcript),
        kept(t.copy, t.transcript, () => copy(transcript(session.at), t.copied(t.transcript)), { "data-copy": "text" }),
        kept(t.download, t.transcript, () => download("game.txt", text(`${transcript(session.at)}\n`)), { "data-download": "text" })),
      both("GGF", () => ggf(session.tree, session.at, heading())),
      both("SGF", () => sgf(session.tree, heading())),
      h("div", { class: "share-row" }, h("span", {}, t.boardText),
        kept(t.copy, t.boardText, () => copy(session.at.text, t.copied(t.boardText)), { "data-copy": "board" })),
      h("div", { class: "share-row" }, h("span", {}, t.picture),
        button("SVG", () => download("board.svg", svgFile(picture())), { "data-download": "svg" }),
        button("PNG", async () => download("board.png", await pngFile(picture())), { "data-download": "png" }))));
  }
}
