// A real browser without a window, Chromium or Firefox, both told what to do by puppeteer.

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import puppeteer from "puppeteer-core";

/** How long anything on the page may take to appear; the machine may be busy, and jobs of the server come last there. */
const PATIENCE = 120_000;
/** How long the page looks for something before it is asked anew: it may be another page by then. */
const A_WHILE = 1000;
const EXECUTABLES = { chromium: "/usr/bin/chromium", firefox: "/usr/bin/firefox-esr" };
// Containers run as root and have little shared memory.
const ARGUMENTS = { chromium: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--hide-scrollbars"], firefox: [] };

export const DESK = { width: 1280, height: 900 };
export const PHONE = { width: 390, height: 844 };

export async function start(kind) {
  const browser = await puppeteer.launch({
    browser: kind === "firefox" ? "firefox" : "chrome",
    executablePath: EXECUTABLES[kind],
    args: ARGUMENTS[kind],
    protocol: kind === "firefox" ? "webDriverBiDi" : "cdp",
  });
  return { kind, browser, close: () => browser.close() };
}

/** A page with a memory of its own, which starts empty. */
export class Page {
  static async open({ kind, browser }, { server, pictures, look = DESK, dark = false, language }) {
    const context = await browser.createBrowserContext();
    const page = await context.newPage();
    const self = new Page(kind, context, page, server, pictures);
    page.on("console", (message) => ["error", "warn"].includes(message.type()) && self.complaints.push(message.text()));
    page.on("pageerror", (error) => self.complaints.push(String(error.stack ?? error)));
    await page.setViewport({ ...look, ...(kind === "chromium" && { isMobile: look.width < 600 }) });
    if (kind === "chromium") await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }]);
    if (language) await page.evaluateOnNewDocument((wanted) => localStorage.setItem("emilia.settings", JSON.stringify({ language: wanted })), language);
    return self;
  }

  constructor(kind, context, page, server, pictures) {
    Object.assign(this, { kind, context, page, server, pictures, complaints: [] });
  }

  async goto(path) {
    await this.page.goto(this.server.url + path, { waitUntil: "load" });
  }

  close() {
    return this.context.close();
  }

  /** Runs in the page. */
  run(what, ...args) {
    return this.page.evaluate(what, ...args);
  }

  /** Waits until an expression of the page is true. The page itself looks again and again: to be asked each time takes browsers longer than to look. */
  async until(expression) {
    const end = Date.now() + PATIENCE;
    const looks = `new Promise((resolve) => {
      const end = performance.now() + ${A_WHILE};
      const look = () => {
        let is = false;
        try {
          is = Boolean(${expression});
        } catch {
          // It is not there yet.
        }
        if (is || performance.now() > end) resolve(is);
        else setTimeout(look, 25);
      };
      look();
    })`;
    for (;;) {
      // A page that is just being left has no answer.
      const late = new Promise((resolve) => setTimeout(resolve, 2 * A_WHILE, false).unref());
      if (await Promise.race([this.page.evaluate(looks).catch(() => false), late])) return;
      if (Date.now() > end) {
        await this.picture("gave-up");
        throw new Error(`never: ${expression}\n  at ${this.page.url()}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }

  async has(selector, text) {
    await this.until(`(document.querySelector(${JSON.stringify(selector)})?.innerText ?? "").includes(${JSON.stringify(text)})`);
  }

  async count(selector, wanted) {
    await this.until(`document.querySelectorAll(${JSON.stringify(selector)}).length === ${wanted}`);
  }

  async search(wanted) {
    await this.until(`decodeURIComponent(location.search) === ${JSON.stringify(wanted)}`);
  }

  text(selector) {
    return this.page.evaluate((one) => document.querySelector(one)?.innerText ?? "", selector);
  }

  async click(selector) {
    await this.until(`document.querySelector(${JSON.stringify(selector)})?.checkVisibility()`);
    await this.page.evaluate((one) => document.querySelector(one).scrollIntoView({ block: "center" }), selector);
    // What is drawn anew between looking and pressing is pressed again, as people do.
    await this.page.click(selector).catch(() => this.page.click(selector));
  }

  /** Puts the keyboard's focus on something. */
  async focus(selector) {
    await this.until(`document.querySelector(${JSON.stringify(selector)})?.checkVisibility()`);
    await this.page.evaluate((one) => document.querySelector(one).focus(), selector);
  }

  async type(selector, text) {
    await this.click(selector);
    await this.page.evaluate((one) => (document.querySelector(one).value = ""), selector);
    await this.page.keyboard.type(text);
  }

  async press(...keys) {
    for (const key of keys) await this.page.keyboard.press(key);
  }

  async upload(selector, ...paths) {
    await this.until(`document.querySelector(${JSON.stringify(selector)})`);
    const input = await this.page.$(selector);
    await input.uploadFile(...paths);
  }

  /** As somebody would who pastes with the keyboard; Firefox wants the text by another name. */
  async paste(text) {
    await this.page.evaluate((what) => {
      const data = new DataTransfer();
      data.setData("text/plain", what);
      document.activeElement.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, dataType: "text/plain", data: what, bubbles: true, cancelable: true }));
    }, text);
  }

  async picture(name) {
    if (!this.pictures) return;
    await mkdir(this.pictures, { recursive: true });
    await this.page.screenshot({ path: join(this.pictures, `${this.kind === "firefox" ? "firefox-" : ""}${name}.png`) });
  }
}
