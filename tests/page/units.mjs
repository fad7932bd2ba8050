// What needs no browser: trees of variations, and games as text.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import * as lines from "../../src/service/page/lines.js";
import { gamesIn, ggf, isList, readText, sgf, transcript } from "../../src/service/page/notation.js";
import { START } from "../../src/service/page/rules.js";
import { Session, grade } from "../../src/service/page/session.js";
import { Tree } from "../../src/service/page/tree.js";
import { readNames, withNames } from "../../src/service/page/wthor-names.js";

const TEXT = "{begin}f5d6(f6e6{fine}f4(d6))c3{why}d3";

test("the page asks at once for all that its first view imports", async () => {
  const page = new URL("../../src/service/page/", import.meta.url);
  const needed = new Set(["app.js"]);
  for (const name of needed) {
    const text = await readFile(new URL(name, page), "utf8");
    for (const [, other] of text.matchAll(/^import [^;]*?from "\.\/([\w-]+\.js)"/gm)) needed.add(other);
  }
  needed.delete("app.js");
  const asked = [...(await readFile(new URL("index.html", page), "utf8")).matchAll(/modulepreload" href="\.\/page\/([\w-]+\.js)"/g)].map(([, name]) => name);
  assert.deepEqual(asked, [...needed].sort());
});

test("a tree is written and read again", () => {
  assert.equal(Tree.read(TEXT).text(), TEXT);
  assert.equal(Tree.read("f5(").text(), "f5");
  assert.equal(Tree.read("f5a1d6").text(), "f5", "what is not legal ends its line");
  assert.equal(Tree.read("f5d6(a1f6(c3){lost})(f6e6)c3").text(), "f5d6(f6e6)c3", "and no other");
  assert.equal(Tree.read(")(){}f5))d6").text(), "f5d6", "brackets that close nothing change nothing");
});

test("a promoted line is the main line, and a removed one is gone with all that follows", () => {
  const tree = Tree.read("f5d6(f6e6)c3");
  const side = tree.follow(["f5", "f6", "e6"]);
  tree.promote(side);
  assert.equal(tree.text(), "f5f6(d6c3)e6");
  assert.ok(side.isMain());
  assert.equal(tree.remove(tree.follow(["f5", "f6"])).move, "f5");
  assert.equal(tree.text(), "f5d6c3");
});

test("a session ends what it asked when it goes on, and what it asked of a tree when another is opened", () => {
  const session = new Session(() => undefined);
  const here = session.here.begin("position");
  const along = session.along.begin("graph");
  session.play("f5");
  assert.deepEqual([here.aborted, along.aborted], [true, false]);
  session.open(Tree.ofLine("f5d6"));
  assert.ok(along.aborted);
});

test("an address is opened where the start changed, too", () => {
  const session = new Session(() => undefined);
  session.open(Tree.ofLine("f5d6c3"));
  const board = `${"-".repeat(27)}OX------XO${"-".repeat(27)} O`;
  assert.equal(session.openAddress(new URLSearchParams({ board, moves: "c5" })), null);
  assert.deepEqual([session.tree.start, session.at.moves()], [board, "c5"]);
  assert.equal(session.openAddress(new URLSearchParams("")), null);
  assert.deepEqual([session.tree.start, session.at.ply], [START, 0]);
});

test("going back keeps what came after, another line does not mix with it, variations stay", () => {
  const session = new Session(() => undefined);
  const open = (moves) => session.openAddress(new URLSearchParams({ moves }));
  open("f5d6c3");
  open("f5");
  assert.equal(session.tree.text(), "f5d6c3");
  open("f5f6");
  assert.equal(session.tree.text(), "f5f6");
  session.back();
  session.play("d6");
  open("f5f4");
  assert.equal(session.tree.text(), "f5f6(d6)(f4)");
});

test("an engine that cannot be started here is left for the server", async () => {
  const asked = [];
  globalThis.fetch = async (address) => {
    asked.push(String(address));
    return asked.at(-1).endsWith("/analyse") ? new Response('event: done\ndata: {"depth":3}\n\n') : new Response("", { status: 404 });
  };
  const { position } = new Session(() => undefined);
  const { signal } = new AbortController();
  const search = () => lines.analyse({ position, lines: 1, level: 1, seconds: 1 }, signal, () => undefined);
  lines.searchIn("browser");
  assert.equal((await search()).depth, 3);
  const first = asked.length;
  assert.equal((await search()).depth, 3);
  assert.deepEqual(asked.slice(first), ["/api/v1/analyse"], "the engine is not tried again");
});

test("losses are seen by whoever moved", () => {
  const session = new Session(() => undefined);
  session.open(Tree.ofLine("f5d6c3"));
  const [start, f5, d6, c3] = session.line();
  session.learn(start, 1);
  session.learn(f5, 2);
  session.learn(d6, 5);
  session.learn(c3, -4);
  assert.deepEqual([f5, d6, c3].map((node) => session.loss(node)), [3, 7, 1]);
  assert.deepEqual([0.5, 1, 3, 7].map(grade), ["", "slip", "mistake", "blunder"]);
});

test("text of every kind is read", () => {
  assert.equal(readText("1. F5 d6 2. c3").tree.text(), "f5d6c3");
  assert.equal(readText("tiger"), null);
  assert.equal(readText(START.replaceAll("X", "*").replaceAll("-", ".")).tree.start, START);
  assert.equal(readText("(;FF[4]GM[2]C[a \\] b];B[fe];W[d6](;B[c3])(;B[c4]))").tree.text(), "{a ] b}f5d6c3(c4)");
  assert.equal(gamesIn("(;B[f5](;W[d6])(;W[f6])) (;C[\\](;])"), 2);
});

test("who played is read, what is wrong is told, and lists are told from games", () => {
  const read = readText("(;GM[2]PB[A\\]B]PW[?]EV[Cup]DT[1999-05-01];B[f5];W[a1];B[d6])");
  assert.deepEqual(read.heading, { black: "A]B", white: null, event: "Cup", year: 1999 });
  assert.deepEqual([read.wrong, read.at, read.tree.text()], ["a1", 2, "f5"]);
  assert.equal(readText("(;GM[2];B[f5])").heading, null);
  assert.ok(isList("f5d6c3\nf5f6e6\n"));
  assert.ok(!isList("f5 d6\nc3 d3\n"), "one game in two lines");
});

test("an address that was left comes back with its own variations", () => {
  const session = new Session(() => undefined);
  session.open(Tree.read("d3c3(c5)"));
  session.openAddress(new URLSearchParams({ moves: "f5f6" }), "f5d6(f6)");
  assert.equal(session.tree.text(), "f5d6(f6)");
  assert.equal(session.at.move, "f6");
});

test("what is written is read again, passes and starts included", () => {
  const start = "-OX-----------------------------------------------------XO------ X";
  for (const tree of [Tree.read(TEXT), Tree.ofLine("a1", start)]) {
    const again = readText(sgf(tree, { black: "A]B" })).tree;
    assert.equal(again.text(), tree.text());
    assert.equal(again.start, tree.start);
    assert.equal(transcript(readText(ggf(tree, tree.root)).tree.root), transcript(tree.root));
  }
});

test("WTHOR's numbers become names where there is a table", async () => {
  const entry = (name, width) => [...Buffer.from(name, "latin1"), ...Array(width - name.length).fill(0)];
  const file = (name, width, names) => new File([new Uint8Array([...Array(16).fill(0), ...names.flatMap((one) => entry(one, width))])], name);
  const names = await readNames([file("x.JOU", 20, ["", "Rose Brian"]), file("x.trn", 26, ["Préqualif"])]);
  const game = withNames({ black: "#1", white: "#7", event: "#0", moves: "f5" }, names);
  assert.deepEqual([game.black, game.white, game.event], ["Rose Brian", "#7", "Préqualif"]);
});
