// What is typed and not saved yet, so that not even a killed tab loses it.
//
// A draft is kept with each key press, in localStorage: that is written before the next
// line runs. Its key names the app's path, the account, the tab and the form; its value
// is when it was typed, a space, and what the app made of it. A tab shows its own drafts.
// Those of a tab that is gone go to the next one of the same account that looks; a lock
// for each tab says which are there. A sign-out removes the account's. The app is told by
// the event elowen-drafts that there are others than before.
"use strict";

(() => {
  const base = document.querySelector('meta[name="elowen-base"]')?.content || "/";
  const prefix = "elowen.draft:";
  const STALE = 60_000; // milliseconds after which a draft is nobody's, where there are no locks
  const lock = (tab) => `elowen ${base} tab ${tab}`;
  const locks = navigator.locks;
  let account = "", tab = "";

  const store = (f, otherwise) => {
    try {
      return f(localStorage);
    } catch {
      return otherwise; // storage may be forbidden, or full
    }
  };
  const keyOf = (form, of = tab) => prefix + JSON.stringify([base, account, of, form]);
  const read = (key) => {
    const value = store((s) => s.getItem(key), null) ?? "", at = value.indexOf(" ");
    return at < 0 ? null : { at: Number(value.slice(0, at)), text: value.slice(at + 1) };
  };

  // mine are the drafts of the account, of all tabs.
  const mine = () => store((s) => Object.keys(s), []).filter((key) => key.startsWith(prefix)).map((key) => {
    try {
      const [path, who, of, form] = JSON.parse(key.slice(prefix.length));
      return path === base && who === account && account ? { key, tab: of, form, ...read(key) } : null;
    } catch {
      return null;
    }
  }).filter((draft) => draft?.text);

  // tabs are those that are there; null where that can't be known.
  const tabs = async () => {
    const all = await locks?.query();
    return all ? new Set(all.held.map((held) => held.name)) : null;
  };

  // adopt takes over the drafts of tabs that are gone, the newest of each form.
  const adopt = async () => {
    if (!account || !tab) return;
    const there = await tabs();
    for (const draft of mine()) if (draft.tab !== tab && there?.has(lock(draft.tab))) watch(draft.tab);
    const left = mine().filter((draft) => draft.tab !== tab && (there ? !there.has(lock(draft.tab)) : Date.now() - draft.at > STALE));
    for (const draft of left.sort((a, b) => b.at - a.at)) {
      const own = keyOf(draft.form);
      if (store((s) => s.getItem(own), null) !== null) continue; // in its turn, after that
      store((s) => {
        s.setItem(own, s.getItem(draft.key));
        s.removeItem(draft.key);
      });
    }
    dispatchEvent(new Event("elowen-drafts"));
  };
  const alone = () => locks ? locks.request(`elowen ${base} drafts`, adopt) : adopt();

  // watch waits until another tab has gone, and not just to load its page again.
  const watched = new Set();
  const watch = (other) => {
    if (watched.has(other)) return;
    watched.add(other);
    locks.request(lock(other), () => {}).then(() => setTimeout(() => {
      watched.delete(other);
      alone();
    }, 2000), () => {});
  };

  // name gives the tab a name that it keeps over a reload. A copy of a tab has the name
  // of the other one at first, and gets another.
  const taken = (name) => new Promise((resolve) => {
    locks.request(lock(name), { ifAvailable: true }, (held) => {
      resolve(held === null);
      return held && new Promise(() => {}); // for as long as the page lives
    });
  });
  const name = async () => {
    let known = "";
    try {
      known = sessionStorage.getItem("elowen.tab") ?? "";
    } catch {
      // Then every page is a tab of its own.
    }
    if (locks && known && await taken(known)) {
      await new Promise((later) => setTimeout(later, 400)); // a page that is being left
      if (await taken(known)) known = "";
    }
    if (!known) {
      known = Math.random().toString(36).slice(2) + Date.now().toString(36);
      if (locks) await taken(known);
    }
    try {
      sessionStorage.setItem("elowen.tab", known);
    } catch {
      // As above.
    }
    tab = known;
  };
  const named = name();

  globalThis.elowenDrafts = {
    // begin shows the drafts of an account.
    begin: (who) => {
      account = who;
      named.then(alone).catch(() => {});
    },
    // wipe removes what an account typed; without one, only what is in the page's hands.
    wipe: (who) => {
      if (who) for (const draft of mine()) store((s) => s.removeItem(draft.key));
      account = "";
    },
    get: (form) => read(keyOf(form))?.text ?? "",
    at: (form) => read(keyOf(form))?.at ?? 0,
    // set keeps a draft, or removes it, and tells whether it is kept.
    set: (form, text) => {
      if (!account || !tab) return false;
      const before = store((s) => s.getItem(keyOf(form)), null) !== null;
      if (text) return store((s) => (s.setItem(keyOf(form), `${Date.now()} ${text}`), true), false);
      store((s) => s.removeItem(keyOf(form)));
      if (before) alone();
      return true;
    },
    // list is all that the tab has, as JSON, the newest first.
    list: () => JSON.stringify(tab ? mine().filter((draft) => draft.tab === tab).sort((a, b) => b.at - a.at).map(({ form, at, text }) => ({ form, at, text })) : []),
  };
})();
