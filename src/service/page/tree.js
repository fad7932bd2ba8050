// A game with its variations. The first child of a node goes on with the main line, the others are
// side lines. As text: moves in order, a side line in round brackets after the move it replaces,
// comments in braces: `f5d6(f6e6)c3{why not}`.

import { START, boardText, isOver, parseBoard, play, squareIndex } from "./rules.js";

export class Node {
  /** @param {Node | null} parent @param {string | null} move @param {Position} position */
  constructor(parent, move, position) {
    this.parent = parent;
    this.move = move;
    this.position = position;
    /** @type {Node[]} */
    this.children = [];
    this.comment = "";
    /** What the server and the engine know the position by. */
    this.text = boardText(position);
    /** How many moves led here. @type {number} */
    this.ply = Node.plies(parent);
  }

  /** @param {Node | null} parent */
  static plies(parent) {
    return parent ? parent.ply + 1 : 0;
  }

  /** @type {boolean | undefined} */
  #over;

  /** The game has ended here; found out once, as graphs ask for it again and again. */
  get over() {
    return (this.#over ??= isOver(this.position));
  }

  /** Who made the move that led here. */
  get by() {
    return this.parent?.position.turn ?? 0;
  }

  /** The nodes from the root to this one. @returns {Node[]} */
  path() {
    return this.parent ? [...this.parent.path(), this] : [this];
  }

  /** The nodes that follow along the first children. @returns {Node[]} */
  onward() {
    const next = this.children[0];
    return next ? [next, ...next.onward()] : [];
  }

  /** The moves from the root, in one word. */
  moves() {
    return this.path().map((node) => node.move ?? "").join("");
  }

  isMain() {
    return this.path().every((node) => !node.parent || node.parent.children[0] === node);
  }
}

export class Tree {
  constructor(start = START) {
    this.start = start;
    this.root = new Node(null, null, parseBoard(start));
  }

  /** The node after a move, made where there is none; null if the move is not legal. @param {Node} node @param {string} move */
  add(node, move) {
    const known = node.children.find((child) => child.move === move);
    if (known) return known;
    const position = play(node.position, squareIndex(move));
    if (!position) return null;
    const child = new Node(node, move, position);
    node.children.push(child);
    return child;
  }

  /** Adds moves as far as they are legal; the last node. @param {Node} node @param {string[]} moves */
  addLine(node, moves) {
    let last = node;
    for (const move of moves) last = this.add(last, move) ?? last;
    return last;
  }

  /** Makes the line that leads here the main line. @param {Node} node */
  promote(node) {
    for (const step of node.path()) {
      if (!step.parent) continue;
      const siblings = step.parent.children;
      siblings.splice(siblings.indexOf(step), 1);
      siblings.unshift(step);
    }
  }

  /** Cuts a node off with all that follows; the node before it. @param {Node} node */
  remove(node) {
    if (!node.parent) return node;
    const siblings = node.parent.children;
    siblings.splice(siblings.indexOf(node), 1);
    return node.parent;
  }

  /** The node that some moves lead to, as far as it has them. @param {string[]} moves */
  follow(moves) {
    let node = this.root;
    for (const move of moves) {
      const next = node.children.find((child) => child.move === move);
      if (!next) break;
      node = next;
    }
    return node;
  }

  /** More than one line, or something written. */
  hasMore() {
    const branches = (/** @type {Node} */ node) => node.children.length > 1 || node.comment !== "" || node.children.some(branches);
    return branches(this.root);
  }

  text() {
    return commented(this.root) + written(this.root);
  }

  /** Reads what `text` writes, as far as it is legal. @param {string} text @param {string} [start] */
  static read(text, start = START) {
    const tree = new Tree(start);
    /** @type {(Node | null)[]} */
    const branches = [];
    /** None after a move that is not legal, to the end of its line. @type {Node | null} */
    let node = tree.root;
    for (const [word, comment] of text.matchAll(/[a-h][1-8]|[()]|\{([^}]*)\}/g)) {
      if (word === "(") {
        branches.push(node);
        node = node && (node.parent ?? node);
      } else if (word === ")") node = branches.length > 0 ? branches.pop() ?? null : node;
      else if (node && comment !== undefined) node.comment = comment;
      else if (node) node = tree.add(node, word);
    }
    return tree;
  }

  /** A game's moves and nothing else. @param {string} moves @param {string} [start] */
  static ofLine(moves, start = START) {
    const tree = new Tree(start);
    tree.addLine(tree.root, moves.match(/../g) ?? []);
    return tree;
  }

  /** Where it ends along the main line. */
  end() {
    return this.root.onward().at(-1) ?? this.root;
  }
}

/** Braces would end a comment. @param {Node} node */
function commented({ comment }) {
  const text = comment.replace(/[{}]/g, "");
  return text ? `{${text}}` : "";
}

/** @param {Node} node @returns {string} */
function written(node) {
  const [main, ...side] = node.children;
  if (!main) return "";
  const one = (/** @type {Node} */ child) => child.move + commented(child);
  const lines = side.map((child) => `(${one(child)}${written(child)})`);
  return one(main) + lines.join("") + written(main);
}
