// The tree of variations beside the board: the main line in a row, side lines indented under the
// move they replace, each move coloured by what it gave away.

import { $, button, discs, h, redraw } from "./dom.js";
import { BLACK } from "./rules.js";
import { grade } from "./session.js";
import { t } from "./texts.js";

/** @typedef {import("./tree.js").Node} Node */

export class TreeView {
  /** @param {import("./session.js").Session} session @param {{ edits?: boolean, more?: HTMLElement[] }} [how] whether comments are written and lines moved, and what else can be done */
  constructor(session, { edits = true, more = [] } = {}) {
    this.session = session;
    this.edits = edits;
    this.list = h("div", { class: "tree", id: "path", role: "group", "aria-label": t.movesSoFar });
    this.comment = h("textarea", { id: "comment", rows: "1", placeholder: t.commentHint, "aria-label": t.comment, oninput: () => {
      session.at.comment = this.comment.value;
      this.onwritten?.();
    } });
    this.promote = button(t.makeMain, () => session.promote(session.at), { id: "promote" });
    this.remove = button(t.deleteFromHere, () => session.remove(session.at), { id: "remove" });
    this.tools = h("div", { class: "tree-tools" }, this.comment, this.promote, this.remove, ...more);
    this.element = h("section", { class: "variations", "aria-label": t.variations }, this.list, this.tools);
    /** Told when a comment is written. @type {(() => void) | null} */
    this.onwritten = null;
  }

  show() {
    const { tree, at } = this.session;
    const begin = tree.root.children.length > 0;
    this.element.hidden = !begin;
    redraw(this.list, () => this.list.replaceChildren(...this.#line(tree.root)));
    this.tools.hidden = !this.edits || at === tree.root;
    this.promote.hidden = at.isMain();
    if (document.activeElement !== this.comment) this.comment.value = at.comment;
    const current = $('[aria-current="step"]', this.list);
    if (current) this.list.scrollTo({ top: current.offsetTop - this.list.clientHeight / 2 });
  }

  /** What follows a node: moves in a row, and a block for each side line. @param {Node} node @returns {HTMLElement[]} */
  #line(node) {
    const parts = [];
    let row = h("ol", { class: "plies" });
    parts.push(row);
    for (let before = node; before.children.length > 0; before = before.children[0]) {
      const [main, ...side] = before.children;
      row.append(...this.#ply(main));
      if (side.length === 0) continue;
      parts.push(...side.map((child) => h("div", { class: "side" }, ...this.#side(child))));
      row = h("ol", { class: "plies" });
      parts.push(row);
    }
    return parts.filter((part) => part.childElementCount > 0);
  }

  /** @param {Node} node */
  #side(node) {
    const [first, ...rest] = this.#line(node);
    if (!first) return [h("ol", { class: "plies" }, this.#ply(node))];
    if (first.matches(".plies")) {
      first.prepend(...this.#ply(node));
      return [first, ...rest];
    }
    return [h("ol", { class: "plies" }, this.#ply(node)), first, ...rest];
  }

  /** @param {Node} node */
  #ply(node) {
    const { session } = this;
    const loss = session.loss(node);
    const kind = grade(loss);
    const ahead = node.ply > session.at.ply && session.line().includes(node);
    const name = node.move ?? "";
    const chip = h("button", {
      type: "button",
      class: `ply ${node.by === BLACK ? "black" : "white"} ${kind}`,
      "aria-current": node === session.at ? "step" : null,
      "aria-label": `${node.ply}. ${name}${kind ? `, ${t.costs(discs(-(loss ?? 0)))}` : ""}`,
      title: loss == null ? t.moveNumber(node.ply) : `${t.moveNumber(node.ply)}: ${t.costs(discs(-loss))}`,
      "data-key": node.moves(),
      onclick: () => session.go(node),
    }, name, kind && h("small", {}, discs(-(loss ?? 0))));
    const parts = [h("li", { class: ahead ? "ahead" : "" }, chip)];
    if (node.comment) parts.push(h("li", { class: "said" }, node.comment));
    return parts;
  }
}
