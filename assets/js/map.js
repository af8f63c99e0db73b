// The map of memories: reads where they are from the server and draws them on one
// canvas. Zoom, pan, lasso and the search for what is under the pointer happen here; what
// a point is about, the app asks and shows. It is told by events named elowen-map on the
// canvas, with JSON as their detail: {do: "loaded" | "failed" | "hover" | "open" | "lasso", …}.
//
// Points lie in typed arrays, in the units of the server's square. They are drawn (dots.js)
// into a picture that is somewhat larger than the view. A frame shows that picture, shifted
// or scaled, with labels and marks over it. It is drawn anew, in parts that fit into a
// frame, once one rests, and on the way where it doesn't reach or is scaled too far. So
// tens of thousands stay smooth.
"use strict";

(() => {
  const SIDE = 65535; // of the server's square
  const RECORD = 14; // bytes of a memory
  const GRID = 64; // cells of a side, to find what is near
  const STRENGTHS = [0.2, 0.4, 0.6, 0.8, 1];
  const SIZES = [1.6, 2.4, 3.4, 4.6]; // by importance, as the rings
  const NEAR = 10; // pixels at which a point is under the pointer
  const MARGIN = 0.15; // of the view, by which the picture is larger on each side
  const REST = 80; // milliseconds without a move, after which the picture is made sharp
  const PART = 5; // milliseconds of a frame in which the next picture is drawn
  const MANY = 3e6; // dots of a view that has so many that nobody sees one while it moves
  const NARROW = 600; // pixels of a view in which labels are shorter
  const SLOTS = 7; // places of a label
  const CROWDED = 0.6; // of a label that would lie on dots; then it is left out
  const [SMALLER, LARGER] = [0.8, 1.35]; // how far a picture is scaled while one moves

  let last = null; // where one looked when the map was left: {zoom, x, y}, the middle

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
    const context = canvas.getContext("2d", { alpha: false });
    const o = JSON.parse(options); // {url, memories, categories: {id: {name, color}}}
    let points = null, data = null, width = 0, height = 0;
    let zoom = 1, left = 0, top = 0; // of the square, in pixels
    let hot = -1, lasso = null, lassoing = false, picked = null; // picked: for each point
    let shown = null, spare = null, job = null, version = 0; // the picture, and the next one
    let colors = {}, names = new Map(), wanted = 0, moved = 0, resting = 0, gone = false, controller = null;
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
      renew();
    };

    // --- the picture ---
    const ratio = () => devicePixelRatio || 1;
    const colorOf = (id) => o.categories[id]?.color ?? 0;

    // renew makes the picture another one: of other points, colours or marks.
    const renew = () => {
      version++;
      delete canvas.dataset.still;
      names.clear();
      draw();
    };

    // scene is what the picture is to be now, in pixels of the screen.
    const scene = () => {
      const r = ratio(), grow = (1 + 0.3 * Math.log2(zoom)) * (points.n < 400 ? 1.6 : 1) * r;
      const mx = Math.round(canvas.width * MARGIN), my = Math.round(canvas.height * MARGIN);
      return {
        version, side: side() * r, width: canvas.width + 2 * mx, height: canvas.height + 2 * my, ratio: r,
        left: Math.round(left * r) + mx, top: Math.round(top * r) + my, scale: side() * r / SIDE, line: r,
        sizes: SIZES.map((s) => s * grow), ring: [6 * r, 1.5 * r], strengths: STRENGTHS, cells: GRID, cell: 65536 / GRID,
        points, picked, ground: colors.bg, accent: elowenDots.pixel(colors.accent),
        colors: data.categories.map((id) => elowenDots.pixel(colors[colorOf(id)])),
        clusters: data.clusters.map((c) => ({ ...c, color: colors[colorOf(c.categoryId)] })),
      };
    };

    // sharp tells whether a picture has what is seen now, pixel by pixel.
    const reaches = (s, k) => {
      const x = Math.round(left * ratio()) - s.left * k, y = Math.round(top * ratio()) - s.top * k;
      return x <= 0 && y <= 0 && x + s.width * k >= canvas.width && y + s.height * k >= canvas.height;
    };
    const same = (s) => s && s.version === version && s.ratio === ratio() && s.side === side() * ratio();
    const sharp = (s) => same(s) && reaches(s, 1);

    // due tells whether the next picture is to be begun in this frame; else it is once
    // one rests.
    const due = () => {
      if (!shown || shown.version !== version || performance.now() - moved >= REST) return true;
      const k = side() * ratio() / shown.side;
      return k < SMALLER || k > LARGER || !reaches(shown, k);
    };

    // work draws on the next picture for a part of a frame; the first one is drawn whole.
    const work = () => {
      if (sharp(shown)) job = null;
      else if (!job && due()) {
        const of = scene(), into = spare ?? document.createElement("canvas");
        spare = null;
        if (into.width !== of.width || into.height !== of.height) [into.width, into.height] = [of.width, of.height];
        job = { of, into, steps: elowenDots.draw(into, of) };
      }
      if (!job) return;
      const until = shown ? performance.now() + PART : Infinity;
      do {
        if (!job.steps.next().done) continue;
        spare = shown?.picture ?? null;
        shown = { ...job.of, picture: job.into, points: null, picked: null };
        job = null;
        return;
      } while (performance.now() < until);
    };

    const paint = () => {
      wanted = 0;
      if (gone || !width) return;
      context.setTransform(1, 0, 0, 1, 0, 0);
      context.fillStyle = colors.bg;
      if (!points) return context.fillRect(0, 0, canvas.width, canvas.height);
      work();
      const r = ratio(), k = side() * r / shown.side;
      if (!reaches(shown, k)) context.fillRect(0, 0, canvas.width, canvas.height);
      const x = Math.round(left * r) - shown.left * k, y = Math.round(top * r) - shown.top * k;
      context.imageSmoothingEnabled = canvas.width * canvas.height < MANY;
      if (k === 1) context.drawImage(shown.picture, x, y);
      else context.drawImage(shown.picture, x, y, shown.width * k, shown.height * k);
      const rests = sharp(shown) && !job && performance.now() - moved >= REST;
      labels(r, rests);
      context.setTransform(r, 0, 0, r, 0, 0);
      if (hot >= 0) {
        context.lineWidth = 1.5;
        context.strokeStyle = colors.ink;
        context.beginPath();
        context.arc(px(hot), py(hot), 9, 0, 2 * Math.PI);
        context.stroke();
      }
      if (lasso) {
        context.lineWidth = 1.5;
        context.strokeStyle = colors.accent;
        context.setLineDash([4, 3]);
        context.beginPath();
        lasso.forEach(([x, y], i) => i ? context.lineTo(x, y) : context.moveTo(x, y));
        context.closePath();
        context.stroke();
        context.setLineDash([]);
      }
      if (job) draw();
      else if (!rests && !resting) resting = setTimeout(() => { resting = 0; draw(); }, REST);
      // For whoever waits until it is drawn, and until that is sharp.
      if (canvas.dataset.drawn !== `${points.n}`) canvas.dataset.drawn = points.n;
      if (("still" in canvas.dataset) !== rests) rests ? canvas.dataset.still = "" : delete canvas.dataset.still;
    };

    // --- labels ---
    const label = (c) => {
      const name = o.categories[c.categoryId]?.name ?? "";
      const words = c.words.slice(0, width < NARROW ? 1 : c.words.length).join(", ");
      return name && words ? `${name}: ${words}` : name || words;
    };

    // written is the label of a cluster as a picture of its own: to write it takes longer
    // than all else of a frame.
    const written = (c, r) => {
      let w = names.get(c);
      if (w?.ratio === r) return w;
      const name = label(c), font = getComputedStyle(canvas).fontFamily, picture = document.createElement("canvas");
      const lines = [[name, 17, colors.ink, `600 13px ${font}`], [`${c.count.toLocaleString("en")} ${o.memories}`, 30, colors.sub, `420 11.5px ${font}`]];
      let pen = picture.getContext("2d");
      const wide = Math.max(...lines.map(([text, , , f]) => {
        pen.font = f;
        return pen.measureText(text).width;
      }));
      w = { ratio: r, half: Math.ceil(wide / 2) + 4, name, picture };
      [picture.width, picture.height] = [Math.ceil(2 * w.half * r), Math.ceil(38 * r)];
      pen = picture.getContext("2d");
      pen.scale(r, r);
      pen.textAlign = "center";
      pen.lineJoin = "round";
      pen.lineWidth = 4;
      pen.strokeStyle = colors.bg;
      for (const [text, y, ink, f] of lines) {
        pen.font = f;
        pen.strokeText(text, w.half, y);
        pen.fillStyle = ink;
        pen.fillText(text, w.half, y);
      }
      names.set(c, w);
      return w;
    };

    // boxOf is one of the places of a label: above, below, beside and on the ring of its
    // cluster and, where that is larger than the view, as near to it as can be seen.
    const boxOf = (c, w, slot) => {
      const s = side() / SIDE, turn = (u, v) => s * Math.hypot(c.major * u, c.minor * v);
      const up = turn(Math.sin(c.angle), Math.cos(c.angle)), out = turn(Math.cos(c.angle), Math.sin(c.angle));
      const x = left + c.x * s, y = top + c.y * s, tall = 38;
      const [dx, dy] = [
        [0, -Math.max(2.1 * up, 8) - tall / 2], [0, Math.max(2.1 * up, 8) + tall / 2],
        [Math.max(2.1 * out, 8) + w.half, 0], [-Math.max(2.1 * out, 8) - w.half, 0],
        [0, -1.4 * up - tall / 2], [0, 1.4 * up + tall / 2],
        [Math.min(width - w.half, Math.max(w.half, x)) - x, Math.min(height - tall, Math.max(tall, y - 1.4 * up)) - y],
      ][slot];
      if (slot === SLOTS - 1 && Math.hypot(dx, dy) > 2.1 * Math.min(up, out)) return null;
      return [x + dx - w.half, y + dy - tall / 2, x + dx + w.half, y + dy + tall / 2];
    };
    const hits = (a, b) => a[0] < b[2] && a[2] > b[0] && a[1] < b[3] && a[3] > b[1];

    // arrange chooses for each label the place where it covers the fewest dots, no other
    // label and no button; one without a place is left out. It is done once one rests, so
    // that labels don't jump on the way.
    let arranged = "", slots = new Map();
    const watched = new WeakSet(), beside = new ResizeObserver(() => {
      arranged = "";
      delete canvas.dataset.still;
      draw();
    });
    const arrange = (r) => {
      const key = [version, zoom, left, top, width, height].join(); // and what lies beside
      if (key === arranged) return;
      arranged = key;
      slots.clear();
      const dot = Math.PI * (SIZES[1] * (1 + 0.3 * Math.log2(zoom))) ** 2; // the area of one
      const at = canvas.getBoundingClientRect();
      const taken = [...canvas.parentElement.querySelectorAll(".map-tools, .map-legend")].map((e) => {
        if (!watched.has(e)) beside.observe(e); // which tells of it once more
        watched.add(e);
        const b = e.getBoundingClientRect();
        return [b.left - at.left, b.top - at.top, b.right - at.left, b.bottom - at.top];
      });
      for (const c of data.clusters) {
        const w = written(c, r);
        let best = -1, least = Infinity;
        for (let slot = 0; w.name && slot < SLOTS; slot++) {
          const box = boxOf(c, w, slot);
          if (!box || box[0] < 0 || box[1] < 0 || box[2] > width || box[3] > height || taken.some((t) => hits(box, t))) continue;
          const covers = covered(box) * dot / (2 * w.half * 38);
          if (covers < least && covers < CROWDED) [best, least] = [slot, covers];
        }
        if (best < 0) continue;
        slots.set(c, best);
        taken.push(boxOf(c, w, best));
      }
    };

    // covered counts the dots in a box.
    const covered = (box) => {
      const u = (v, from) => Math.min(GRID - 1, Math.max(0, Math.floor((v - from) / side() * GRID)));
      let n = 0;
      for (let gy = u(box[1], top); gy <= u(box[3], top); gy++) {
        for (let k = points.start[gy * GRID + u(box[0], left)]; k < points.start[gy * GRID + u(box[2], left) + 1]; k++) {
          const i = points.order[k], x = px(i), y = py(i);
          if (x > box[0] && x < box[2] && y > box[1] && y < box[3]) n++;
        }
      }
      return n;
    };
    const labels = (r, rests) => {
      if (rests) arrange(r);
      const taken = [];
      for (const [c, slot] of slots) {
        const box = boxOf(c, written(c, r), slot);
        if (!box || box[2] < 0 || box[0] > width || box[3] < 0 || box[1] > height || taken.some((t) => hits(box, t))) continue;
        taken.push(box);
        context.drawImage(written(c, r).picture, Math.round(box[0] * r), Math.round(box[1] * r));
      }
    };
    const draw = () => { wanted ||= requestAnimationFrame(paint); };
    const move = () => {
      moved = performance.now();
      delete canvas.dataset.still;
      draw();
    };

    // --- where one looks ---
    const fit = () => {
      zoom = 1;
      left = (width - side()) / 2;
      top = (height - side()) / 2;
      move();
    };
    const scale = (by, x = width / 2, y = height / 2) => {
      const to = Math.min(Math.max(zoom * by, 0.6), 40);
      left = x - (x - left) * to / zoom;
      top = y - (y - top) * to / zoom;
      zoom = to;
      still();
      move();
    };
    // arrive looks where one looked when the map was left.
    const middle = () => ({ zoom, x: (width / 2 - left) / side(), y: (height / 2 - top) / side() });
    const lookAt = (at) => {
      zoom = at.zoom;
      left = width / 2 - at.x * side();
      top = height / 2 - at.y * side();
      move();
    };
    const arrive = () => last ? lookAt(last) : fit();
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
    const pick = (list) => {
      if (!picked && !list.length) return draw();
      picked = null;
      if (list.length) {
        picked = new Uint8Array(points.n);
        for (const i of list) picked[i] = 1;
      }
      renew();
    };
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
      pick(list);
      tell("lasso", { ids: list.map((i) => points.id[i]) });
    };

    // --- pointer and keys ---
    const pointers = new Map();
    let far = 0; // that the pointer was moved
    const place = (e) => {
      const r = canvas.getBoundingClientRect();
      return [e.clientX - r.left, e.clientY - r.top];
    };
    const on = (name, f, more) => canvas.addEventListener(name, f, more);
    on("pointerdown", (e) => {
      if (e.button) return;
      canvas.setPointerCapture(e.pointerId);
      pointers.set(e.pointerId, place(e));
      far = 0;
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
        const apart = (p) => Math.hypot(p[0] - other[0], p[1] - other[1]) || 1;
        scale(apart([x, y]) / apart(was), (x + other[0]) / 2, (y + other[1]) / 2);
      } else {
        far += Math.abs(x - was[0]) + Math.abs(y - was[1]);
        if (far > 4) {
          still();
          left += x - was[0];
          top += y - was[1];
          move();
        }
      }
      pointers.set(e.pointerId, [x, y]);
    });
    const up = (e) => {
      if (!pointers.delete(e.pointerId)) return;
      if (lasso) return close();
      if (e.type === "pointerup" && far <= 4) {
        const i = under(...place(e), e.pointerType === "touch" ? 22 : NEAR);
        if (i >= 0 && (i === hot || e.pointerType !== "touch")) tell("open", { id: points.id[i] });
        else heat(i); // a first touch shows, a second opens
        if (i < 0 && picked) {
          pick([]);
          tell("lasso", { ids: [] });
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
        lasso = null;
        lassoing = false;
        pick([]);
        still();
        tell("lasso", { ids: [] });
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
        const answer = await fetch(o.url, { signal: mine.signal, headers: { Accept: "application/json" } }).catch(() => {
          if (!mine.signal.aborted) tell("failed", {}); // the server does not answer
        });
        if (!answer) return;
        const body = await answer.json();
        if (!answer.ok) throw new Error(body.detail ?? body.title);
        const first = !points, was = hot >= 0 ? points.id[hot] : 0;
        data = body;
        points = decode(body.points);
        picked = null;
        hot = was ? points.id.indexOf(was) : -1;
        if (first && width) arrive();
        tell("loaded", { total: body.total, placed: body.placed, model: body.model, computedAt: body.computedAt });
        renew();
      } catch (e) {
        if (!mine.signal.aborted) tell("failed", { problem: String(e.message ?? e) });
      }
    };

    const resized = () => {
      if (gone) return;
      const r = canvas.getBoundingClientRect(), at = width ? middle() : null;
      [width, height] = [r.width, r.height];
      [canvas.width, canvas.height] = [Math.round(width * ratio()), Math.round(height * ratio())];
      if (!width) return;
      names.clear();
      if (at && at.zoom !== 1) lookAt(at);
      else if (points && !at) arrive();
      else fit();
      if (wanted) cancelAnimationFrame(wanted);
      paint(); // at once: with its size, the canvas lost what was on it
    };
    const size = new ResizeObserver(resized);
    // A window that goes to another screen has pixels of another size.
    const finer = () => matchMedia(`(resolution: ${ratio()}dppx)`).addEventListener("change", () => {
      resized();
      if (!gone) finer();
    }, { once: true });
    finer();
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
        renew();
      },
      lasso: () => {
        lassoing = !lassoing;
        return lassoing;
      },
      clear: () => { if (picked) pick([]); },
      close: () => {
        gone = true;
        if (points && width) last = middle();
        clearTimeout(resting);
        controller?.abort();
        size.disconnect();
        beside.disconnect();
        theme.disconnect();
        dark.removeEventListener("change", themed);
        probe.remove();
      },
    };
  };

  window.elowenMap = attach;
})();
