// The variables as sectors of a wheel, the newest at the top: one step turns every sector on by one place.

const TURN = 2 * Math.PI;
const smooth = (x) => x * x * (3 - 2 * x);

class Wheel {
  constructor(canvas, explorer) {
    this.canvas = canvas;
    this.explorer = explorer;
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", `${explorer.s} variables in a ring, contents moving from one to the next`);
    drawn.add(this);
    new ResizeObserver(() => this.draw()).observe(canvas);
  }

  layout(width) {
    const { s, d } = this.explorer, narrow = width < 720, scale = Math.min(1.35, innerWidth / 1440 || 1);
    const radius = narrow ? Math.min(250, width / 2 - 26) : Math.max(190, 215 * scale), strip = narrow ? 110 : 0;
    const height = 2 * radius + 62 + strip;
    this.canvas.style.height = `${height}px`;
    const hub = radius * (d > 12 ? 0.3 : 0.4), ring = (radius - hub) / d;
    return { narrow, radius, hub, ring, cx: width / 2, cy: strip + radius + 34, sector: TURN / s, width, strip };
  }

  angle(variable) { return -TURN / 4 + (this.explorer.s - variable) * this.place.sector; }

  middle(slot, shift = 0) {
    const { d } = this.explorer, { cx, cy, radius, ring } = this.place, variable = Math.floor(slot / d) + 1;
    const r = radius - (slot % d + 0.5) * ring, a = this.angle(variable) + shift;
    return [cx + r * Math.cos(a), cy + r * Math.sin(a)];
  }

  cell(slot, shift, fill, alpha) {
    const { d } = this.explorer, { cx, cy, radius, ring, sector } = this.place, { context } = this;
    const a = this.angle(Math.floor(slot / d) + 1) + shift, half = sector / 2 * 0.93, outer = radius - (slot % d) * ring - 0.7, inner = outer - ring + 1.4;
    context.globalAlpha = alpha;
    context.beginPath();
    context.arc(cx, cy, outer, a - half, a + half);
    context.arc(cx, cy, inner, a + half, a - half, true);
    context.closePath();
    if (fill) { context.fillStyle = fill; context.fill(); } else { context.strokeStyle = palette.line; context.lineWidth = 1; context.stroke(); }
    context.globalAlpha = 1;
  }

  draw() {
    const width = this.canvas.clientWidth, { explorer } = this;
    if (!width || !explorer.run) return;
    this.place = this.layout(width);
    [this.context] = fitted(this.canvas);
    const { s, d } = explorer, t = player.step, part = smooth(player.position - t), last = t >= s + explorer.horizon;
    const { members } = explorer.reading, stored = new Set(members);
    const now = t > 0 ? explorer.run.contents[t - 1] : null, next = last ? null : explorer.run.contents[t];
    for (let slot = 0; slot < s * d; slot++) if (!stored.has(slot)) this.cell(slot, 0, null, 0.7);
    members.forEach((slot, k) => {
      const goesOn = slot >= d && stored.has(slot - d), value = now ? now[k] : 0;
      this.cell(slot, 0, colour(0), 1);
      if (goesOn || part === 0) return;
      this.cell(slot, part * this.place.sector, colour(value), 1 - part);
    });
    members.forEach((slot, k) => {
      const value = now ? now[k] : 0, goesOn = slot >= d && stored.has(slot - d);
      if (part === 0 || goesOn) this.cell(slot, part * this.place.sector, colour(value), 1);
      if (part > 0 && next && slot >= (s - 1) * d) this.cell(slot, 0, colour(next[k]), part);
    });
    this.marks(members);
    this.wires(stored);
    if (part > 0) this.tokens(t, part, now);
    this.names();
    this.strips(t, part);
  }

  marks(members) {
    const { context, explorer } = this;
    context.strokeStyle = palette.bad;
    context.lineWidth = 1.5;
    members.forEach((slot, k) => {
      if (!explorer.weak.has(slot) || explorer.edited) return;
      const [x, y] = this.middle(slot), r = 3.5;
      context.beginPath();
      context.moveTo(x - r, y - r); context.lineTo(x + r, y + r);
      context.moveTo(x + r, y - r); context.lineTo(x - r, y + r);
      context.stroke();
    });
  }

  curve(from, to) {
    const { cx, cy } = this.place, pull = 0.85;
    const bend = (p) => [p[0] + (cx - p[0]) * pull, p[1] + (cy - p[1]) * pull];
    return [from, bend(from), bend(to), to];
  }

  wires(stored) {
    const { context, explorer: { s, d, wires } } = this;
    context.lineWidth = 1.3;
    wires.forEach(({ lag, component, sign, to: j }) => {
      const from = (s - lag) * d + component, to = (s - 1) * d + j, [a, b, c, e] = this.curve(this.middle(from), this.middle(to));
      context.strokeStyle = palette.soft;
      context.globalAlpha = stored.has(from) ? 0.55 : 0.15;
      context.setLineDash(sign < 0 ? [4, 4] : []);
      context.beginPath();
      context.moveTo(...a);
      context.bezierCurveTo(...b, ...c, ...e);
      context.stroke();
    });
    context.setLineDash([]);
    context.globalAlpha = 1;
  }

