// The server, as functions. Positions that were asked for are kept: going back is instant.

import { ask } from "./transport.js";

const KEPT = 400;
const known = new Map();

export class ApiError extends Error {
  constructor(status, error) {
    super(error?.message ?? `the server answered ${status}`);
    this.status = status;
    this.code = error?.code;
  }
}

async function answer(response) {
  const body = await response.json().catch(() => null);
  if (!response.ok) throw new ApiError(response.status, body?.error);
  return body;
}

const json = (body, more = {}) => ({
  method: "POST",
  headers: { "content-type": "application/json", ...more.headers },
  body: JSON.stringify(body),
  signal: more.signal,
});

function keep(key, view) {
  known.delete(key);
  known.set(key, view);
  if (known.size > KEPT) known.delete(known.keys().next().value);
}

export function forget() {
  known.clear();
}

// `key` is moves from the start or a board with its side to move.
export async function position(key) {
  const view = known.get(key);
  if (view) return view;
  const name = key.length > 60 && /[XO-]{64}/.test(key) ? "board" : "moves";
  const fetched = await answer(await ask(`/api/v1/position?ways=true&${name}=${encodeURIComponent(key)}`));
  keep(key, fetched);
  return fetched;
}

export const knownPosition = (key) => known.get(key);

// Fetches what may be wanted next, in one go and without complaint.
export async function prefetch(keys) {
  const wanted = keys.filter((key) => !known.has(key));
  if (wanted.length === 0) return;
  try {
    const { positions } = await answer(await ask("/api/v1/positions", json({ positions: wanted, ways: true })));
    positions.forEach((view, place) => view.error ?? keep(wanted[place], view));
  } catch {
    // It is asked for again when it is needed.
  }
}

export const line = async (key) => answer(await ask(`/api/v1/line?moves=${encodeURIComponent(key)}`));
export const openings = async (name) => answer(await ask(`/api/v1/openings?name=${encodeURIComponent(name)}`));
export const sampleGames = async (key) => answer(await ask(`/api/v1/games?limit=6&position=${encodeURIComponent(key)}`));
export const stats = async () => answer(await ask("/api/v1/stats"));
export const players = async () => answer(await ask("/api/v1/players"));
export const choose = async (body, signal) => answer(await ask("/api/v1/move", json(body, { signal })));

export async function collection(file) {
  const address = `/api/v1/collection?name=${encodeURIComponent(file.name)}`;
  return answer(await ask(address, { method: "POST", body: file }));
}

// Searches; `tell` hears of every depth. Resolves with the last word.
export async function analyse(body, signal, tell) {
  const response = await ask("/api/v1/analyse", json(body, { signal }));
  if (!response.ok) return answer(response);
  let last = null;
  await events(response, (name, data) => {
    last = data;
    tell?.(data, name === "done");
  });
  return last;
}

// Reads server-sent events.
async function events(response, hear) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    text += value;
    const parts = text.split("\n\n");
    text = parts.pop();
    for (const part of parts) {
      const name = part.match(/^event: ?(.*)$/m)?.[1];
      const data = part.match(/^data: ?(.*)$/m)?.[1];
      if (data) hear(name, JSON.parse(data));
    }
  }
}

// What needs the token.
const bearer = (token) => ({ authorization: `Bearer ${token}` });

export async function learn(file, token) {
  const address = `/api/v1/games?name=${encodeURIComponent(file.name)}`;
  return answer(await ask(address, { method: "POST", body: file, headers: bearer(token) }));
}

export async function expand(body, token) {
  return answer(await ask("/api/v1/expand", json(body, { headers: bearer(token) })));
}

export async function cluster(token, signal) {
  return answer(await ask("/api/v1/cluster", { headers: bearer(token), signal }));
}

export async function stopJob(id, token) {
  return answer(await ask(`/api/v1/jobs/${id}`, { method: "DELETE", headers: bearer(token) }));
}

export async function followJobs(token, signal, tell) {
  const response = await ask("/api/v1/jobs/events", { headers: bearer(token), signal });
  if (!response.ok) return answer(response);
  await events(response, (_, data) => tell(data.jobs));
}
