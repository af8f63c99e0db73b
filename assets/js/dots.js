// Draws the ground of the map: the rings of its clusters, and one dot a memory, up to
// tens of thousands. Which are where, and what lies over them, map.js knows.
//
// A canvas takes a path for each dot much too slowly, so they are stamped by hand: the
// shape of a dot is worked out once for each size and each quarter of a pixel, and laid
// over the picture's pixels. That is done a band of rows after another, so that whoever
// draws may stop between two of them and go on in the next frame.
"use strict";

(() => {
  const PHASES = 4; // places of a dot within a pixel, of a side
  const FULL = 256; // of what a stamp covers

  // shape is how much of each pixel a disc of a radius covers, or a ring of a width on
  // it; for all phases after each other.
  const shape = (radius, width = 0) => {
    const half = Math.ceil(radius + width / 2) + 1, side = 2 * half + 1;
    const cover = new Uint16Array(PHASES * PHASES * side * side);
    for (let k = 0, phase = 0; phase < PHASES * PHASES; phase++) {
      const cx = half + (phase % PHASES) / PHASES, cy = half + (phase / PHASES | 0) / PHASES;
      for (let y = 0; y < side; y++) {
        for (let x = 0; x < side; x++, k++) {
          const d = Math.hypot(x + 0.5 - cx, y + 0.5 - cy);
          const edge = width ? width / 2 + 0.5 - Math.abs(d - radius) : radius + 0.5 - d;
          cover[k] = Math.max(0, Math.min(1, edge, width || 1)) * FULL;
        }
      }
    }
    return { half, side, cover };
  };

  // stamp lays a shape in a colour over a band of rows, which begins at row from; qx and
  // qy are in phases. The ground is opaque, so two channels are mixed at once.
  const stamp = (into, columns, from, rows, qx, qy, shape, color, strength) => {
    const { half, side, cover } = shape;
    const left = Math.floor(qx / PHASES) - half, top = Math.floor(qy / PHASES) - half - from;
    const phase = (qy - Math.floor(qy / PHASES) * PHASES) * PHASES + qx - Math.floor(qx / PHASES) * PHASES;
    const x0 = Math.max(0, -left), x1 = Math.min(side, columns - left), y0 = Math.max(0, -top), y1 = Math.min(side, rows - top);
    const rb = color & 0xff00ff, g = color & 0xff00;
    for (let v = y0; v < y1; v++) {
      let k = (phase * side + v) * side + x0, at = (top + v) * columns + left + x0;
      for (let u = x0; u < x1; u++, k++, at++) {
        if (cover[k] === 0) continue;
        const a = cover[k] * strength >> 8, d = into[at], rest = FULL - a;
        into[at] = (Math.imul(d & 0xff00ff, rest) + Math.imul(rb, a)) >>> 8 & 0xff00ff | (Math.imul(d & 0xff00, rest) + Math.imul(g, a)) >>> 8 & 0xff00 | 0xff000000;
      }
    }
  };

  // draw draws a scene into a canvas, whole, and yields whenever it may be stopped. A
  // scene has, in pixels of the canvas: scale (of the units of the points' square), left
  // and top (of the square, whole), sizes (radii), ring (radius and width of the mark of what
  // is picked); and ground, colors, accent, clusters, points, strengths, picked.
  function* draw(canvas, scene) {
    const { points, scale, left, top, sizes, colors } = scene, { width, height } = canvas;
    const context = canvas.getContext("2d", { alpha: false, willReadFrequently: true });
    context.globalAlpha = 1;
    context.fillStyle = scene.ground;
    context.fillRect(0, 0, width, height);
    for (const c of scene.clusters) {
      context.strokeStyle = context.fillStyle = c.color;
      context.lineWidth = scene.line;
      for (const k of [0.7, 1.4, 2.1]) {
        context.beginPath();
        context.ellipse(left + c.x * scale, top + c.y * scale, Math.max(c.major * scale * k, 6 * scene.line), Math.max(c.minor * scale * k, 6 * scene.line), c.angle, 0, 2 * Math.PI);
        context.globalAlpha = 0.05;
        context.fill();
        context.globalAlpha = 0.4;
        context.stroke();
      }
    }
    const discs = sizes.map((r) => shape(r)), ring = shape(...scene.ring);
    const reach = Math.max(...discs.map((d) => d.half), ring.half);
    const cell = scene.cell * scale, cells = scene.cells; // of the grid that points lie in
    const within = (v) => Math.min(cells - 1, Math.max(0, Math.floor(v / cell)));
    const x0 = within(-reach - left), x1 = within(width + reach - left);
    yield;
    const BAND = Math.max(16, Math.round(160_000 / width));
    for (let from = 0; from < height; from += BAND) {
      const rows = Math.min(BAND, height - from), picture = context.getImageData(0, from, width, rows);
      const into = new Uint32Array(picture.data.buffer);
      for (const marks of scene.picked ? [false, true] : [false]) {
        for (let gy = within(from - reach - top); gy <= within(from + rows + reach - top); gy++) {
          const end = points.start[gy * cells + x1 + 1];
          for (let k = points.start[gy * cells + x0]; k < end; k++) {
            // Rounded without the place of the square: a picture that was shifted is the same.
            const i = points.order[k], qy = Math.round(points.y[i] * scale * PHASES) + top * PHASES;
            if (qy < (from - reach) * PHASES || qy > (from + rows + reach) * PHASES) continue;
            const qx = Math.round(points.x[i] * scale * PHASES) + left * PHASES;
            if (!marks) stamp(into, width, from, rows, qx, qy, discs[points.size[i]], colors[points.category[i]], scene.strengths[points.strength[i]] * FULL);
            else if (scene.picked[i]) stamp(into, width, from, rows, qx, qy, ring, scene.accent, FULL);
          }
        }
      }
      context.putImageData(picture, 0, from);
      yield;
    }
  }

  // pixel is a colour of the style sheet as the pixels of a picture have it.
  const pixel = (color) => {
    const one = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    one.canvas.width = one.canvas.height = 1;
    one.fillStyle = color;
    one.fillRect(0, 0, 1, 1);
    return new Uint32Array(one.getImageData(0, 0, 1, 1).data.buffer)[0];
  };

  globalThis.elowenDots = { draw, pixel };
})();
