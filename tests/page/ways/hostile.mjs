// Rubbish, haste, broken links, servers that go away, browsers that keep nothing: nothing of it may
// stop the page, run as a program, or leave what is shown and what is true apart.

import assert from "node:assert/strict";
import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const LINE = "f5d6c3d3c4f4f6";
const OTHER = "(;GM[2];B[d3](;W[c3];B[c4])(;W[c5];B[d6]))";
const MARKUP = '<img src=x onerror="window.bad = 1"><script>window.bad = 2</script>';
const plies = (page) => page.run("[...document.querySelectorAll('#path .ply')].map((ply) => ply.firstChild.textContent).join(' ')");
const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
/** What is written on the board is of the position that the list of moves is of. */
const agrees = (page) => page.until("(() => { const all = (selector, name) => [...document.querySelectorAll(selector)].map((one) => one.dataset[name]).sort().join(); return all('.cell.legal', 'square') === all('#moves .move', 'move') && all('.cell:has(.note)', 'square') === all('.cell.legal', 'square'); })()");
/** Files that are dropped on the board, by name and content. */
const drop = (page, files) => page.run((all) => {
  const data = new DataTransfer();
  for (const [name, content] of all) data.items.add(new File([Array.isArray(content) ? new Uint8Array(content) : content], name));
  document.querySelector("#board").dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
}, files);

