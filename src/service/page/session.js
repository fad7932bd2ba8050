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

  back() {
    if (this.at.parent) this.go(this.at.parent);
  }

  on() {
    const next = this.at.children[0];
    if (next) this.go(next);
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

  /** The part of an address that leads here again, or to another node. @param {{ whole?: boolean, node?: Node }} [how] */
  address({ whole = false, node = this.at } = {}) {
    const asked = new URLSearchParams();
    if (this.tree.start !== START) asked.set("board", this.tree.start);
    if (node !== this.tree.root) asked.set("moves", node.moves());
    if (whole && this.tree.hasMore()) asked.set("tree", this.tree.text());
    const text = asked.toString();
    return text ? `?${text}` : "";
  }

  /** Opens what an address says; a tree that has it already stays. What was wrong, or null. @param {URLSearchParams} asked */
  openAddress(asked) {
    const start = readBoard(asked.get("board") ?? "") ?? START;
    const written = asked.get("tree");
    const tree = written ? Tree.read(written, start) : start === this.tree.start ? this.tree : new Tree(start);
    const { line, wrong } = readMoves(tree.root.position, asked.get("moves") ?? "");
    const known = tree.follow(line);
    if (tree === this.tree && known.ply < line.length && !this.tree.hasMore()) {
      // Another line, and nothing in this tree is worth keeping.
      const fresh = new Tree(start);
      this.open(fresh, fresh.addLine(fresh.root, line));
    } else if (tree === this.tree) this.go(tree.addLine(tree.root, line));
    else this.open(tree, tree.addLine(tree.root, line));
    return wrong;
  }
}

/** How grave a loss is, for colours. @param {number | null} loss */
export function grade(loss) {
  if (loss == null || loss < 1) return "";
  return loss >= 6 ? "blunder" : loss >= 2.5 ? "mistake" : "slip";
}
