// The engine's own thread: it runs the WebAssembly module, slice by slice, so that it hears a stop
// between two of them. One order at a time; each message in has a number, and each answer bears it.
//
// In: { id, open: { module, weights, megabytes } }, { id, order }, { id, bench }, { stop: id }, { forget }
// Out: { id, found, done }, { id, error }

// Long enough that what a slice begins again hardly matters, short enough that nobody waits.
const SLICE = 80;
const [NO, YES, DONE] = [0, 1, 2];

/** @type {any} */
let engine = null;
/** The order that is under way. @type {number | null} */
let current = null;

/** @param {ArrayBuffer | Uint8Array} bytes */
function write(bytes) {
  const place = engine.reserve(bytes.byteLength);
  new Uint8Array(engine.memory.buffer, place, bytes.byteLength).set(new Uint8Array(bytes));
}

function text() {
  const bytes = new Uint8Array(engine.memory.buffer, engine.text(), engine.text_length());
  return new TextDecoder().decode(bytes);
}

// The module is compiled here, because only this script may: the page's own rules are stricter.
/** @param {{ module: ArrayBuffer, weights: ArrayBuffer, megabytes: number }} parts */
async function open({ module, weights, megabytes }) {
  const { instance } = await WebAssembly.instantiate(module, { host: { now: () => performance.now() } });
  engine = instance.exports;
  write(weights);
  if (engine.load_weights(megabytes) !== YES) throw new Error(text());
}

// A message that waits is heard before this goes on; a timer would wait longer each time.
const channel = new MessageChannel();
channel.port1.start();
const breath = () => new Promise((resolve) => {
  channel.port1.addEventListener("message", resolve, { once: true });
  channel.port2.postMessage(null);
});

/** @param {number} id @param {string} order */
async function follow(id, order) {
  current = id;
  write(new TextEncoder().encode(order));
  if (engine.begin() !== YES) throw new Error(text());
  while (current === id) {
    const told = engine.go_on(SLICE);
    if (told !== NO) postMessage({ id, found: JSON.parse(text()), done: told === DONE });
    if (told === DONE) return;
    await breath();
  }
}

// The fixed searches of `emilia bench`.
/** @param {number} id @param {{ depth: number }} how */
async function bench(id, { depth }) {
  current = id;
  const searches = [];
  while (current === id && engine.bench(searches.length, depth) === YES) {
    searches.push(JSON.parse(text()));
    await breath();
  }
  postMessage({ id, found: searches, done: true });
}

onmessage = async ({ data }) => {
  const { id } = data;
  try {
    if (data.stop != null) {
      if (current === data.stop) current = null;
    } else if (data.forget) {
      current = null;
      engine.forget();
    } else if (data.open) {
      await open(data.open);
      postMessage({ id, found: null, done: true });
    } else if (data.order != null) await follow(id, data.order);
    else if (data.bench) await bench(id, data.bench);
  } catch (error) {
    // A module that panicked is of no more use.
    const broken = error instanceof WebAssembly.RuntimeError;
    const why = error instanceof Error ? error.message : String(error);
    postMessage({ id, error: broken ? "the engine broke down" : why, broken });
  }
};