export const ways = [
  {
    name: "rubbish is refused with a sentence and changes nothing",
    both: true,
    async run(page) {
      await page.goto(`/?moves=${LINE}`);
      await page.count("#path .ply", 7);
      const rubbish = ["?", "\u0000\u0001\ufffd", "🙂🙂", "X".repeat(64), "-".repeat(63) + " X", "lorem ipsum ".repeat(100_000), MARKUP, "9f8e7d6c".repeat(9)];
      for (const text of rubbish) {
        await page.run("document.querySelector('#toast').hidden = true");
        await page.paste(text);
        await page.until("document.querySelector('#toast').checkVisibility()");
        await page.search(`?moves=${LINE}`);
      }
      // Brackets without a game are an empty one; what is not legal is told.
      for (const text of ["(;", "(;)", `(;${"(".repeat(1000)}`]) {
        await page.paste(text);
        await page.search("");
        await page.paste(LINE);
        await page.search(`?moves=${LINE}`);
      }
      await page.paste("(;GM[2];B[f5];W[a1];B[d6])");
      await page.has("#toast", "Move 2, “a1”, is not legal");
      await page.paste(`${LINE} `.repeat(50_000));
      await page.has("#toast", "Move 8, “f5”, is not legal");
      await page.search(`?moves=${LINE}`);
      await agrees(page);
    },
  },
  {
    name: "names and comments are words, never markup",
    both: true,
    async run(page) {
      await page.goto("/");
      await page.count("#moves .move", 4);
      const long = "long".repeat(60);
      const game = `(;GM[Othello]PC[${MARKUP}]DT[2001]PB[${MARKUP}]PW[${long}]RE[?]TY[8]BO[8 ---------------------------O*------*O--------------------------- *]B[f5]W[d6]B[c3];)`;
      await page.paste(`(;GM[2]PB[${MARKUP}]PW[${long}]C[${MARKUP}];B[f5]C[${MARKUP}];W[d6])`);
      await page.has("#players", "<img src=x");
      await page.has("#path .said", "<script>");
      await page.has("#facts", long);
      assert.ok(await page.run("document.documentElement.scrollWidth <= innerWidth"), "a long name sticks out");
      await page.picture("hostile-names");
      await drop(page, [["<b>.ggf", game + game]]);
      await page.has(".files .summary", "<b>.ggf: 2 games");
      await page.click("#games .game");
      await page.has("#players", "<img src=x");
      await page.page.reload();
      await page.has("#players", "<img src=x");
      assert.deepEqual(await page.run("['bad' in window, document.querySelectorAll('main img, main script, .summary b').length]"), [false, 0]);
      assert.ok(await page.run("document.documentElement.scrollWidth <= innerWidth"), "a long name in a list sticks out");
    },
  },
  {
    name: "boards without a move, without a disc and without an empty square are shown for what they are",
    async run(page) {
      const boards = { [`${"X".repeat(64)} O`]: "Black wins by 64", [`${"-".repeat(64)} X`]: "A draw", [`${"X".repeat(20)}${"-".repeat(44)} X`]: "Black wins by 64", [`${"XO".repeat(32)} X`]: "A draw" };
      for (const [board, result] of Object.entries(boards)) {
        await page.goto(`/?board=${encodeURIComponent(board)}`);
        await page.has("#facts", result);
        await page.has("#opening", "The end");
        await page.count("#moves .move", 0);
        assert.equal(await page.run("document.querySelector('#play-here').checkVisibility()"), false);
        assert.equal(await page.run("document.querySelector('#search').classList.contains('busy')"), false);
        await page.goto(`/play?board=${encodeURIComponent(board)}`);
        await page.click("#begin");
        await page.has("#status", result);
      }
      // Black has to pass: White moves.
      await page.goto(`/?board=${encodeURIComponent(`-XOOOOOO${"-".repeat(56)} X`)}`);
      await page.has("#facts", "White to move");
      await page.click("[data-square=a1]");
      await page.has("#facts", "White wins by 64");
    },
  },
  {
    name: "damaged files do not keep others from being read",
    both: true,
    async run(page) {
      await page.goto("/games");
      await page.until("document.querySelector('#find-games')");
      const noise = [...Array(3000).keys()].map((at) => (at * 7919 + 13) % 256);
      // Dropped on another view, files are opened on the board's.
      await page.run("document.querySelector('#board').hidden = false");
      await drop(page, [["noise.wtb", noise], ["empty.ggf", ""], ["names.jou", noise.slice(0, 21)], ["two.txt", `${LINE}\n${LINE}f3\n`], ["noise.bin", noise], ["cut.ggf", "(;GM[Othello]PB[a"]]);
      await page.has(".files .summary", "two.txt: 2 games");
      await page.has(".files .summary", "cannot read noise.bin");
      await page.count("#games .game", 2);
      await page.click("#games .game");
      await page.until("document.querySelectorAll('#path .ply').length === 7");
      // One that is gone is not taken for a server that is.
      const gone = join(tmpdir(), `emilia-gone-${process.pid}-${page.kind}.txt`);
      await writeFile(gone, LINE);
      await page.run("document.querySelector('#file').addEventListener('change', (event) => { window.kept = event.target.files[0]; event.stopImmediatePropagation(); }, { capture: true, once: true })");
      await page.upload("#file", gone);
      await page.until("window.kept");
      await rm(gone);
      await page.run(() => {
        const data = new DataTransfer();
        data.items.add(window.kept);
        document.querySelector("#board").dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
      });
      await page.has(".files .summary", "emilia-gone");
      assert.ok(await page.run("document.querySelector('#away').hidden"));
    },
    // The server says no to some of them.
    complains: true,
  },
  {
    name: "a list of transcripts is a file of games",
    async run(page) {
      await page.goto("/");
      await page.count("#moves .move", 4);
      await page.paste(`${LINE}\nf5f6e6f4\nc4e3f6\n`);
      await page.has(".files .summary", "3 games");
      await page.count("#games .game", 3);
      // Also into the field, which has one line.
      await page.focus("#transcript");
      await page.paste(`${LINE}\nf5f6e6f4\n`);
      await page.has(".files .summary", "2 games");
      await page.count("#games .game", 2);
    },
  },
  {
    name: "whoever walks fast ends up where the address says",
    both: true,
    async run(page) {
      await page.goto("/?moves=f5d6c3d3c4f4f6f3e6e7d7c5c6f7");
      await page.count("#path .ply", 14);
      for (let turn = 0; turn < 12; turn++) {
        await page.press(...Array(10).fill("ArrowLeft"), ...Array(turn % 9).fill("ArrowRight"), "Home", "End");
      }
      await page.press("Home", "ArrowRight", "ArrowRight", "ArrowRight");
      await page.search("?moves=f5d6c3");
      await page.count(".disc", 7);
      await agrees(page);
      await page.until("!document.querySelector('#search').classList.contains('busy')");
      const first = await page.run("document.querySelector('#engine-lines button').innerText");
      assert.ok(await page.run(`document.querySelector('[data-square=${first}]').matches('.legal')`), `${first} is of another position`);
      // Walking is nothing to go back from.
      assert.ok(await page.run("history.length") < 6);
    },
  },
  {
    name: "the wheel walks over the board, and f turns it",
    async run(page) {
      await page.goto(`/?moves=${LINE}`);
      await page.count("#path .ply", 7);
      const { x, y } = await page.run("(({ x, y, width }) => ({ x: x + width / 2, y: y + width / 2 }))(document.querySelector('#board').getBoundingClientRect())");
      await page.page.mouse.move(x, y);
      await page.page.mouse.wheel({ deltaY: -100 });
      await page.search(`?moves=${LINE.slice(0, -2)}`);
      await page.page.mouse.wheel({ deltaY: 100 });
      await page.search(`?moves=${LINE}`);
      await page.press("f");
      assert.equal(await page.run("document.querySelector('.cell').dataset.square"), "h8");
      await page.click("#turn");
      assert.equal(await page.run("document.querySelector('.cell').dataset.square"), "a1");
      assert.equal(await page.run("document.querySelector('[name=turned]').checked"), false);
    },
  },
  {
    name: "views are changed while everything searches",
    both: true,
    async run(page) {
      await page.goto(`/?moves=${LINE}`);
      await page.click("#endless");
      await page.click("#analyse-line");
      for (let turn = 0; turn < 3; turn++) {
        for (const view of ["play", "games", "grow", "programs", "explore"]) await page.click(`nav [data-view=${view}]`);
      }
      await page.count("#path .ply", 7);
      await agrees(page);
      await page.until("document.querySelector('#analyse-line').innerText === 'Analyse all moves'");
      for (let turn = 0; turn < 4; turn++) await page.page.goBack({ waitUntil: [] });
      await page.until("document.querySelector('h1')?.innerText");
    },
  },
  {
    name: "a move is taken back while the opponent thinks",
    both: true,
    async run(page) {
      await page.goto("/play");
      await page.focus("#strength");
      await page.press("End");
      await page.click("#begin");
      await page.until("/Your move/.test(document.querySelector('#status').innerText)");
      for (let turn = 0; turn < 3; turn++) {
        await page.click("[data-square=f5]");
        await page.count(".disc", 5);
        await page.press("Backspace");
        await page.count(".disc", 4);
      }
      await wait(2500);
      await page.count("#path .ply", 0);
      await page.has("#status", "Your move");
    },
  },
  {
    name: "a game outlives a reload, before its end and after",
    both: true,
    async run(page) {
      await page.goto("/play?board=" + encodeURIComponent(`---------------------------OX------XXX${"-".repeat(26)} O`));
      await page.has(".setup", "From the position on the board");
      await page.page.reload();
      await page.has(".setup", "From the position on the board");
      await page.click("[name=side][value=white] + span");
      await page.click("[name=clock][value='5'] + span");
      await page.click("#begin");
      await page.until("/Your move/.test(document.querySelector('#status').innerText)");
      await page.run("document.querySelector('.cell.legal').click()");
      await page.until("document.querySelectorAll('#path .ply').length === 2 && /Your move/.test(document.querySelector('#status').innerText)");
      const before = await plies(page);
      await page.page.reload();
      await page.has("#status", "Your move");
      assert.equal(await plies(page), before);
      await page.until("/4:[345]/.test(document.querySelector('.player.white time').innerText)");
      await page.click("#resign");
      await page.has("#status", "You resigned");
      await page.page.reload();
      await page.has("#status", "You resigned");
      await page.click("#review");
      await page.until("document.querySelector('#reviewed')");
      await page.click("#again");
      await page.page.reload();
      await page.until("document.querySelector('#begin')");
    },
  },
  {
    name: "links that are cut or made by hand open what can be opened",
    async run(page) {
      await page.goto("/?moves=f5d6c");
      await page.count("#path .ply", 2);
      await page.goto("/?moves=f5a1d6");
      await page.has("#toast", "illegal move: a1");
      await page.search("?moves=f5");
      await page.goto("/?board=XO&moves=f5");
      await page.has("#toast", "cannot be read");
      await page.search("?moves=f5");
      await page.goto("/?moves=%&board=%00");
      await page.count("#moves .move", 4);
      await page.goto(`/?moves=${LINE}#tree=${encodeURIComponent("f5d6(f6e6{half a com")}`);
      await page.until("document.querySelectorAll('#path .side .ply').length === 2");
      await page.count("#path .ply", 9);
      for (const view of ["games?position=zz&years=x", "play?board=zz&player=nobody", "grow?x", "programs?y"]) {
        await page.goto(`/${view}`);
        await page.until("document.querySelector('h1')?.innerText");
      }
    },
    // The server says no to what it is asked for.
    complains: true,
  },
  {
    name: "a link with a long tree opens, because no server sees the tree",
    async run(page) {
      const words = "a comment that goes on and on ".repeat(1000);
      await page.goto(`/?moves=f5d6#tree=${encodeURIComponent(`f5d6{${words}}(f6e6{why})c3`)}`);
      await page.count("#path .ply", 5);
      await page.has("#path .side .said", "why");
      await page.search("?moves=f5d6");
    },
  },
  {
    name: "back and forward go from game to game, each with its own variations",
    both: true,
    async run(page) {
      await page.goto("/");
      await page.count("#moves .move", 4);
      await page.paste("(;GM[2]PB[Ann]PW[Bob];B[f5](;W[d6];B[c3])(;W[f6];B[e6]))");
      await page.search("?moves=f5d6c3");
      await page.has("#players", "Ann");
      await wait(400);
      await page.paste(OTHER);
      await page.search("?moves=d3c3c4");
      assert.doesNotMatch(await page.text("#players"), /Ann/);
      await wait(400);
      await page.page.goBack();
      await page.search("?moves=f5d6c3");
      await page.has("#players", "Ann");
      await page.until("document.querySelectorAll('#path .ply').length === 5");
      assert.equal(await plies(page), "f5 d6 f6 e6 c3");
      await page.page.goForward();
      await page.search("?moves=d3c3c4");
      await page.until("document.querySelector('#path .ply')?.innerText === 'd3'");
      assert.equal(await plies(page), "d3 c3 c5 d6 c4");
    },
  },
  {
    name: "a board that is being set up is left by walking on",
    async run(page) {
      await page.goto(`/?moves=${LINE}`);
      await page.count("#path .ply", 7);
      await page.click("#edit");
      await page.click("[data-square=a1]");
      await page.run("document.activeElement.blur()");
      await page.press("ArrowLeft");
      await page.search(`?moves=${LINE.slice(0, -2)}`);
      await page.count("#editor", 0);
      await page.count(".disc", 10);
      await page.count(".grid.free", 0);
      await agrees(page);
      await page.click("#edit");
      await page.click("nav [data-view=explore]");
      await page.count("#editor", 0);
      await agrees(page);
    },
  },
  ...["forbids", "is too full"].map((trouble) => ({
    name: `a browser that ${trouble} to keep anything shows everything`,
    writable: true,
    async run(page, { token }) {
      await page.page.evaluateOnNewDocument((forbids) => {
        const refuse = () => {
          throw new DOMException("no", forbids ? "SecurityError" : "QuotaExceededError");
        };
        if (!forbids) Storage.prototype.setItem = refuse;
        else for (const name of ["localStorage", "sessionStorage"]) Object.defineProperty(window, name, { get: refuse });
      }, trouble === "forbids");
      await page.goto("/");
      await page.click("[data-square=f5]");
      await page.search("?moves=f5");
      await page.click("#moves [data-move=d6]");
      await page.search("?moves=f5d6");
      await agrees(page);
      await page.click("#settings-open");
      await page.click("[name=turned]");
      assert.equal(await page.run("document.querySelector('.cell').dataset.square"), "h8");
      await page.press("Escape");
      await page.click("nav [data-view=play]");
      await page.click("#begin");
      await page.until("/Your move/.test(document.querySelector('#status').innerText)");
      await page.click("[data-square=f5]");
      await page.until("document.querySelectorAll('#path .ply').length === 2");
      await page.click("nav [data-view=grow]");
      await page.type("#token", "ключ");
      await page.press("Enter");
      await page.has("#toast", "not the token");
      await page.type("#token", token);
      await page.press("Enter");
      await page.until("document.querySelector('#jobs')");
    },
  })),
  {
    name: "what others kept under our names is not believed",
    async run(page) {
      await page.page.evaluateOnNewDocument(() => {
        const rubbish = { settings: '{"theme":7,"language":["x"],"turned":"no","engine":{}}', engine: '"?"', lines: '"many"', play: '{"strength":3,"side":"green","clock":"x","player":5}' };
        for (const [name, text] of Object.entries(rubbish)) localStorage.setItem(`emilia.${name}`, text);
        sessionStorage.setItem("emilia.tree", '{"start":"X","text":5,"game":"?"}');
        sessionStorage.setItem("emilia.game", '{"start":5,"moves":null,"player":{"name":"x"}}');
      });
      await page.goto("/");
      await page.count("#moves .move", 4);
      await page.count("#engine-lines li", 3);
      assert.equal(await page.run("document.querySelector('.cell').dataset.square"), "a1");
      await page.click("nav [data-view=play]");
      await page.has("#strength-name", "Club player");
      await page.click("#begin");
      await page.until("/Your move|thinking/.test(document.querySelector('#status').innerText)");
    },
  },
  {
    name: "a server that is gone is said to be, and asked again when it is back",
    complains: true,
    async run(page) {
      await page.goto(`/?moves=${LINE}`);
      await page.until("document.querySelectorAll('#engine-lines li').length > 0 && !document.querySelector('#search').classList.contains('busy')");
      await page.page.setOfflineMode(true);
      await page.press("ArrowLeft");
      await page.has("#away", "does not answer");
      await page.picture("server-gone");
      await page.click("[data-square=c6]");
      await page.count("#path .side .ply", 1);
      await page.page.setOfflineMode(false);
      await page.until("document.querySelector('#away').hidden");
      await page.until("document.querySelectorAll('#engine-lines li').length > 0");
      await agrees(page);
      // A view that was not fetched yet comes when it can.
      await page.page.setOfflineMode(true);
      await page.click("nav [data-view=play]");
      await page.has("#away", "does not answer");
      await page.page.setOfflineMode(false);
      await page.click("#begin");
      await page.until("/Your move/.test(document.querySelector('#status').innerText)");
      await page.page.setOfflineMode(true);
      await page.click("[data-square=f5]");
      await page.has("#status", "does not answer");
      await page.page.setOfflineMode(false);
      await page.until("document.querySelectorAll('#path .ply').length === 2");
      await page.has("#status", "Your move");
    },
  },
  {
    name: "the engine moves into the browser and out again in the middle of a search",
    both: true,
    async run(page) {
      await page.goto(`/?moves=${LINE}`);
      await page.click("#endless");
      await page.until("document.querySelectorAll('#engine-lines li').length > 0");
      await page.run("performance.clearResourceTimings()");
      const asked = (path) => page.until(`performance.getEntriesByType('resource').some((one) => new URL(one.name).pathname === "${path}")`);
      await page.click("#settings-open");
      await page.click("[name=engine][value=browser] + span");
      await asked("/page/engine.wasm");
      await page.until("document.querySelectorAll('#engine-lines li').length > 0");
      // The whole line is searched beside the position, and neither ends the other.
      await page.click("#analyse-line");
      await page.until("document.querySelectorAll('.graph .dot').length === 8 && document.querySelector('#analyse-line').innerText === 'Analyse all moves'");
      await page.until("document.querySelector('#search').classList.contains('busy')");
      await page.run("performance.clearResourceTimings()");
      await page.click("#settings-open");
      await page.click("[name=engine][value=server] + span");
      await asked("/api/v1/analyse");
      await page.press("Escape");
      await page.click("#endless");
      await page.until("document.querySelectorAll('#engine-lines li').length > 0 && !document.querySelector('#search').classList.contains('busy')");
      await agrees(page);
    },
  },
];
