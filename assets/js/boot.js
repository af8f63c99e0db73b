// Loads the browser program and gives it what go-app expects to find on the page.
//
// The page carries its facts as <meta name="elowen-…">: base (path of the app, ends
// in a slash), web (where the design's files are), wasm and exec (addresses of the
// program and of Go's support script; absent where nothing was built), version (the
// release: exactly this build), update (minutes between looks for a newer one).
// The prerendered first child of <body> stays until the program replaces it.
"use strict";

(() => {
  const meta = (name) => document.querySelector(`meta[name="elowen-${name}"]`)?.content ?? "";
  const base = meta("base") || "/";

  // What go-app's runtime looks up on window. Its own app.js is not used: it brings
  // a service worker of its own, a remote default icon and a full-screen loader.
  const env = {
    GOAPP_VERSION: meta("version"),
    GOAPP_STATIC_RESOURCES_URL: meta("web").replace(/\/$/, ""),
    GOAPP_ROOT_PREFIX: base,
    // Links that must leave the app instead of being routed inside it.
    GOAPP_INTERNAL_URLS: JSON.stringify(
      ["api/", "web/", "healthz", "readyz", "metrics"].map((path) => location.origin + base + path)
    ),
  };
  const globals = {
    goappGetenv: (key) => env[key],
    goappNav: () => {},
    goappOnUpdate: () => { globalThis.goappUpdatedBeforeWasmLoaded = true; },
    goappUpdatedBeforeWasmLoaded: false,
    goappOnAppInstallChange: () => { globalThis.goappAppInstallChangedBeforeWasmLoaded = true; },
    goappAppInstallChangedBeforeWasmLoaded: false,
    goappTryUpdate: () => {},
    goappIsAppInstalled: () => matchMedia("(display-mode: standalone)").matches,
    goappIsAppInstallable: () => prompt !== null,
    goappIsAppleBrowser: () => false,
    goappShowInstallPrompt: async () => {
      const shown = prompt;
      prompt = null;
      await shown?.prompt();
      globalThis.goappOnAppInstallChange();
    },
    goappKeepBodyClean: () => () => {},
  };
  let prompt = null;
  Object.assign(globalThis, globals);
  addEventListener("beforeinstallprompt", (event) => {
    event.preventDefault();
    prompt = event;
    globalThis.goappOnAppInstallChange();
  });
  addEventListener("appinstalled", () => {
    prompt = null;
    globalThis.goappOnAppInstallChange();
  });

  // --- the focus ---

  // What has the focus may go: a form that was saved, the button of a bar. The browser
  // then leaves the focus nowhere, and who uses the keyboard begins again at the top.
  // So it goes to what was around it, or to the list, or to the content of the page.
  let within = []; // what has the focus, and what is around it, inside out
  let looking = false;
  const usable = (e) => e.isConnected && !e.disabled && e.getClientRects().length > 0;
  const lost = () => document.activeElement === document.body && within.length > 0 && !usable(within[0]);
  const find = () => {
    looking = false;
    if (!lost()) return; // the app has put it somewhere
    const content = document.querySelector("main");
    const around = within.find((e) => e !== content && e.hasAttribute("tabindex") && usable(e));
    const list = document.querySelector("#list");
    const to = around ?? (list && usable(list) ? list : content);
    if (to && !to.hasAttribute("tabindex")) to.tabIndex = -1;
    to?.focus({ preventScroll: true });
  };
  addEventListener("focusin", (event) => {
    within = [];
    for (let e = event.target; e && e !== document.body; e = e.parentElement) within.push(e);
  });
  // Who clicks beside things means to leave them.
  addEventListener("pointerdown", (event) => {
    const at = document.activeElement;
    if (at === document.body || !at?.contains(event.target)) within = [];
  }, true);
  new MutationObserver(() => {
    // Without a question of where things are: that would lay the page out each time.
    if (looking || within.length === 0 || within[0].isConnected && !within[0].disabled && !within.some((e) => e.hidden)) return;
    looking = true;
    setTimeout(find, 50); // what the app means to focus comes with its next frame
  }).observe(document, { childList: true, subtree: true, attributes: true, attributeFilter: ["disabled", "hidden"] });

  // --- another release ---

  // A page goes on as the release that it is; when the server turns out to be another
  // one, the app (elowen-version) offers to load the page again. Nothing forces it.
  let other = "";
  const seen = (release) => {
    if (!release || release === meta("version") || release === other) return;
    other = release;
    if (stopped) say("A new version is ready.", true);
    else dispatchEvent(new Event("elowen-version"));
  };

  // ask learns the server's release where no service worker tells of it.
  const ask = () => fetch(`${base}healthz`, { cache: "no-store", credentials: "same-origin" })
    .then((answer) => seen(answer.headers.get("Elowen-Version")), () => {});

  let registered = null;
  let looked = 0;
  const look = () => {
    if (Date.now() - looked < 60_000) return;
    looked = Date.now();
    if (registered) registered.update().catch(() => {});
    else ask();
  };

  const serviceWorker = navigator.serviceWorker;
  serviceWorker?.addEventListener("message", ({ data, ports }) => {
    switch (data?.type) {
      case "which": ports[0]?.postMessage(meta("version")); break;
      case "release": seen(data.release); break;
      case "gone": ask(); break;
    }
  });
  serviceWorker?.startMessages();

  // register comes after the program has been loaded, so that the worker finds its
  // files in the browser's cache instead of fetching them beside the page.
  const register = async () => {
    looked = Date.now();
    setInterval(look, (Number(meta("update")) || 60) * 60_000);
    document.addEventListener("visibilitychange", () => { if (!document.hidden) look(); });
    addEventListener("online", look);
    try {
      registered = await serviceWorker?.register(`${base}worker.js`, { scope: base, updateViaCache: "none" });
      (await serviceWorker?.ready)?.active?.postMessage({ type: "hello" });
    } catch {
      // Without a worker (a forbidden store, an address without TLS) there is no start
      // without a network, and the rest works.
    }
  };
  globalThis.elowen = { seen, look, get other() { return other; } };

  // say shows a sentence at the foot of the page, with a way on where there is one.
  const say = (text, action) => {
    let note = document.getElementById("boot-note");
    if (!note) {
      note = document.createElement("p");
      note.id = "boot-note";
      document.body.append(note);
    }
    note.className = action ? "banner banner-danger boot-note" : "banner banner-plain boot-note";
    note.setAttribute("role", action ? "alert" : "status");
    note.textContent = text;
    if (action) {
      const button = document.createElement("button");
      button.className = "btn btn-sm";
      button.type = "button";
      button.textContent = "Reload";
      button.addEventListener("click", () => location.reload());
      note.append(" ", button);
    }
  };
  const unsay = () => document.getElementById("boot-note")?.remove();

  const script = (src) => new Promise((resolve, reject) => {
    const element = document.createElement("script");
    element.src = src;
    element.onload = resolve;
    element.onerror = () => reject(new Error(`${src} could not be loaded`));
    document.head.append(element);
  });

  // counted hands the bytes on and reports how much of the whole has arrived. The
  // length of the unpacked program is in a header: Content-Length counts packed bytes.
  const counted = (response, report) => {
    const total = Number(response.headers.get("Elowen-Length"));
    if (!response.body || !total || typeof TransformStream === "undefined") return response;
    let loaded = 0;
    const through = new TransformStream({
      transform(chunk, controller) {
        loaded += chunk.byteLength;
        report(Math.min(100, Math.floor((loaded * 100) / total)));
        controller.enqueue(chunk);
      },
    });
    return new Response(response.body.pipeThrough(through), { headers: { "Content-Type": "application/wasm" } });
  };

  let stopped = false; // the program doesn't run, so the page itself has to speak
  const start = async () => {
    const [wasm, exec] = [meta("wasm"), meta("exec")];
    if (!wasm) return; // the page itself says what to do
    if (typeof WebAssembly !== "object") {
      say("This browser has no WebAssembly, which the app needs. Any current browser has it.");
      return;
    }
    const began = performance.now();
    const fetching = fetch(wasm, { credentials: "same-origin" });
    try {
      const response = await fetching;
      if (response.status === 404) {
        // The page is of an older release than the server.
        stopped = true;
        say("A new version is ready.", true);
        return;
      }
      if (!response.ok) throw new Error(`the server answered ${response.status}`);
      await script(exec); // while the program streams in
      const go = new Go();
      const body = counted(response, (percent) => {
        // Below a second a number would only flicker.
        if (performance.now() - began > 1000) say(`Loading the app, ${percent}%`);
      });
      const { instance } = WebAssembly.instantiateStreaming
        ? await WebAssembly.instantiateStreaming(body, go.importObject)
        : await WebAssembly.instantiate(await body.arrayBuffer(), go.importObject);
      unsay();
      register();
      await go.run(instance);
      stopped = true;
      say("The app has stopped. What was saved is kept.", true);
    } catch (error) {
      stopped = true;
      console.error("elowen:", error);
      say(`The app could not be started: ${error.message}.`, true);
    }
  };
  start();
})();
