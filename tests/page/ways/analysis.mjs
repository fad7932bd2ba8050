// The analysis board.

import assert from "node:assert/strict";

const discs = (page, count) => page.count(".disc", count);
/** The moves of the tree as they are shown, without what they cost. */
const plies = (page) => page.run("[...document.querySelectorAll('#path .ply')].map((ply) => ply.firstChild.textContent).join(' ')");
const BOARD = "--------------------X-----XXXO----OOX-----XO-------------------- O";

export const ways = [
  {
    name: "a line is explored by clicks and the address shows it again",
    both: true,
    async run(page) {
      await page.goto("/");
      await page.count("#moves .move", 4);
      await discs(page, 4);
      await page.until("document.querySelectorAll('.moves .bar i').length > 0");
      await page.click("[data-square=f5]");
      await page.search("?moves=f5");
      await page.count("#moves .move", 3);
      await page.click("#moves [data-move=d6]");
      await page.search("?moves=f5d6");
      await discs(page, 6);
      assert.equal(await plies(page), "f5 d6");
      await page.count("#samples .game", 6);
      await page.has("#samples h2", "6 of");
      await page.page.reload();
      await discs(page, 6);
      await page.page.goBack();
      await discs(page, 5);
      await page.search("?moves=f5");
      await page.count("#path .ply", 2);
    },
  },
  {
    name: "lines may come from an engine in the browser, which asks the server for nothing",
    both: true,
    async run(page) {
      await page.goto("/");
      await page.count("#moves .move", 4);
      const idle = () => page.until("document.querySelectorAll('#engine-lines li').length === 3 && !document.querySelector('#search').classList.contains('busy')");
      await idle();
      await page.click("#settings-open");
      await page.click("[name=engine][value=browser] + span");
      await page.press("Escape");
      // The engine may be there by now.
      const since = await page.run("performance.now()");
      await page.click("[data-square=f5]");
      await page.search("?moves=f5");
      await page.until("document.querySelector('#search').classList.contains('busy')");
      await idle();
      const asked = (from) => page.run((from) => performance.getEntriesByType("resource").filter((one) => one.startTime >= from).map((one) => new URL(one.name).pathname), from);
      assert.ok((await asked(0)).includes("/page/engine.wasm"));
      assert.ok(!(await asked(since)).includes("/api/v1/analyse"));
    },
  },
  {
    name: "a pasted board is played on and survives a visit elsewhere",
    async run(page) {
      await page.goto("/");
      await page.count("#moves .move", 4);
      await page.type("#transcript", BOARD);
      await page.press("Enter");
      await page.search(`?board=${BOARD.replace(" ", "+")}`);
      await page.run("document.querySelector('.cell.legal').click()");
      await page.count("#path .ply", 1);
      await page.run("document.querySelector('.cell.legal').click()");
      await page.count("#path .ply", 2);
      await page.click("nav [data-view=play]");
      await page.until("document.querySelector('#begin')");
      await page.click("nav [data-view=explore]");
      await page.count("#path .ply", 2);
      await page.until("document.querySelectorAll('#moves .move').length > 0");
      await page.click(".brand");
      await discs(page, 4);
      await page.count("#moves .move", 4);
    },
  },
  {
    name: "a side move opens a branch that is walked, promoted, commented and deleted by keyboard alone",
    both: true,
    async run(page) {
      await page.goto("/?moves=f5d6c3d3c4");
      await page.count("#path .ply", 5);
      await page.focus("#graph svg");
      await page.press("Home", "ArrowRight");
      await page.search("?moves=f5");
      // Out of the graph, arrows walk through the game.
      await page.run("document.activeElement.blur()");
      await page.focus("[data-square=f6]");
      await page.press("Enter");
      await page.search("?moves=f5f6");
      await page.count("#path .side .ply", 1);
      await page.run("document.activeElement.blur()");
      await page.press("ArrowUp");
      await page.search("?moves=f5d6");
      await page.press("ArrowDown");
      await page.search("?moves=f5f6");
      await page.focus("#comment");
      await page.page.keyboard.type("the diagonal");
      await page.focus("#promote");
      await page.press("Enter");
      await page.has("#path .said", "the diagonal");
      assert.equal(await plies(page), "f5 f6 d6 c3 d3 c4");
      await page.page.reload();
      await page.has("#path .said", "the diagonal");
      await page.focus("#path .side .ply");
      await page.press("Enter");
      await page.search("?moves=f5d6");
      await page.focus("#remove");
      await page.press("Enter");
      await page.search("?moves=f5");
      await page.count("#path .ply", 2);
      await page.focus("#anew");
      await page.press("Enter");
      await page.search("");
      await page.count("#path .ply", 0);
    },
  },
  {
    name: "the engine tells its lines, goes deeper, and goes on without end until told",
    both: true,
    async run(page) {
      await page.goto("/?moves=f5d6c3d3c4f4f6");
      await page.count("#engine-lines li", 3);
      await page.has("#search", "depth");
      await page.until("!document.querySelector('#search').classList.contains('busy')");
      await page.page.select("#lines", "1");
      await page.count("#engine-lines li", 1);
      await page.focus("#engine-lines button:nth-child(3)");
      await page.until("document.querySelector('.peek svg')?.checkVisibility()");
      await page.picture("engine-line");
      await page.focus("#deeper");
      await page.press("Enter");
      await page.until("document.querySelector('#search').classList.contains('busy')");
      await page.click("#endless");
      await page.until("document.querySelector('#endless').ariaPressed === 'true'");
      await page.count("#engine-lines li", 1);
      await page.click("#endless");
      await page.click("#engine-lines button:nth-child(2)");
      await page.until("document.querySelectorAll('#path .ply').length === 9");
      await page.click("#engine");
      await page.count("#engine-lines li", 0);
    },
  },
  {
    name: "a position that the book does not know is searched",
    async run(page) {
      await page.goto(`/?board=${encodeURIComponent(BOARD)}`);
      await page.has("#opening", "Out of book");
      await page.until("document.querySelectorAll('#engine-lines li').length > 0");
      await page.until("Number(document.querySelector('#eval').getAttribute('aria-valuenow')) !== 0");
      await page.until("[...document.querySelectorAll('#moves .tag')].every((tag) => tag.innerText === 'live')");
    },
  },
  {
    name: "why a value is what it is",
    both: true,
    async run(page) {
      await page.goto("/?moves=f5d6c3");
      await page.until("!document.querySelector('#why')?.hidden");
      await page.click("#why summary");
      await page.has("#because", "Rests on");
      const steps = await page.run("document.querySelectorAll('#because .ply').length");
      await page.run("[...document.querySelectorAll('#because .ply')].at(-1).click()");
      await page.until(`document.querySelectorAll('#path .ply').length === ${3 + steps}`);
    },
  },
  {
    name: "moves that give discs away are coloured",
    async run(page) {
      await page.goto("/?moves=f5d6c3d3c4f4f6f3e6e7");
      await page.until("document.querySelectorAll('#path .slip, #path .mistake, #path .blunder').length > 0");
      await page.click("#analyse-line");
      await page.until("document.querySelectorAll('.graph .dot').length === 11");
    },
  },
  {
    name: "what was seen before is asked for again when it may be old",
    writable: true,
    async run(page, server) {
      const games = async () => (await (await fetch(`${server.url}/api/v1/position?moves=f5d6`)).json()).statistics.games;
      const before = await games();
      await page.goto("/?moves=f5d6");
      await page.has(".total", `${before} games`);
      await page.press("ArrowLeft");
      await page.search("?moves=f5");
      const file = "f5d6c3d3c4b3b4c5d2e3f4\n";
      const learned = await fetch(`${server.url}/api/v1/games?name=more.txt&level=0`, { method: "POST", body: file, headers: { authorization: `Bearer ${server.token}` } });
      assert.equal(learned.status, 202);
      while ((await games()) === before) await new Promise((resolve) => setTimeout(resolve, 100));
      await new Promise((resolve) => setTimeout(resolve, 5200));
      await page.press("ArrowRight");
      await page.has(".total", `${before + 1} games`);
    },
  },
  {
    name: "hints of a game are not drawn on another board",
    async run(page) {
      await page.goto("/play");
      await page.click("[name=hints]");
      await page.click("#begin");
      await page.until("document.querySelectorAll('.cell .note').length > 0");
      await page.click("nav [data-view=explore]");
      await page.count("#moves .move", 4);
      await page.click("[data-square=f5]");
      await page.count("#moves .move", 3);
      await new Promise((resolve) => setTimeout(resolve, 1500));
      const notes = await page.run("[...document.querySelectorAll('.cell:has(.note)')].map((cell) => cell.dataset.square).sort().join()");
      assert.equal(notes, "d6,f4,f6");
      await page.click("nav [data-view=play]");
      await page.click("[data-square=c4]");
      await page.until("document.querySelectorAll('.disc').length === 5");
      await page.press("Backspace");
      await discs(page, 4);
      await new Promise((resolve) => setTimeout(resolve, 1500));
      const again = await page.run("[...document.querySelectorAll('.cell:has(.note)')].map((cell) => cell.dataset.square).sort().join()");
      assert.equal(again, "c4,d3,e6,f5");
    },
  },
];
