// The service worker: starts the app's shell without a network. The server puts a
// line before this file that says what the shell is made of:
//
//   const shell = { base, release, pages, files, through, patience }
//
// base is the path of the app with a slash at its end; release names exactly this
// build; pages and files are addresses to be kept; through are paths below the base
// that belong to the server; patience is how long a page may take, in milliseconds.
//
// There is one cache for each release, and the address of a file names its version:
// a page finds its own files in whichever cache has them, and no others. An answer of
// the API is never touched, let alone kept. A newer worker takes over at once; pages
// of an older release go on with theirs, whose cache stays until none of them is open.
"use strict";

const prefix = `elowen ${shell.base} `;
const own = prefix + shell.release;

// fill keeps the shell. A page of another release must not get in among the files of
// this one, so then the worker is not installed, and tries again with the next update.
const fill = async () => {
  const cache = await caches.open(own);
  const add = async (address, fresh) => {
    if (await cache.match(address)) return;
    const answer = await fetch(address, { cache: fresh ? "no-cache" : "default", credentials: "same-origin" });
    const release = answer.headers.get("Elowen-Version");
    if (!answer.ok || (fresh && release !== shell.release)) throw new Error(`${address}: ${answer.status}, release ${release}`);
    await cache.put(address, answer);
  };
  await Promise.all([...shell.pages.map((page) => add(page, true)), ...shell.files.map((file) => add(file, false))]);
};

// released asks a page which release it is; null where it doesn't answer.
const released = (client) => new Promise((resolve) => {
  const { port1, port2 } = new MessageChannel();
  const timer = setTimeout(resolve, 2000, null);
  port1.onmessage = (event) => {
    clearTimeout(timer);
    resolve(event.data);
  };
  client.postMessage({ type: "which" }, [port2]);
});

// tidy removes the caches that no open page needs. Where a page doesn't answer, or
// another worker is filling a cache of its own, it leaves all of them.
const tidy = async () => {
  const windows = await pages();
  const used = await Promise.all(windows.map(released));
  if (used.includes(null) || registration.installing || registration.waiting) return;
  for (const name of await caches.keys()) {
    if (name.startsWith(prefix) && name !== own && !used.includes(name.slice(prefix.length))) await caches.delete(name);
  }
};

const pages = async () => {
  const all = await clients.matchAll({ type: "window", includeUncontrolled: true });
  return all.filter((client) => new URL(client.url).pathname.startsWith(shell.base));
};

const tell = async (message) => {
  for (const client of await pages()) client.postMessage(message);
};

self.addEventListener("install", (event) => event.waitUntil(fill().then(() => self.skipWaiting())));

self.addEventListener("activate", (event) => event.waitUntil((async () => {
  await clients.claim();
  await tell({ type: "release", release: shell.release });
  await tidy();
})()));

self.addEventListener("message", (event) => {
  if (event.data?.type === "hello") event.waitUntil(tidy());
});

// page answers a navigation: from the server, and where that fails or takes too long,
// with the kept page of the same shape. None of them holds anybody's data.
const page = async (event, path) => {
  const network = fetch(event.request);
  network.catch(() => {});
  let answer = null;
  try {
    answer = await Promise.race([network, new Promise((resolve) => setTimeout(resolve, shell.patience, null))]);
  } catch {
    // Answered below.
  }
  if (answer && ![502, 503, 504].includes(answer.status)) return answer;
  const cache = await caches.open(own);
  const name = path.replace(/^memory\/[1-9][0-9]*$/, "memory/1").replace(/^chat\/[1-9][0-9]*$/, "chat");
  const kept = (await cache.match(shell.base + name)) ?? (await cache.match(`${shell.base}memory`));
  return kept ?? answer ?? network;
};

// file answers with what is kept under exactly this address, else from the server. A
// file that is gone from there tells its page that it is of an older release.
const file = async (event) => {
  const kept = await caches.match(event.request.url, { ignoreVary: true });
  if (kept) return kept;
  const answer = await fetch(event.request);
  if (answer.status === 404) (await clients.get(event.clientId))?.postMessage({ type: "gone" });
  return answer;
};

self.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  if (event.request.method !== "GET" || url.origin !== location.origin || !url.pathname.startsWith(shell.base)) return;
  const path = url.pathname.slice(shell.base.length);
  if (event.request.mode === "navigate") {
    if (!shell.through.some((start) => path.startsWith(start))) event.respondWith(page(event, path));
  } else if (path.startsWith("web/")) {
    event.respondWith(file(event));
  }
});
