// How the page asks the server. A site without one (`emilia export-site`) has another file in this
// place, which answers from the book's file and the engine in the browser: site-transport.js.

/** @param {string} address @param {RequestInit} [options] */
export const ask = (address, options) => fetch(address, options);

/** There is a server, which has more than a site: games, programs, jobs. */
export const SERVER = true;
