// The map of memories: reads where they are from the server and draws them on one
// canvas. Zoom, pan, lasso and the search for what is under the pointer happen here; what
// a point is about, the app asks and shows. It is told by events named elowen-map on the
// canvas, with JSON as their detail: {do: "loaded" | "failed" | "hover" | "open" | "lasso", …}.
//
// Points lie in typed arrays, in the units of the server's square. They are drawn as one
// Path2D for each colour, size and strength, made anew when the scale changes and only
// shifted while one pans, so that tens of thousands stay smooth.
"use strict";

(() => {
  const SIDE = 65535; // of the server's square
  const RECORD = 14; // bytes of a memory
  const GRID = 64; // cells of a side, to find what is near
  const STRENGTHS = [0.2, 0.4, 0.6, 0.8, 1];
  const SIZES = [1.6, 2.4, 3.4, 4.6]; // by importance, as the rings
  const NEAR = 10; // pixels at which a point is under the pointer

  // decode reads the server's records into typed arrays.
  const decode = (text) => {
    const raw = atob(text), n = raw.length / RECORD;
    const m = { n, id: new Float64Array(n), x: new Uint16Array(n), y: new Uint16Array(n), category: new Uint8Array(n), size: new Uint8Array(n), strength: new Uint8Array(n) };
    const at = (o) => raw.charCodeAt(o);
    for (let i = 0, o = 0; i < n; i++, o += RECORD) {
      let id = 0;
      for (let b = 5; b >= 0; b--) id = id * 256 + at(o + b);
      m.id[i] = id;
      m.x[i] = at(o + 6) | at(o + 7) << 8;
      m.y[i] = at(o + 8) | at(o + 9) << 8;
      m.category[i] = at(o + 10);
      const importance = at(o + 11);
      m.size[i] = importance <= 2 ? 0 : importance <= 5 ? 1 : importance <= 8 ? 2 : 3;
      m.strength[i] = Math.min(4, Math.floor(at(o + 12) / 20));
    }
    // Points by cell, those of a cell after each other.
    m.start = new Uint32Array(GRID * GRID + 1);
    const cell = (i) => (m.y[i] * GRID >> 16) * GRID + (m.x[i] * GRID >> 16);
    for (let i = 0; i < n; i++) m.start[cell(i) + 1]++;
    for (let c = 0; c < GRID * GRID; c++) m.start[c + 1] += m.start[c];
    const fill = m.start.slice();
    m.order = new Uint32Array(n);
    for (let i = 0; i < n; i++) m.order[fill[cell(i)]++] = i;
    return m;
  };

  const attach = (canvas, options) => {
    const context = canvas.getContext("2d");
    const o = JSON.parse(options); // {url, memories, categories: {id: {name, color}}}
    let points = null, data = null, width = 0, height = 0;
    let zoom = 1, left = 0, top = 0; // of the square, in pixels
    let hot = -1, lasso = null, lassoing = false, picked = null;
    let paths = null, pathZoom = 0, colors = {}, wanted = 0, gone = false, controller = null;
    const tell = (what, more) => canvas.dispatchEvent(new CustomEvent("elowen-map", { detail: JSON.stringify({ do: what, ...more }) }));
    const side = () => Math.min(width, height) * zoom;
    const px = (i) => left + points.x[i] / SIDE * side();
    const py = (i) => top + points.y[i] / SIDE * side();

    // --- colours, as the theme has them ---
    const probe = document.createElement("span");
    probe.hidden = true;
    document.body.append(probe);
    const color = (name) => {
      probe.style.color = `var(${name})`;
      return getComputedStyle(probe).color;
    };
    const themed = () => {
      colors = { ink: color("--ink"), sub: color("--ink-2"), bg: color("--bg"), accent: color("--accent"), 0: color("--ink-3") };
      for (let c = 1; c <= 10; c++) {
        probe.dataset.cat = c;
        colors[c] = color("--c");
      }
      delete probe.dataset.cat;
      draw();
    };

    // --- drawing ---
    const colorOf = (id) => o.categories[id]?.color ?? 0;
    const build = () => {
      const s = side() / SIDE, grow = (1 + 0.3 * Math.log2(zoom)) * (points.n < 400 ? 1.6 : 1);
      paths = new Map();
      pathZoom = side();
      for (let i = 0; i < points.n; i++) {
        const c = colorOf(data.categories[points.category[i]]);
        const key = (c * 8 + points.strength[i]) * 4 + points.size[i];
        let path = paths.get(key);
        if (!path) paths.set(key, path = new Path2D());
        const x = points.x[i] * s, y = points.y[i] * s, r = SIZES[points.size[i]] * grow;
        path.moveTo(x + r, y);
        path.arc(x, y, r, 0, 2 * Math.PI);
      }
    };
    const label = (c) => {
      const name = o.categories[c.categoryId]?.name ?? "";
      return name && c.words.length ? `${name}: ${c.words.join(", ")}` : name || c.words.join(", ");
    };
    const paint = () => {
      wanted = 0;
      if (gone || !width) return;
      const began = performance.now(), ratio = devicePixelRatio || 1;
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      context.clearRect(0, 0, width, height);
      if (!points) return;
      if (!paths || pathZoom !== side()) build();
      context.save();
      context.translate(left, top);
      const s = side() / SIDE;
      for (const c of data.clusters) {
        context.strokeStyle = context.fillStyle = colors[colorOf(c.categoryId)];
        for (const k of [0.7, 1.4, 2.1]) {
          context.beginPath();
          context.ellipse(c.x * s, c.y * s, Math.max(c.major * s * k, 6), Math.max(c.minor * s * k, 6), c.angle, 0, 2 * Math.PI);
          context.globalAlpha = 0.05;
          context.fill();
          context.globalAlpha = 0.4;
          context.stroke();
        }
      }
      for (const [key, path] of paths) {
        context.fillStyle = colors[key >> 5];
        context.globalAlpha = STRENGTHS[key >> 2 & 7];
        context.fill(path);
      }
      context.restore();
      context.globalAlpha = 1;
      const ring = (i, r) => {
        context.beginPath();
        context.arc(px(i), py(i), r, 0, 2 * Math.PI);
        context.stroke();
      };
      context.lineWidth = 1.5;
      if (picked) {
        context.strokeStyle = colors.accent;
        for (const i of picked) ring(i, 6);
      }
      labels();
      if (hot >= 0) {
        context.lineWidth = 1.5;
        context.strokeStyle = colors.ink;
        ring(hot, 9);
      }
      if (lasso) {
        context.strokeStyle = colors.accent;
        context.setLineDash([4, 3]);
        context.beginPath();
        lasso.forEach(([x, y], i) => i ? context.lineTo(x, y) : context.moveTo(x, y));
        context.closePath();
        context.stroke();
        context.setLineDash([]);
      }
      canvas.dataset.drawn = points.n; // for whoever waits until it is drawn
      attach.frame = performance.now() - began;
    };
    const labels = () => {
      const taken = [], s = side() / SIDE, font = getComputedStyle(canvas).fontFamily;
      context.textAlign = "center";
      context.lineJoin = "round";
      context.lineWidth = 4;
      context.strokeStyle = colors.bg;
      for (const c of data.clusters) {
        const name = label(c), rise = 2.1 * s * Math.hypot(c.major * Math.sin(c.angle), c.minor * Math.cos(c.angle));
        const x = left + c.x * s, y = Math.max(top + c.y * s - Math.max(rise, 8) - 8, 30);
        context.font = `600 13px ${font}`;
        const half = context.measureText(name).width / 2 + 4;
        const box = [x - half, y - 26, x + half, y + 4];
        if (!name || x < -half || x > width + half || y > height + 20 || taken.some((t) => box[0] < t[2] && box[2] > t[0] && box[1] < t[3] && box[3] > t[1])) continue;
        taken.push(box);
        for (const [text, dy, ink, f] of [[name, -13, colors.ink, context.font], [`${c.count.toLocaleString("en")} ${o.memories}`, 0, colors.sub, `420 11.5px ${font}`]]) {
          context.font = f;
          context.strokeText(text, x, y + dy);
          context.fillStyle = ink;
          context.fillText(text, x, y + dy);
        }
      }
    };
    const draw = () => { wanted ||= requestAnimationFrame(paint); };

    // --- where one looks ---
    const fit = () => {
      zoom = 1;
      left = (width - side()) / 2;
      top = (height - side()) / 2;
      draw();
    };
    const scale = (by, x = width / 2, y = height / 2) => {
      const to = Math.min(Math.max(zoom * by, 0.6), 40);
      left = x - (x - left) * to / zoom;
      top = y - (y - top) * to / zoom;
      zoom = to;
      still();
      draw();
    };
    const under = (x, y, reach = NEAR) => {
      if (!points) return -1;
      const u = (v, from) => Math.min(GRID - 1, Math.max(0, Math.floor((v - from) / side() * GRID)));
      let best = -1, least = reach;
      for (let gy = u(y - reach, top); gy <= u(y + reach, top); gy++) {
        for (let gx = u(x - reach, left); gx <= u(x + reach, left); gx++) {
          for (let k = points.start[gy * GRID + gx]; k < points.start[gy * GRID + gx + 1]; k++) {
            const i = points.order[k], d = Math.hypot(px(i) - x, py(i) - y);
            if (d < least) [best, least] = [i, d];
          }
        }
      }
      return best;
    };
    const heat = (i) => {
      if (i === hot) return;
      hot = i;
      canvas.style.cursor = i >= 0 ? "pointer" : "";
      tell("hover", i < 0 ? { id: 0 } : { id: points.id[i], x: Math.round(px(i)), y: Math.round(py(i)) });
      draw();
    };
    const still = () => heat(-1);

    // --- lasso ---
    const inside = (x, y) => {
      let odd = false;
      for (let i = 0, j = lasso.length - 1; i < lasso.length; j = i++) {
        const [ax, ay] = lasso[i], [bx, by] = lasso[j];
        if (ay > y !== by > y && x < (bx - ax) * (y - ay) / (by - ay) + ax) odd = !odd;
      }
      return odd;
    };
    const close = () => {
      const list = [];
      if (points && lasso.length > 2) for (let i = 0; i < points.n; i++) if (inside(px(i), py(i))) list.push(i);
      lasso = null;
      lassoing = false;
      picked = list.length ? list : null;
      tell("lasso", { ids: list.map((i) => points.id[i]) });
      draw();
    };

    // --- pointer and keys ---
    const pointers = new Map();
    let moved = 0;
    const place = (e) => {
      const r = canvas.getBoundingClientRect();
      return [e.clientX - r.left, e.clientY - r.top];
    };
    const on = (name, f, more) => canvas.addEventListener(name, f, more);
    on("pointerdown", (e) => {
      if (e.button) return;
      canvas.setPointerCapture(e.pointerId);
      pointers.set(e.pointerId, place(e));
      moved = 0;
      if (lassoing || e.shiftKey) {
        lassoing = true;
        lasso = [place(e)];
        still();
      }
    });
    on("pointermove", (e) => {
      const [x, y] = place(e), was = pointers.get(e.pointerId);
      if (!was) {
        // The page moving under a mouse that rests is not the person's doing.
        if (e.movementX || e.movementY) heat(under(x, y));
        return;
      }
      if (lasso) {
        lasso.push([x, y]);
        draw();
        return;
      }
      const other = [...pointers].find(([id]) => id !== e.pointerId)?.[1];
      if (other) {
        const far = (p) => Math.hypot(p[0] - other[0], p[1] - other[1]) || 1;
        scale(far([x, y]) / far(was), (x + other[0]) / 2, (y + other[1]) / 2);
      } else {
        moved += Math.abs(x - was[0]) + Math.abs(y - was[1]);
        if (moved > 4) {
          still();
          left += x - was[0];
          top += y - was[1];
          draw();
        }
      }
      pointers.set(e.pointerId, [x, y]);
    });
    const up = (e) => {
      if (!pointers.delete(e.pointerId)) return;
      if (lasso) return close();
      if (e.type === "pointerup" && moved <= 4) {
        const i = under(...place(e), e.pointerType === "touch" ? 22 : NEAR);
        if (i >= 0 && (i === hot || e.pointerType !== "touch")) tell("open", { id: points.id[i] });
        else heat(i); // a first touch shows, a second opens
        if (i < 0 && picked) {
          picked = null;
          tell("lasso", { ids: [] });
          draw();
        }
      }
    };
    on("pointerup", up);
    on("pointercancel", up);
    on("pointerleave", () => { if (!pointers.size) still(); });
    on("wheel", (e) => {
      e.preventDefault();
      scale(Math.exp(-e.deltaY * (e.deltaMode ? 0.05 : 0.0016)), ...place(e));
    }, { passive: false });
    // step goes to the nearest point in a direction, or to the one in the middle.
    const step = (dx, dy) => {
      const x = hot < 0 ? width / 2 : px(hot), y = hot < 0 ? height / 2 : py(hot);
      let best = -1, least = Infinity;
      for (let i = 0; points && i < points.n; i++) {
        const ax = px(i) - x, ay = py(i) - y, along = ax * dx + ay * dy, aside = Math.abs(ax * dy) + Math.abs(ay * dx);
        const d = hot < 0 ? Math.hypot(ax, ay) : along + 2 * aside;
        if (i !== hot && (hot < 0 || along > 0.5 && aside < along * 2) && d < least) [best, least] = [i, d];
      }
      if (best < 0) return;
      left += Math.min(0, width - 40 - px(best)) + Math.max(0, 40 - px(best));
      top += Math.min(0, height - 40 - py(best)) + Math.max(0, 40 - py(best));
      heat(best);
    };
    const keys = {
      ArrowRight: () => step(1, 0), ArrowLeft: () => step(-1, 0), ArrowDown: () => step(0, 1), ArrowUp: () => step(0, -1),
      "+": () => scale(1.5), "=": () => scale(1.5), "-": () => scale(1 / 1.5), 0: fit,
      Enter: () => hot >= 0 && tell("open", { id: points.id[hot] }),
      Escape: () => {
        lasso = picked = null;
        lassoing = false;
        still();
        tell("lasso", { ids: [] });
        draw();
      },
    };
    on("keydown", (e) => {
      if (e.ctrlKey || e.metaKey || e.altKey || !keys[e.key]) return;
      e.preventDefault();
      e.stopPropagation();
      keys[e.key]();
    });
    on("blur", still);

    // --- data ---
    const load = async () => {
      controller?.abort();
      const mine = controller = new AbortController();
      try {
        const answer = await fetch(o.url, { signal: mine.signal, headers: { Accept: "application/json" } });
        const body = await answer.json();
        if (!answer.ok) throw new Error(body.detail ?? body.title);
        const first = !points, was = hot >= 0 ? points.id[hot] : 0;
        data = body;
        points = decode(body.points);
        paths = picked = null;
        hot = was ? points.id.indexOf(was) : -1;
        if (first) fit();
        tell("loaded", { total: body.total, placed: body.placed, model: body.model, computedAt: body.computedAt });
        draw();
      } catch (e) {
        if (!mine.signal.aborted) tell("failed", { problem: String(e.message ?? e) });
      }
    };

    const size = new ResizeObserver(() => {
      const r = canvas.getBoundingClientRect(), ratio = devicePixelRatio || 1;
      const middle = width ? [(width / 2 - left) / side(), (height / 2 - top) / side()] : null;
      [width, height] = [r.width, r.height];
      [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
      if (middle && zoom !== 1) {
        left = width / 2 - middle[0] * side();
        top = height / 2 - middle[1] * side();
        draw();
      } else fit();
    });
    size.observe(canvas);
    const dark = matchMedia("(prefers-color-scheme: dark)"), theme = new MutationObserver(themed);
    theme.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
    dark.addEventListener("change", themed);
    themed();
    load();
    return {
      load, fit, zoom: (by) => scale(by),
      categories: (text) => {
        o.categories = JSON.parse(text);
        paths = null;
        draw();
      },
      lasso: () => {
        lassoing = !lassoing;
        return lassoing;
      },
      clear: () => {
        picked = null;
        draw();
      },
      close: () => {
        gone = true;
        controller?.abort();
        size.disconnect();
        theme.disconnect();
        dark.removeEventListener("change", themed);
        probe.remove();
      },
    };
  };

  window.elowenMap = attach;
})();
