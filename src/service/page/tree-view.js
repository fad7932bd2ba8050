// The tree of variations beside the board: the main line in a row, side lines indented under the
// move they replace, each move coloured by what it gave away.

import { button, discs, h, redraw } from "./dom.js";
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
    /** What is shown of each node; it stays while the tree around it changes. @type {WeakMap<Node, { item: any, chip: any, said: string }>} */
    this.chips = new WeakMap();
    /** The tree as it was laid out. */
    this.laid = "";
    /** @type {Node | null} */
    this.current = null;
  }

  show() {
    const { tree, at } = this.session;
    this.element.hidden = tree.root.children.length === 0;
    redraw(this.list, () => {
      const text = `${tree.start}${tree.text()}`;
      const said = tree.root.comment ? [h("p", { class: "said" }, tree.root.comment)] : [];
      if (text !== this.laid || tree !== this.tree) this.list.replaceChildren(...said, ...this.#line(tree.root));
      this.laid = text;
      this.tree = tree;
      this.#tell(tree.root, new Set(this.session.line()));
    });
    this.tools.hidden = !this.edits;
    this.remove.hidden = at === tree.root;
    this.promote.hidden = at.isMain();
    if (document.activeElement !== this.comment) this.comment.value = at.comment;
    if (this.current === at) return;
    this.current = at;
    // With the layout that the next picture needs anyway.
    requestAnimationFrame(() => {
      const chip = this.chips.get(at)?.chip;
      if (chip) this.list.scrollTo({ top: chip.offsetTop - this.list.clientHeight / 2 });
    });
  }

  /** Says of every move what it cost and whether it is looked at. @param {Node} root @param {Set<Node>} line */
  #tell(root, line) {
    const { session } = this;
    const ahead = (/** @type {Node} */ node) => node.ply > session.at.ply && line.has(node);
    const nodes = [...root.children];
    for (const node of nodes) {
      const entry = this.chips.get(node);
      nodes.push(...node.children);
      if (!entry) continue;
      const loss = session.loss(node);
      const cost = loss == null ? "" : discs(-loss);
      const said = `${cost} ${node === session.at} ${ahead(node)}`;
      if (said === entry.said) continue;
      entry.said = said;
      const kind = grade(loss);
      const { chip, item } = entry;
      item.className = ahead(node) ? "ahead" : "";
      chip.className = `ply ${node.by === BLACK ? "black" : "white"} ${kind}`;
      if (node === session.at) chip.setAttribute("aria-current", "step");
      else chip.removeAttribute("aria-current");
      chip.setAttribute("aria-label", `${node.ply}. ${node.move}${kind ? `, ${t.costs(cost)}` : ""}`);
      chip.title = cost ? `${t.moveNumber(node.ply)}: ${t.costs(cost)}` : t.moveNumber(node.ply);
      chip.replaceChildren(node.move ?? "", ...(kind ? [h("small", {}, cost)] : []));
    }
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
    let entry = this.chips.get(node);
    if (!entry) {
      const chip = h("button", { type: "button", "data-key": node.moves(), onclick: () => this.session.go(node) });
      entry = { item: h("li", {}, chip), chip, said: "" };
      this.chips.set(node, entry);
    }
    return node.comment ? [entry.item, h("li", { class: "said" }, node.comment)] : [entry.item];
  }
}
