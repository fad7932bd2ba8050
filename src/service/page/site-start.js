// Of a site without a server: keeps the files for when there is no network, and takes away what
// leads nowhere.

for (const link of document.querySelectorAll('a[href$="docs"], nav [data-view=games], nav [data-view=programs]')) link.remove();

/** Keeps the files. A newer version that waits takes over now, when nobody has begun anything. */
async function keep() {
  const before = navigator.serviceWorker.controller;
  // Pages of the version before would get scripts of this one: they begin anew, where they were.
  navigator.serviceWorker.addEventListener("controllerchange", () => before && location.reload());
  const { waiting } = await navigator.serviceWorker.register(new URL("../service-worker.js", import.meta.url));
  if (before) waiting?.postMessage("take over");
}

// Only sites with a certificate, and one's own machine, may keep files.
if ("serviceWorker" in navigator) {
  keep().catch(() => {
    // The page works all the same while there is a network.
  });
}