  tokens(t, part, now) {
    const { context, explorer } = this, { s, d, wires, inputs } = explorer;
    const dot = ([x, y], value, size) => {
      context.beginPath();
      context.arc(x, y, size, 0, TURN);
      context.fillStyle = colour(value);
      context.fill();
      context.strokeStyle = palette.mark;
      context.lineWidth = 1;
      context.stroke();
    };
    const size = Math.max(3, Math.min(6, this.place.ring * 0.36));
    for (let j = 0; j < d; j++) {
      const to = this.middle((s - 1) * d + j);
      if (t < s) {
        const from = this.columnAt("input", t, j);
        dot([from[0] + (to[0] - from[0]) * part, from[1] + (to[1] - from[1]) * part], inputs[t][j], size);
      }
      for (const { lag, component, sign } of t < s ? [] : wires.filter((wire) => wire.to === j)) {
        const slot = (s - lag) * d + component;
        const k = explorer.reading.members.indexOf(slot), value = now && k >= 0 ? now[k] : 0;
        const [p0, p1, p2, p3] = this.curve(this.middle(slot), to), q = 1 - part;
        const along = [0, 1].map((c) => q ** 3 * p0[c] + 3 * q * q * part * p1[c] + 3 * q * part * part * p2[c] + part ** 3 * p3[c]);
        dot(along, part < 0.5 ? value : sign * value, size);
      }
    }
  }

  names() {
    const { context, explorer: { s }, place: { cx, cy, radius, hub } } = this;
    context.font = FONT;
    context.fillStyle = palette.soft;
    context.textAlign = "center";
    context.textBaseline = "middle";
    for (let variable = 1; variable <= s; variable++) {
      const a = this.angle(variable), r = radius + 13;
      context.fillText(`${variable}`, cx + r * Math.cos(a), cy + r * Math.sin(a));
    }
    context.fillStyle = palette.paper;
    context.beginPath();
    context.arc(cx, cy, Math.min(15, hub / 3), 0, TURN);
    context.fill();
    context.fillStyle = palette.ink;
    context.font = FONT.replace("12px", "italic 600 17px");
    context.fillText("f", cx, cy);
  }

  // Where a strip's column for time step t (from 0) and row j lies.
  columnAt(which, column, row) {
    const { size, left, top } = this.strip[which];
    return [left + (column + 0.5) * size, top + (row + 0.5) * size];
  }

  strips(t, part) {
    const { context, explorer, place } = this, { s, d, inputs, horizon } = explorer, { outputs } = explorer.run, wanted = explorer.run.wanted;
    const room = (place.narrow ? place.width / 2 - 12 : place.cx - place.radius - 60), size = Math.min(place.narrow ? 70 / d : 24, room / Math.max(s, 8));
    const top = place.narrow ? 18 : Math.max(18, place.cy - place.radius * 0.55 - d * size / 2), fits = Math.max(1, Math.min(horizon, Math.floor(room / size)));
    this.strip = { input: { size, left: place.narrow ? 4 : Math.max(0, place.cx - place.radius - 50 - s * size), top }, output: { size, left: place.narrow ? place.width / 2 + 8 : place.cx + place.radius + 50, top } };
    const square = (which, column, row, fill, alpha) => {
      const [x, y] = this.columnAt(which, column, row);
      context.globalAlpha = alpha;
      context.fillStyle = fill;
      context.fillRect(x - size / 2 + 0.5, y - size / 2 + 0.5, size - 1, size - 1);
      context.globalAlpha = 1;
    };
    inputs.forEach((u, column) => u.forEach((value, row) => square("input", column, row, colour(value), column < t ? 0.22 : 1)));
    const done = Math.max(0, t - s), first = Math.max(0, done - fits);
    for (let k = first; k < done; k++) {
      for (let row = 0; row < d; row++) {
        const y = outputs[s + k][row], right = wanted ? y * wanted[s + k][row] > 0 : true;
        square("output", k - first, row, colour(y), 1);
        if (right) continue;
        const [x, at] = this.columnAt("output", k - first, row), r = size * 0.22;
        context.strokeStyle = palette.mark;
        context.lineWidth = 1.8;
        context.beginPath();
        context.moveTo(x - r, at - r); context.lineTo(x + r, at + r); context.moveTo(x + r, at - r); context.lineTo(x - r, at + r);
        context.stroke();
      }
    }
    context.font = FONT;
    context.fillStyle = palette.soft;
    context.textAlign = "left";
    context.fillText(t < s ? "input →" : "input (done)", this.strip.input.left, top - 9);
    context.fillText(done ? `output, steps ${first + 1}–${done}` : "output →", this.strip.output.left, top - 9);
  }
}

function startCircuit(explorer) {
  if (!explorer.memories) return document.getElementById("circuit").remove();
  const wheel = new Wheel(document.getElementById("wheel"), explorer);
  const note = document.getElementById("circuit-note");
  player.onRun(() => wheel.draw());
  player.onTime(() => wheel.draw());
  const parts = ["Sector numbers are variables (1 the oldest); the outermost ring is component 1. Red is +1, blue is −1; a dashed curve flips the sign."];
  if (explorer.memories.members.length < explorer.s * explorer.d) parts.push("Outlined cells are not kept: nothing will ever read them.");
  if (explorer.weak.size) parts.push("Cells with a cross cannot be read reliably from this network's state.");
  const { input_read: early } = explorer.memories;
  if (early != null && early < explorer.memories.recovered) parts.push("While the input comes in, this network's code is still another one, and what is read then is rough.");
  note.textContent = parts.join(" ");
}
