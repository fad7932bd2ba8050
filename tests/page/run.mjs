// Drives the page as people do, in one browser that is started once:
//     node tests/page/run.mjs chromium|firefox --server URL --writable URL --token TOKEN
//         --folder FILES [--pictures FOLDER] [PART OF A NAME…]
// Each way has a page of its own, with an empty memory. Ends with 1 if any way went wrong.

import { parseArgs } from "node:util";
import { Page, start } from "./browser.mjs";
import { ways as analysis } from "./ways/analysis.mjs";
import { ways as looks } from "./ways/looks.mjs";
import { ways as games } from "./ways/games.mjs";
import { ways as play } from "./ways/play.mjs";
import { ways as growing } from "./ways/growing.mjs";
import { ways as exchange } from "./ways/exchange.mjs";
import { ways as hostile } from "./ways/hostile.mjs";

const { values, positionals: [kind, ...wanted] } = parseArgs({
  allowPositionals: true,
  options: { server: { type: "string" }, writable: { type: "string" }, token: { type: "string" }, folder: { type: "string" }, pictures: { type: "string" } },
});
const all = [...analysis, ...exchange, ...games, ...play, ...growing, ...hostile, ...looks];
const chosen = all.filter(({ name, both }) => (kind === "chromium" || both) && (wanted.length === 0 || wanted.some((part) => name.includes(part))));

const browser = await start(kind);
let failed = 0;
for (const { name, run, look, dark, writable, language, complains } of chosen) {
  const began = Date.now();
  const server = { url: writable ? values.writable : values.server, token: values.token, folder: values.folder };
  const page = await Page.open(browser, { server, pictures: values.pictures, look, dark, language });
  try {
    await run(page, server);
    if (!complains && page.complaints.length > 0) throw new Error(`the console complained: ${page.complaints.join("; ")}`);
    console.log(`ok      ${name} (${Date.now() - began} ms)`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED  ${name}\n  ${error.stack}\n  ${page.complaints.join("\n  ")}`);
  }
  await page.close();
}
await browser.close();
console.log(`${chosen.length - failed} of ${chosen.length} ways, ${kind}`);
process.exitCode = failed || chosen.length === 0 ? 1 : 0;
