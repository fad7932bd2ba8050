// Games against the house.

import assert from "node:assert/strict";

const READY = "/wins|draw/.test(document.querySelector('#status').innerText) || (/Your move/.test(document.querySelector('#status').innerText) && document.querySelectorAll('.cell.legal').length > 0)";
const OVER = "/wins|draw/.test(document.querySelector('#status').innerText)";

export const ways = [
  {
    name: "a game is played to its end by keyboard alone, and looked at afterwards",
    both: true,
    async run(page) {
      await page.goto("/play");
      await page.until("document.querySelector('#strength')");
      await page.focus("#strength");
      await page.press("Home");
      await page.focus("#begin");
      await page.press("Enter");
      await page.until("/Your move/.test(document.querySelector('#status').innerText)");
      await page.until("document.activeElement.matches('.cell')");
      await page.picture("play-begun");
      for (let move = 0; move < 64; move++) {
        await page.until(READY);
        if (await page.run(OVER)) break;
        const keys = await page.run(() => {
          const at = document.activeElement.dataset.square ?? "d4";
          const to = document.querySelector(".cell.legal").dataset.square;
          const [right, down] = [to.charCodeAt(0) - at.charCodeAt(0), to.charCodeAt(1) - at.charCodeAt(1)];
          return [...Array(Math.abs(right)).fill(right > 0 ? "ArrowRight" : "ArrowLeft"), ...Array(Math.abs(down)).fill(down > 0 ? "ArrowDown" : "ArrowUp"), "Enter"];
        });
        await page.press(...keys);
      }
      await page.until(OVER);
      await page.focus("#review");
      await page.press("Enter");
      await page.until("document.querySelector('#reviewed')");
      assert.ok(await page.run("document.querySelectorAll('.graph .dot').length") > 20);
      await page.picture("play-reviewed");
      await page.has("#reviewed", "lost per move");
      if (await page.run("Boolean(document.querySelector('.cost .plain'))")) {
        const again = await page.run("document.querySelector('.cost .plain').closest('li').querySelector('span').innerText");
        await page.click(".cost .plain");
        await page.until("/Your move|thinking/.test(document.querySelector('#status').innerText)");
        const ply = Number(again.match(/\d+/)[0]) - 1;
        await page.until(`document.querySelectorAll('#path .ply').length >= ${ply}`);
      }
    },
  },
  {
    name: "arrow keys look back through a game without taking back, Backspace takes back",
    async run(page) {
      await page.goto("/play");
      await page.click("#begin");
      await page.until(READY);
      await page.click("[data-square=f5]");
      await page.until("document.querySelectorAll('#path .ply').length === 2 && /Your move/.test(document.querySelector('#status').innerText)");
      await page.run("document.activeElement.blur()");
      await page.press("ArrowLeft", "ArrowLeft");
      await page.has("#status", "Looking back");
      await page.count(".disc", 4);
      await page.count("#path .ply", 2);
      await page.press("End");
      await page.has("#status", "Your move");
      await page.press("Backspace");
      await page.count("#path .ply", 0);
      await page.count(".disc", 4);
    },
  },
  {
    name: "a game begins from any position, with a clock and hints",
    async run(page) {
      await page.goto("/?moves=f5d6c3");
      await page.count("#path .ply", 3);
      await page.click("#play-here");
      await page.has(".setup", "From the position on the board");
      await page.click("[name=side][value=white] + span");
      await page.click("[name=clock][value='5'] + span");
      await page.click("#begin");
      await page.until("/Your move/.test(document.querySelector('#status').innerText)");
      await page.count(".disc", 7);
      await page.has("#players time", ":");
      await page.until("/4:5/.test(document.querySelector('.player.white time').innerText)");
      await page.click("#hints");
      await page.until("document.querySelectorAll('.cell .note').length > 0");
      await page.until("document.querySelector('#eval')");
      await page.click("#resign");
      await page.has("#status", "You resigned");
      await page.has("#opening", "Emilia wins");
    },
  },
  {
    name: "the programs of the papers are shown and one is played against",
    both: true,
    async run(page) {
      await page.goto("/");
      await page.click("nav [data-view=programs]");
      await page.count("#programs .program", 5);
      assert.equal(await page.text("#programs .year"), "1981");
      assert.equal(await page.text("#programs h2"), "IAGO");
      await page.picture("programs");
      await page.click("[data-player=keyano]");
      await page.until("document.querySelector('#opponent')?.value === 'keyano'");
      await page.has("#idea", "1997. ");
      await page.click("#begin");
      await page.has("#players", "KEYANO");
      // Another invitation does not end a game that is being played.
      await page.click("nav [data-view=programs]");
      await page.click("[data-player=iago]");
      await page.has("#toast", "You are playing KEYANO");
      await page.has("#players", "KEYANO");
    },
  },
];
