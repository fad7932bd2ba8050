// The machines of a real cluster, as the page shows them; tests/cluster starts and ends them:
//     node tests/page/cluster.mjs URL TOKEN
// Says "both" when two machines are shown, "worked" when both have answered something, and "one" when
// one of them is shown to be gone, whom somebody else has to end.

import { Page, start } from "./browser.mjs";

const [url, token] = process.argv.slice(2);
const browser = await start("chromium");
const page = await Page.open(browser, { server: { url } });
const rows = "[...document.querySelectorAll('#machines tbody tr')]";
await page.goto("/grow");
await page.type("#token", token);
await page.press("Enter");
await page.until(`${rows}.length === 2 && ${rows}.every((row) => !row.classList.contains('dim'))`);
console.log("both");
await page.type("#expand-many", "100000");
await page.click("#expand");
await page.until(`${rows}.every((row) => Number(row.cells[2].innerText) > 0)`);
await page.has("#machines", "questions answered");
console.log("worked");
await page.until(`${rows}.some((row) => row.classList.contains('dim') && row.innerText.includes('gone for'))`);
await page.click(".job.running [data-stop]");
await page.until("document.querySelector('.job.stopped')");
if (page.complaints.length > 0) throw new Error(page.complaints.join("\n"));
console.log("one");
await browser.close();
