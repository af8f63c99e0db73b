// What the browser keeps of one account, so that the app is of use without a network:
// the last windows that were looked at, and the changes that wait to be sent.
//
// The database has three stores: facts (under "who" the account and its person), kept
// (windows, as text) and queue (changes, in the order of their ids). Every entry names
// its account, and is shown and sent for no other. Windows of another account go when
// somebody signs in; waiting changes stay for the one who made them. A sign-out
// removes all windows and the account's changes.
//
// Whoever holds the lock of the queue sends it, so that of several tabs one does. What
// changed is told to the others, and to the app of this page by an event: elowen-queue,
// elowen-wiped. The app decides what is kept and what waits; this file knows no memory
// from another.
"use strict";

(() => {
  const base = document.querySelector('meta[name="elowen-base"]')?.content || "/";
  const name = `elowen ${base}`;
  const channel = typeof BroadcastChannel === "undefined" ? null : new BroadcastChannel(name);
  let account = ""; // of this page; empty before it is known

  // --- the database ---

  let opened = null;
  const open = () => (opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = () => {
      const db = request.result;
      db.createObjectStore("facts");
      db.createObjectStore("kept", { keyPath: ["account", "key"] })
        .createIndex("age", ["account", "kind", "at", "weight"]);
      db.createObjectStore("queue", { keyPath: "id", autoIncrement: true });
    };
    request.onsuccess = () => {
      request.result.onversionchange = () => request.result.close();
      request.result.onclose = () => { opened = null; };
      resolve(request.result);
    };
    request.onerror = () => {
      opened = null;
      reject(request.error);
    };
  }));

  const done = (request) => new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

  // within runs f in one transaction, and waits until that is durable.
  const within = async (stores, mode, f) => {
    const tx = (await open()).transaction(stores, mode, { durability: "strict" });
    const over = new Promise((resolve, reject) => {
      tx.oncomplete = resolve;
      tx.onabort = () => reject(tx.error);
    });
    over.catch(() => {});
    const result = await f((store) => tx.objectStore(store));
    await over;
    return result;
  };

  const each = (request, f) => new Promise((resolve, reject) => {
    request.onsuccess = () => {
      const cursor = request.result;
      if (!cursor) return resolve();
      if (f(cursor) !== false) cursor.continue();
      else resolve();
    };
    request.onerror = () => reject(request.error);
  });

  // forget drops what a visit remembers: it belongs to who has left.
  const forget = () => {
    try {
      for (const key of Object.keys(sessionStorage)) {
        if (key.startsWith("elowen.scroll:")) sessionStorage.removeItem(key);
      }
    } catch {
      // Storage may be forbidden; then there is nothing in it.
    }
  };

  // --- windows ---

  const begin = (who, me) => {
    account = who;
    elowenDrafts.begin(who);
    return within(["facts", "kept"], "readwrite", async (store) => {
      const before = await done(store("facts").get("who"));
      if (before && before.account !== who) {
        store("kept").clear();
        forget();
      }
      store("facts").put({ account: who, me }, "who");
    });
  };

  const person = async () => {
    const who = await within("facts", "readonly", (store) => done(store("facts").get("who")));
    if (!who) return "";
    account = who.account;
    elowenDrafts.begin(account);
    return who.me;
  };

  // keep remembers a window. Of its kind the newest stay, up to bound in weight.
  const keep = (key, kind, weight, bound, text) => within(["facts", "kept"], "readwrite", async (store) => {
    const who = await done(store("facts").get("who"));
    if (!account || who?.account !== account) return; // signed out meanwhile
    store("kept").put({ account, key, kind, weight, at: Date.now(), text });
    let sum = 0;
    const range = IDBKeyRange.bound([account, kind], [account, kind, []]);
    await each(store("kept").index("age").openKeyCursor(range, "prev"), (cursor) => {
      sum += cursor.key[3];
      if (sum > bound && cursor.primaryKey[1] !== key) store("kept").delete(cursor.primaryKey);
    });
  });

  const recall = async (key) => {
    const row = await within("kept", "readonly", (store) => done(store("kept").get([account, key])));
    return row?.text ?? "";
  };

  // among are all windows of a kind that are kept, as a JSON array.
  const among = async (kind) => {
    const all = await within("kept", "readonly", (store) => done(store("kept").getAll(IDBKeyRange.bound([account], [account, []]))));
    return `[${all.filter((row) => row.kind === kind).sort((a, b) => b.at - a.at).map((row) => row.text).join(",")}]`;
  };

  const wipe = async () => {
    const who = account;
    account = "";
    forget();
    elowenDrafts.wipe(who);
    await within(["facts", "kept", "queue"], "readwrite", async (store) => {
      store("facts").clear();
      store("kept").clear();
      await each(store("queue").openCursor(), (cursor) => { if (cursor.value.account === who) cursor.delete(); });
    });
    channel?.postMessage("wiped");
  };

  // --- the queue ---

  const fire = (event) => dispatchEvent(new Event(event));
  const changed = () => {
    channel?.postMessage("queue");
    fire("elowen-queue");
  };
  channel?.addEventListener("message", (event) => {
    if (event.data === "wiped") {
      elowenDrafts.wipe(account); // what it typed meanwhile, too
      account = "";
      forget();
    }
    fire(`elowen-${event.data}`);
  });

  const mine = (all) => all.filter((entry) => entry.account === account);
  const entries = async () => mine(await within("queue", "readonly", (store) => done(store("queue").getAll())));
  const list = async () => JSON.stringify(account ? await entries() : []);

  const enqueue = async (text, bound) => {
    const entry = { ...JSON.parse(text), account, at: Date.now(), state: "waiting" };
    delete entry.id;
    const id = await within(["facts", "queue"], "readwrite", async (store) => {
      const who = await done(store("facts").get("who"));
      if (!account || who?.account !== account) throw new Error("nobody is signed in");
      if (await done(store("queue").count()) >= bound) throw new Error("the queue is full");
      return done(store("queue").add(entry));
    });
    changed();
    return String(id);
  };

  const amend = async (id, change) => {
    await within("queue", "readwrite", async (store) => {
      const entry = await done(store("queue").get(id));
      if (entry) store("queue").put({ ...entry, ...change });
    });
    changed();
  };

  const again = (id, revision) => amend(id, { state: "waiting", problem: "", current: null, ...(revision > 0 && { revision }) });

  // hold keeps a change from being sent until again; it gives "" where it just was.
  const hold = async (id) => {
    const exclusive = (f) => navigator.locks ? navigator.locks.request(`${name} queue`, f) : f();
    const held = await exclusive(() => within("queue", "readwrite", async (store) => {
      const entry = await done(store("queue").get(id));
      if (entry) store("queue").put({ ...entry, state: "held" });
      return entry ? "held" : "";
    }));
    changed();
    return held;
  };

  const drop = async (id) => {
    await within("queue", "readwrite", (store) => done(store("queue").delete(id)));
    changed();
  };

  // sent removes a change that was made, and lets the later ones of the same memories
  // follow the revision that it led to: they were made on top of it.
  const sent = async (entry, answer) => {
    const touched = entry.memories ?? [];
    await within("queue", "readwrite", (store) => {
      store("queue").delete(entry.id);
      return each(store("queue").openCursor(IDBKeyRange.lowerBound(entry.id, true)), (cursor) => {
        const later = cursor.value;
        if (later.account !== entry.account || !(later.revision > 0) || !later.memories?.some((id) => touched.includes(id))) return;
        const revision = answer?.revision > 0 ? Math.max(later.revision, answer.revision)
          : answer?.ids?.some((id) => later.memories.includes(id)) ? later.revision + 1 : later.revision;
        cursor.update({ ...later, revision });
      });
    });
    changed();
  };

  const ask = (method, path, headers, body) => fetch(base + path.slice(1), {
    method, headers: { Accept: "application/json", ...headers }, body, credentials: "same-origin", cache: "no-store",
    redirect: "error", signal: AbortSignal.timeout(30_000),
  });

  // attempt sends one change and says whether the next may follow.
  const attempt = async (entry) => {
    let answer, text;
    try {
      answer = await ask(entry.method, entry.path, {
        "Idempotency-Key": entry.key,
        ...(entry.body && { "Content-Type": "application/json" }),
        ...(entry.revision > 0 && { "If-Match": `"${entry.revision}"` }),
      }, entry.body || undefined);
      text = await answer.text();
    } catch {
      return false;
    }
    globalThis.elowen?.seen(answer.headers.get("Elowen-Version"));
    let said = null;
    try {
      said = JSON.parse(text);
    } catch {
      // Something between us and the server has answered.
    }
    if (answer.ok) {
      await sent(entry, said);
      return true;
    }
    if (answer.status === 401 || answer.status === 429 || answer.status === 500 && !said || answer.status > 500) return false;
    const stale = answer.status === 409 && said?.current?.id > 0;
    let state = stale ? "conflict" : "refused", current = stale ? said.current : null;
    if (!stale && entry.action === "edit") {
      // Refused since it is in the trash? Then both are to be seen.
      const now = await ask("GET", entry.path, {}).then((a) => a.ok ? a.json() : null).catch(() => null);
      if (now?.status && now.status !== "active") [state, current] = ["trashed", now];
    }
    if (current?.status && current.status !== "active") state = "trashed";
    await amend(entry.id, { state, problem: said?.detail ?? `${answer.status}`, current });
    return true;
  };

  // run sends what waits, in order. A change of a memory of which an earlier one needs
  // a look waits for that.
  const run = async () => {
    const answer = await ask("GET", "/api/me", {}).catch(() => null);
    if (!answer?.ok) return false;
    const me = await answer.json().catch(() => ({}));
    if (account !== `${me.id} ${me.createdAt}`) return true; // somebody else is signed in here
    for (;;) {
      const all = await entries();
      const stuck = new Set(all.filter((entry) => entry.state !== "waiting").flatMap((entry) => entry.memories ?? []));
      const next = all.find((entry) => entry.state === "waiting" && !entry.memories?.some((id) => stuck.has(id)));
      if (!next) return true;
      if (!(await attempt(next))) return false;
    }
  };

  let running = null, once = false, failures = 0, timer = 0;
  const drain = () => {
    if (running) {
      once = true;
      return;
    }
    clearTimeout(timer);
    running = (async () => {
      do {
        once = false;
        if (!account || !(await entries()).some((entry) => entry.state === "waiting")) break;
        const ok = navigator.locks ? await navigator.locks.request(`${name} queue`, run) : await run();
        failures = ok ? 0 : failures + 1;
      } while (once);
    })().catch((error) => {
      failures++;
      console.warn("elowen: the queue:", error);
    }).finally(() => {
      running = null;
      if (failures > 0 && account) timer = setTimeout(drain, Math.min(60_000, 1000 * 2 ** failures));
    });
  };
  addEventListener("online", drain);

  // Where nobody has signed in since somebody signed out, nothing of a visit stays.
  within("facts", "readonly", (store) => done(store("facts").get("who"))).then((who) => { if (!who) forget(); }, () => {});

  globalThis.elowenKeep = { begin, person, keep, recall, wipe, among, list, enqueue, again, hold, drop, drain };
})();
