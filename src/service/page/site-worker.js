// @ts-nocheck: what is written in front of this, and what such a worker has, the page has not.
// Keeps a site's files, so that it works without a network: those of one version, all of them, or
// none. `emilia export-site` writes the version and the list of files in front of this.

// A host may have several sites, each in a folder of its own.
const OURS = `emilia ${self.registration.scope} `;
const CACHE = OURS + VERSION;

self.addEventListener("install", (event) => {
  const keep = async () => {
    const cache = await caches.open(CACHE);
    // Past the browser's own memory: what it remembers may be of another version.
    await cache.addAll(FILES.map((file) => new Request(file, { cache: "reload" })));
  };
  event.waitUntil(keep());
});

// A page goes on with the version that it began with. A newer one waits until a page is opened.
self.addEventListener("message", ({ data }) => data === "take over" && self.skipWaiting());

self.addEventListener("activate", (event) => {
  const replace = async () => {
    const names = await caches.keys();
    await Promise.all(names.filter((name) => name.startsWith(OURS) && name !== CACHE).map((name) => caches.delete(name)));
    await self.clients.claim();
  };
  event.waitUntil(replace());
});

self.addEventListener("fetch", (event) => {
  if (event.request.method !== "GET") return;
  const answer = async () => {
    const cache = await caches.open(CACHE);
    // Every view is the same page; what the address asks for is for its scripts.
    const wanted = event.request.mode === "navigate" ? "./" : event.request;
    return (await cache.match(wanted, { ignoreSearch: true })) ?? fetch(event.request);
  };
  event.respondWith(answer());
});
