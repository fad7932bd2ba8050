// WTHOR's tables of names: after 16 bytes, entries of 20 (players) or 26 bytes (tournaments), Latin-1
// and closed by a zero. The server numbers whom it has no table for: `#12`.

/** @typedef {{ players: string[], events: string[] }} Names */

/** @param {File} file */
export const isTable = (file) => /\.(jou|trn)$/i.test(file.name);

/** Its players are numbers: there was no table for them. @param {GameView} game */
export const isNumbered = ({ black, white }) => [black, white].some((name) => /^#\d+$/.test(name ?? ""));

/** @param {File[]} tables @returns {Promise<Names>} */
export async function readNames(tables) {
  /** @type {Names} */
  const names = { players: [], events: [] };
  for (const file of tables) {
    const bytes = new Uint8Array(await file.arrayBuffer());
    if (/\.jou$/i.test(file.name)) names.players = entries(bytes, 20);
    else names.events = entries(bytes, 26);
  }
  return names;
}

/** @param {Uint8Array} bytes @param {number} width */
function entries(bytes, width) {
  const count = Math.floor((bytes.length - 16) / width);
  return [...Array(Math.max(0, count)).keys()].map((at) => {
    const text = [...bytes.subarray(16 + at * width, 16 + (at + 1) * width)];
    const end = text.indexOf(0);
    return String.fromCharCode(...(end < 0 ? text : text.slice(0, end))).trim();
  });
}

/** @param {GameView} game @param {Names} names @returns {GameView} */
export function withNames(game, names) {
  const named = (/** @type {string | null} */ name, /** @type {string[]} */ table) => {
    const number = name?.match(/^#(\d+)$/)?.[1];
    return number ? table[Number(number)] || name : name;
  };
  return { ...game, black: named(game.black, names.players), white: named(game.white, names.players), event: named(game.event, names.events) };
}
