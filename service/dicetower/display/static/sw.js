/**
 * Keeps the pages' own files, so that a display or overlay opened before its server still opens, shows nothing or
 * says so, and fills in when the server comes. The server is asked first, always; nothing of a table is ever kept.
 */

const KEPT = "dicetower pages";
const PAGES = /^\/(display|overlay)\//;
const FILES = /^\/static\//;

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  if (event.request.method !== "GET" || url.origin !== location.origin) return;
  if (FILES.test(url.pathname) || (PAGES.test(url.pathname) && event.request.mode === "navigate")) event.respondWith(answer(event.request, url));
});

async function answer(request, url) {
  const kept = await caches.open(KEPT);
  const file = FILES.test(url.pathname);
  const known = await kept.match(url.pathname);
  if (file && known) return known; // its address holds its hash
  try {
    const fresh = await fetch(request);
    if (fresh.ok) await kept.put(url.pathname, fresh.clone());
    if (fresh.ok && file) await forgetOthers(kept, url.pathname);
    return fresh;
  } catch (error) {
    if (known) return known;
    throw error;
  }
}

/** Files of another version of the pages go once a file of this one has come. */
async function forgetOthers(kept, pathname) {
  const version = pathname.split("/").slice(0, 3).join("/");
  for (const request of await kept.keys()) {
    const path = new URL(request.url).pathname;
    if (FILES.test(path) && !path.startsWith(`${version}/`)) await kept.delete(request);
  }
}
