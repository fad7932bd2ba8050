// What somebody is looking at: a tree of variations, where in it, what is known of its positions,
// and the requests that are under way for it. All views that have a board share this.

import { Errands } from "./errands.js";
import { BLACK, START, readBoard, readMoves, result } from "./rules.js";
import { Node, Tree } from "./tree.js";

export class Session {
  /** @param {() => void} onmove told after each change of the place or the tree */
  constructor(onmove) {
    this.onmove = onmove;
    this.tree = new Tree();
    this.at = this.tree.root;
    /** Values seen by Black, by the text of the position. @type {Map<string, number>} */
    this.values = new Map();
    /** What is asked about the position: it ends when another one is shown. */
    this.here = new Errands();
    /** What is asked about the tree: it ends when another one is opened. */
    this.along = new Errands();
  }

  get position() {
    return this.at.position;
  }

  get over() {
    return this.at.over;
  }

  /** What the server is asked for: a line from the start has a name of its own, any other place is a board. @param {Node} [node] */
  key(node = this.at) {
    return this.tree.start === START ? node.moves() : node.text;
  }

  /** Ends whatever was begun. */
  leave() {
    this.here.stopAll();
    this.along.stopAll();
  }

  /** @param {Node} node */
  go(node) {
    this.here.stopAll();
    this.at = node;
    this.onmove();
  }

  /** Another tree, seen at its end or where it is said. @param {Tree} tree @param {Node} [at] */
  open(tree, at = tree.end()) {
    this.along.stopAll();
    this.tree = tree;
    this.go(at);
  }

  /** Plays a move: along the tree, or as a new side line. @param {string} move */
  play(move) {
    const next = this.tree.add(this.at, move);
    if (next) this.go(next);
    return next;
  }

  /** False where there is nothing before. */
  back() {
    const before = this.at.parent;
    if (before) this.go(before);
    return Boolean(before);
  }

  /** False where nothing follows. */
  on() {
    const next = this.at.children[0];
    if (next) this.go(next);
    return Boolean(next);
  }

  first() {
    this.go(this.tree.root);
  }

  last() {
    this.go(this.at.onward().at(-1) ?? this.at);
  }

  /** The nodes of the line that is looked at, to its end. */
  line() {
    return [...this.at.path(), ...this.at.onward()];
  }

  /** @param {Node} node */
  promote(node) {
    this.tree.promote(node);
    this.onmove();
  }

  /** @param {Node} node */
  remove(node) {
    const gone = this.at.path().includes(node);
    const before = this.tree.remove(node);
    if (gone) this.go(before);
    else this.onmove();
  }

  /** Notes what a position is worth to the player who moves. @param {Node} node @param {number} value */
  learn(node, value) {
    this.values.set(node.text, node.position.turn === BLACK ? value : -value);
  }

  /** Seen by Black; null where nothing is known. @param {Node} node */
  value(node) {
    if (node.over) return result(node.position);
    return this.values.get(node.text) ?? null;
  }

  /** What the move that led here gave away, in discs; null where that is not known. @param {Node} node */
  loss(node) {
    const before = node.parent && this.value(node.parent);
    const after = this.value(node);
    if (before == null || after == null) return null;
    return Math.max(0, node.by === BLACK ? before - after : after - before);
  }

  /** The part of an address that leads here again, or to another node. Variations are behind the mark that servers never see: they may be long. @param {{ whole?: boolean, node?: Node }} [how] */
  address({ whole = false, node = this.at } = {}) {
    const asked = new URLSearchParams();
    if (this.tree.start !== START) asked.set("board", this.tree.start);
    if (node !== this.tree.root) asked.set("moves", node.moves());
    const text = asked.toString();
    const tree = whole && this.tree.hasMore() ? `#${new URLSearchParams({ tree: this.tree.text() })}` : "";
    return `${text && `?${text}`}${tree}`;
  }

  /** Opens what an address says; a tree that has it already stays. What was wrong, or null. @param {URLSearchParams} asked @param {string} [before] the tree that was there when the address was */
  openAddress(asked, before) {
    const start = readBoard(asked.get("board") ?? "") ?? START;
    const written = asked.get("tree");
    const own = start === this.tree.start ? this.tree : new Tree(start);
    const { line, wrong } = readMoves(own.root.position, asked.get("moves") ?? "");
    const has = (/** @type {Tree} */ tree) => tree.follow(line).ply === line.length;
    const earlier = before && !has(own) ? Tree.read(before, start) : null;
    if (written) this.#openAt(Tree.read(written, start), line);
    else if (earlier && has(earlier)) this.#openAt(earlier, line);
    // Another line, and nothing in this tree is worth keeping.
    else if (!has(own) && !own.hasMore()) this.#openAt(new Tree(start), line);
    else if (own !== this.tree) this.#openAt(own, line);
    else this.go(own.addLine(own.root, line));
    return wrong;
  }

  /** @param {Tree} tree @param {string[]} line */
  #openAt(tree, line) {
    this.open(tree, tree.addLine(tree.root, line));
  }
}

/** How grave a loss is, for colours. @param {number | null} loss */
export function grade(loss) {
  if (loss == null || loss < 1) return "";
  return loss >= 6 ? "blunder" : loss >= 2.5 ? "mistake" : "slip";
}
