// The server, as functions. Positions that were asked for are kept: going back is instant, and what
// is old is asked for again behind the picture.

import { lost } from "./connection.js";
import { t } from "./texts.js";
import * as transport from "./transport.js";

const KEPT = 400;
const FRESH = 5000;
/** @type {Map<string, { view: PositionView, since: number }>} */
const known = new Map();

export class ApiError extends Error {
  /** @param {number} status @param {{ message?: string, code?: string }} [error] */
  constructor(status, error) {
    super(error?.message ?? `the server answered ${status}`);
    this.status = status;
    this.code = error?.code;
  }
}

/** Fetching knows one error for all that keeps an answer from coming. @param {any} error */
function named(error) {
  if (!(error instanceof TypeError)) return error;
  lost();
  return new ApiError(0, { message: t.serverGone });
}

/** @param {string} address @param {RequestInit} [options] */
const ask = (address, options) => transport.ask(address, options).catch((error) => Promise.reject(named(error)));

/** @param {Response} response @returns {Promise<any>} */
async function answer(response) {
  const body = await response.json().catch(() => null);
  if (!response.ok) throw new ApiError(response.status, body?.error);
  return body;
}

/** @param {string} path @param {Record<string, unknown>} [query] @param {RequestInit} [options] */
async function get(path, query = {}, options = {}) {
  const wanted = Object.entries(query).filter(([, value]) => value != null && value !== "");
  const text = new URLSearchParams(wanted.map(([name, value]) => [name, String(value)])).toString();
  return answer(await ask(`/api/v1/${path}${text && `?${text}`}`, options));
}

/** @param {string} path @param {unknown} body @param {{ signal?: AbortSignal, headers?: Record<string, string> }} [more] */
const post = (path, body, { signal, headers } = {}) => ask(`/api/v1/${path}`, {
  method: "POST",
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(body),
  signal,
});

/** @param {string} key @param {PositionView} view */
function keep(key, view) {
  known.delete(key);
  known.set(key, { view, since: Date.now() });
  if (known.size > KEPT) known.delete(known.keys().next().value ?? "");
}

/** The book has changed: all is asked for again. */
export function forget() {
  known.clear();
}

/** Only games of some years or of a player are counted. @typedef {{ years?: string, player?: string }} Among */

/** Moves from the start, or a board with its side to move. @param {string} key */
export const place = (key) => (/^[XO-]{64} [XO]$/.test(key) ? { board: key } : { moves: key });

/** @param {string} key @param {Among} [among] */
const nameOf = (key, among) => (among?.years || among?.player ? `${key} ${among.years ?? ""} ${among.player ?? ""}` : key);

/** What is remembered of a position, however old. @param {string} key @param {Among} [among] */
export const remembered = (key, among) => known.get(nameOf(key, among))?.view;

/** @param {string} key @param {{ among?: Among, signal?: AbortSignal }} [how] @returns {Promise<PositionView>} */
export async function position(key, { among, signal } = {}) {
  const name = nameOf(key, among);
  const kept = known.get(name);
  if (kept && Date.now() - kept.since < FRESH) return kept.view;
  const fetched = await get("position", { ways: true, ...place(key), ...among }, { signal });
  keep(name, fetched);
  return fetched;
}

/** Fetches what may be wanted next, in one go and without complaint. @param {string[]} keys @param {AbortSignal} signal */
export async function prefetch(keys, signal) {
  const wanted = keys.filter((key) => !known.has(key));
  if (wanted.length === 0) return;
  try {
    const { positions } = await answer(await post("positions", { positions: wanted, ways: true }, { signal }));
    positions.forEach((/** @type {PositionView} */ view, /** @type {number} */ at) => view.error ?? keep(wanted[at], view));
  } catch {
    // It is asked for again when it is needed.
  }
}

/** @param {string} key @param {AbortSignal} signal @returns {Promise<LineView>} */
export const line = (key, signal) => get("line", place(key), { signal });
/** @param {string} name @param {AbortSignal} [signal] @returns {Promise<{ openings: Opening[] }>} */
export const openings = (name, signal) => get("openings", { name }, { signal });
/** @param {{ position?: string, player?: string, event?: string, years?: string, result?: string, limit?: number, after?: number }} which @param {AbortSignal} [signal] @returns {Promise<FoundGames>} */
export const games = (which, signal) => get("games", which, { signal });
/** @param {AbortSignal} [signal] @returns {Promise<Stats>} */
export const stats = (signal) => get("stats", {}, { signal });
/** @returns {Promise<Player[]>} */
export const players = () => get("players");

/** @param {object} body @param {AbortSignal} signal */
export const choose = async (body, signal) => answer(await post("move", body, { signal }));

/** A file that is gone, or a folder, would look like a server that is: it is looked into first. @param {string} path @param {File} file @param {Record<string, unknown>} query @param {RequestInit} options */
async function send(path, file, query, options) {
  await file.slice(0, 1).arrayBuffer();
  return get(path, { name: file.name, ...query }, { method: "POST", body: file, ...options });
}

/** @param {File} file @param {number} skip @param {AbortSignal} signal @returns {Promise<Collection>} */
export const collection = (file, skip, signal) => send("collection", file, { skip: skip || null }, { signal });

/** Searches; `tell` hears of every depth. Resolves with the last word. @param {object} body @param {AbortSignal} signal @param {(found: Found, done: boolean) => void} [tell] @returns {Promise<Found | null>} */
export async function analyse(body, signal, tell) {
  const response = await post("analyse", body, { signal });
  if (!response.ok) return answer(response);
  /** @type {Found | null} */
  let last = null;
  await events(response, (name, data) => {
    last = data;
    tell?.(data, name === "done");
  });
  return last;
}

/** Reads server-sent events. @param {Response} response @param {(name: string, data: any) => void} hear */
async function events(response, hear) {
  if (!response.body) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read().catch((error) => Promise.reject(named(error)));
    if (done) return;
    text += value;
    const parts = text.split("\n\n");
    text = parts.pop() ?? "";
    for (const part of parts) {
      const name = part.match(/^event: ?(.*)$/m)?.[1];
      const data = part.match(/^data: ?(.*)$/m)?.[1];
      if (data) hear(name ?? "", JSON.parse(data));
    }
  }
}

// What needs the token.
/** @param {string} token */
const bearer = (token) => ({ authorization: `Bearer ${token}` });

/** @param {File} file @param {string} token @returns {Promise<Job>} */
export const learn = (file, token) => send("games", file, {}, { headers: bearer(token) });

/** @param {object} body @param {string} token @returns {Promise<Job>} */
export const expand = async (body, token) => answer(await post("expand", body, { headers: bearer(token) }));

/** @param {string} token @param {AbortSignal} signal @returns {Promise<Cluster>} */
export const cluster = (token, signal) => get("cluster", {}, { headers: bearer(token), signal });

/** @param {number} id @param {string} token */
export const stopJob = (id, token) => get(`jobs/${id}`, {}, { method: "DELETE", headers: bearer(token) });

/** @param {number} id @param {string} token */
export const resumeJob = async (id, token) => answer(await post(`jobs/${id}/resume`, {}, { headers: bearer(token) }));

/** Tells of all jobs until the stream ends. @param {string} token @param {AbortSignal} signal @param {(jobs: Job[]) => void} tell */
export async function followJobs(token, signal, tell) {
  const response = await ask("/api/v1/jobs/events", { headers: bearer(token), signal });
  if (!response.ok) return answer(response);
  await events(response, (_, data) => tell(data.jobs));
}
