// Of a site without a server: keeps the files for when there is no network, and takes away what
// leads nowhere.

for (const link of document.querySelectorAll('a[href$="docs"]')) link.remove();

// Only sites with a certificate, and one's own machine, may keep files.
if ("serviceWorker" in navigator) {
  navigator.serviceWorker.register(new URL("../service-worker.js", import.meta.url)).catch(() => {
    // The page works all the same while there is a network.
  });
}
