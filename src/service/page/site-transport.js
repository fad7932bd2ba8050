// What the page asks the server, answered without one: positions, lines and openings from the
// book's file, searches and moves by the engine in the browser. The words are the server's.

import { openEngine } from "./engine.js";
import { START, parseBoard, readMoves } from "./rules.js";
import { SiteBook } from "./site-book.js";

const BOOK = new URL("book.bin", import.meta.url);
// Levels that a book would make too strong.
const WEAK = [
  "newcomer", "beginner", "novice", "learner", "casual", "hobby", "amateur", "regular", "club", "league", "regional",
];

/** @type {Promise<SiteBook> | null} */
let opened = null;

/** The book; one that could not be fetched is tried again. */
function book() {
  opened ??= SiteBook.fetch(BOOK).catch((error) => {
    opened = null;
    throw error;
  });
  return opened;
}

/** @param {number} status @param {string} code @param {string} message */
const refuse = (status, code, message) => Response.json({ error: { code, message } }, { status });

/** Where a request is: moves from the start, or a board. @param {{ moves?: string | null, board?: string | null }} asked */
function where({ moves, board }) {
  if (board) return { position: parseBoard(board), line: null };
  const { line, position, wrong } = readMoves(parseBoard(START), moves ?? "");
  if (wrong) throw new RangeError(`move ${line.length + 1}: '${wrong}' is not a legal move`);
  return { position, line };
}

/** @param {string} text */
const named = (text) => (/^[XO-]{64} ?[XO]$/.test(text) ? { board: text } : { moves: text });

/** What a weak or an unread player does not ask; null where the book has no move. @param {any} wanted @param {Position} position */
async function bookMove({ book: asks = true, level = "full" }, position) {
  if (!asks || WEAK.includes(level)) return null;
  const [best] = (await book()).position({ position, line: null }).moves;
  if (best?.value == null || best.known === "end") return null;
  return { move: best.move, value: best.value, source: "book", why: `${best.move} from the book`, search: null };
}

/** @param {any} wanted @param {AbortSignal} [signal] */
async function move(wanted, signal) {
  const { position } = where(wanted);
  const known = await bookMove(wanted, position);
  if (known) return known;
  const { level = "full", seconds = 5, seed = 0 } = wanted;
  const engine = await openEngine();
  signal?.throwIfAborted();
  const made = await engine.move(position, level, { seconds, seed, signal }).done;
  return { ...made, source: made.move ? "search" : "over", why: made.move ? `${made.move} searched` : "the game is over" };
}

/** A search as server-sent events. @param {any} wanted @param {AbortSignal} [signal] */
async function analyse(wanted, signal) {
  const { position } = where(wanted);
  const { level = 18, seconds = 10, best_of: lines = 1 } = wanted;
  const engine = await openEngine();
  signal?.throwIfAborted();
  const coder = new TextEncoder();
  const events = new ReadableStream({
    async start(controller) {
      const tell = (/** @type {Found} */ found, /** @type {boolean} */ done) =>
        controller.enqueue(coder.encode(`event: ${done ? "done" : "depth"}\ndata: ${JSON.stringify(found)}\n\n`));
      try {
        await engine.analyse(position, { level, seconds, lines, signal }, tell).done;
        controller.close();
      } catch (error) {
        controller.error(error);
      }
    },
  });
  return new Response(events, { headers: { "content-type": "text/event-stream" } });
}

/** @type {Record<string, (query: Record<string, string>, body: any, signal?: AbortSignal) => Promise<any>>} */
const ANSWERS = {
  "GET position": async (query) => (await book()).position(where(query)),
  "POST positions": async (_, { positions }) => {
    const shelf = await book();
    return { positions: positions.map((/** @type {string} */ text) => shelf.position(where(named(text)))) };
  },
  "GET line": async (query) => (await book()).line(where(query)),
  "GET openings": async ({ name = "" }) => ({ openings: (await book()).openings(name) }),
  "GET games": async () => ({ games: [], total: 0, next: null, players: [], events: [] }),
  "GET players": async () => [],
  "GET stats": async () => (await book()).stats,
  "GET health": async () => {
    await book();
    return { status: "ok" };
  },
  "POST move": async (_, body, signal) => move(body, signal),
  "POST analyse": async (_, body, signal) => analyse(body, signal),
};

/** In place of a request to the server. @param {string} address @param {RequestInit} [options] @returns {Promise<Response>} */
export async function ask(address, { method = "GET", body, signal } = {}) {
  const url = new URL(address, location.href);
  const wanted = `${method} ${url.pathname.split("/api/v1/")[1] ?? url.pathname.slice(1)}`;
  const answer = ANSWERS[wanted];
  if (!answer) return refuse(501, "no_server", "This site has no server: what needs one is left out.");
  try {
    const given = typeof body === "string" ? JSON.parse(body) : {};
    const found = await answer(Object.fromEntries(url.searchParams), given, signal ?? undefined);
    return found instanceof Response ? found : Response.json(found);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return refuse(400, "bad_value", error.message);
  }
}

export const SERVER = false;
