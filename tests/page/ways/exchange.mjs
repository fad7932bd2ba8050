// What comes in and goes out: text, boards, files, links, pictures.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";

const LINE = "f5d6c3d3c4f4f6";

/** Catches what the page copies and downloads. */
const CATCH = `
  window.caught = [];
  Object.defineProperty(navigator, "clipboard", { value: { writeText: async (text) => void caught.push(text) } });
  URL.createObjectURL = (blob) => (blob.text().then((text) => caught.push(blob.type + " " + blob.size + " " + text)), "#");
  HTMLAnchorElement.prototype.click = function () { caught.push(this.download); };
`;
const caught = async (page, count) => {
  await page.until(`caught.length >= ${count}`);
  return page.run("caught.splice(0)");
};

export const ways = [
  {
    name: "an opening is found by part of its name, with suggestions",
    both: true,
    async run(page) {
      await page.goto("/");
      await page.count("#moves .move", 4);
      await page.type("#transcript", "tig");
      await page.until("document.querySelectorAll('#offers [role=option]').length > 1");
      await page.picture("suggestions");
      await page.press("ArrowDown", "Enter");
      await page.has("#opening", "Tiger");
      await page.type("#transcript", "stephenson");
      await page.press("Escape", "Enter");
      await page.has("#opening", "Stephenson");
    },
  },
  {
    name: "games are pasted as text, GGF, SGF and boards",
    both: true,
    async run(page) {
      await page.goto("/");
      await page.count("#moves .move", 4);
      await page.paste(`1. F5 d6 2. c3 D3\nc4 f4 f6`);
      await page.search(`?moves=${LINE}`);
      await page.paste("(;GM[Othello]PC[x]PB[A]PW[B]RE[?]TY[8]BO[8 ---------------------------O*------*O--------------------------- *]B[d3//0.5]W[c3/1.2];)");
      await page.search("?moves=d3c3");
      await page.paste("(;FF[4]GM[2];B[f5](;W[d6];B[c3]C[good])(;W[f6];B[e6]))");
      await page.search("?moves=f5d6c3");
      await page.count("#path .side .ply", 2);
      await page.has("#path .said", "good");
      await page.paste("-".repeat(20) + "X" + "-".repeat(5) + "XXXO----OOX-----XO" + "-".repeat(20) + " O");
      await page.until("location.search.includes('board=')");
      await page.type("#transcript", "f5d6c3d3c4 a1");
      await page.press("Enter");
      await page.has("#toast", "a1");
      await page.search("?moves=f5d6c3d3c4");
      await page.type("#transcript", "nonsense");
      await page.press("Enter");
      await page.has("#toast", "neither");
    },
  },
  {
    name: "what is on the board is copied and kept in every form",
    both: true,
    async run(page) {
      await page.goto(`/?moves=${LINE}&tree=${encodeURIComponent("f5d6(f6e6)c3{why}d3c4f4f6")}`);
      await page.count("#path .ply", 9);
      await page.run(CATCH);
      await page.click("#out summary");
      await page.click("#share");
      const [link] = await caught(page, 1);
      assert.match(decodeURIComponent(link), /\?moves=f5d6c3d3c4f4f6#tree=f5d6\(f6e6\)c3\{why\}d3c4f4f6/);
      await page.click("[data-copy=text]");
      assert.deepEqual(await caught(page, 1), [LINE]);
      await page.click("[data-copy=GGF]");
      const [ggf] = await caught(page, 1);
      assert.match(ggf, /^\(;GM\[Othello\].*BO\[8 -{27}O\*-{6}\*O-{27} \*\]B\[f5\]W\[d6\]B\[c3\]W\[d3\]B\[c4\]W\[f4\]B\[f6\];\)$/);
      await page.click("[data-copy=SGF]");
      const [sgf] = await caught(page, 1);
      assert.match(sgf, /;B\[f5\]\(;W\[d6\];B\[c3\]C\[why\];W\[d3\];B\[c4\];W\[f4\];B\[f6\]\)\(;W\[f6\];B\[e6\]\)\)$/);
      await page.click("[data-copy=board]");
      const [board] = await caught(page, 1);
      assert.match(board, /^[XO-]{64} O$/);
      await page.click("[data-download=svg]");
      const svg = (await caught(page, 2)).join("\n");
      assert.match(svg, /board\.svg/);
      assert.match(svg, /<text[^>]*>7<\/text>/);
      await page.click("[data-download=png]");
      assert.match((await caught(page, 2)).join("\n"), /image\/png/);
      await page.goto(link.slice(new URL(link).origin.length));
      await page.count("#path .side .ply", 2);
      await page.has("#path .said", "why");
    },
  },
  {
    name: "games are dropped anywhere, as text and as files",
    both: true,
    async run(page) {
      await page.goto("/");
      await page.count("#moves .move", 4);
      const drop = (text, name) => page.run((what, called) => {
        const data = new DataTransfer();
        if (called) data.items.add(new File([what], called));
        else data.setData("text/plain", what);
        document.querySelector("#board").dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
      }, text, name);
      await drop(LINE);
      await page.search(`?moves=${LINE}`);
      await drop(`${LINE}\nf5f6e6f4g5\n`, "two.txt");
      await page.has(".files .summary", "two.txt: 2 games");
      await page.count("#games .game", 2);
    },
  },
  {
    name: "a board is set up by hand",
    async run(page) {
      await page.goto("/");
      await page.count("#moves .move", 4);
      await page.click("#edit");
      await page.click("[data-square=c4]");
      await page.click("#editor [name=brush][value='2'] + span");
      await page.click("[data-square=c5]");
      await page.picture("set-up");
      await page.click("#editor [name=turn][value='2'] + span");
      await page.click("#edited");
      await page.count(".disc", 6);
      await page.until("location.search.includes('board=')");
      await page.has("#facts", "White to move");
      await page.until("document.querySelectorAll('#moves .move').length > 0");
    },
  },
  {
    name: "several files at once are browsed with all their games and WTHOR's names",
    both: true,
    async run(page, { folder }) {
      await page.goto("/");
      await page.count("#moves .move", 4);
      await page.upload("#file", `${folder}/sample.wtb`);
      await page.has(".files .summary", "players are numbers");
      await page.upload("#file", `${folder}/sample.wtb`, `${folder}/sample.jou`, `${folder}/sample.trn`, `${folder}/club.ggf`);
      await page.has(".files .summary", "club.ggf: 425 games (GGF)");
      await page.has(".files .summary", "sample.wtb");
      await page.has("#games-summary", "200 of");
      const names = await page.run("[...document.querySelectorAll('#games .game')].slice(0, 20).map((game) => game.innerText).join()");
      assert.doesNotMatch(names, /#\d/);
      await page.click("#games-more");
      await page.has("#games-summary", "400 of");
      await page.type("#filter", (await readFile(`${folder}/club.ggf`, "utf8")).match(/PB\[(\w+)/)[1]);
      await page.until("!document.querySelector('#games-summary').innerText.startsWith('400')");
      await page.click("#games .game");
      await page.until("document.querySelectorAll('#path .ply').length > 40");
      await page.picture("explore-file");
    },
  },
];
