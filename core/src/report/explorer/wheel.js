// The variables as sectors of a wheel, the newest at the top, under the film of inputs and outputs. One step turns every
// sector on by one place; f, the curves through the middle, writes the newest one.

const TURN = 2 * Math.PI;
const smooth = (x) => x * x * (3 - 2 * x);
// Cells of the film that are drawn at most.
const MOST_CELLS = 6000;
// Width that the label of the input takes.
const LABEL = 36;

class Wheel {
  // options: radius, the largest; offset, steps by which this network's input ends before another's
  constructor(holder, explorer, options = {}) {
    Object.assign(this, { holder, explorer, options, shownStep: null });
    const { s, d } = explorer;
    this.svgNode = svg("svg", { class: "wheel", role: "group", "aria-label": `Input and output over time, and ${s} variables of ${d} components in a ring: contents move from one to the next` });
    holder.append(this.svgNode);
    drawn.add(this);
    new ResizeObserver(() => this.draw()).observe(holder);
    player.onRun(() => this.draw());
    player.onTime(() => this.frame());
    links.on((output) => this.light(output));
  }

  layout(width) {
    const { s, d, horizon } = this.explorer, narrow = width < 480, most = Math.max(s + 1, Math.min(s + horizon, Math.floor(MOST_CELLS / d)));
    const gap = 10, size = Math.min(15, (width - gap) / most), row = Math.max(2.5, Math.min(Math.max(size, 7.5), (narrow ? 58 : 92) / d)), top = 18, film = top + d * row;
    const radius = this.explorer.reading ? Math.min(this.options.radius ?? 196, narrow ? 128 : 999, width / 2 - 24) : 0, hub = radius * (d > 12 ? 0.3 : 0.4);
    return { width, most, gap, size, row, top, film, radius, hub, ring: (radius - hub) / d, cx: width / 2, cy: film + 38 + radius, sector: TURN / s, height: radius ? film + 2 * radius + 62 : film + 8 };
  }

  angle(variable) { return -TURN / 4 + (this.explorer.s - variable) * this.place.sector; }

  middle(slot) {
    const { d } = this.explorer, { cx, cy, radius, ring } = this.place, r = radius - (slot % d + 0.5) * ring, a = this.angle(Math.floor(slot / d) + 1);
    return [cx + r * Math.cos(a), cy + r * Math.sin(a)];
  }

  sectorPath(slot) {
    const { d } = this.explorer, { cx, cy, radius, ring, sector } = this.place, a = this.angle(Math.floor(slot / d) + 1), half = Math.min(sector / 2 * 0.94, 3.1), outer = radius - (slot % d) * ring - 0.7, inner = Math.max(1, outer - ring + 1.4);
    const at = (r, angle) => `${(cx + r * Math.cos(angle)).toFixed(2)} ${(cy + r * Math.sin(angle)).toFixed(2)}`, wide = half > TURN / 4 ? 1 : 0;
    return `M${at(outer, a - half)}A${outer} ${outer} 0 ${wide} 1 ${at(outer, a + half)}L${at(inner, a + half)}A${inner} ${inner} 0 ${wide} 0 ${at(inner, a - half)}Z`;
  }

  curve(from, to) {
    const { cx, cy } = this.place, pull = 0.85, bend = (p) => [p[0] + (cx - p[0]) * pull, p[1] + (cy - p[1]) * pull];
    return [from, bend(from), bend(to), to];
  }

  column(t) { return t * this.place.size + (t >= this.explorer.s ? this.place.gap : 0); }

  draw() {
    const width = this.holder.clientWidth, { explorer } = this;
    if (!width || !explorer.run) return;
    this.place = this.layout(width);
    const { height } = this.place;
    this.svgNode.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.svgNode.style.height = `${height}px`;
    this.svgNode.replaceChildren(...this.filmNodes(), ...(this.place.radius ? this.wheelNodes() : []));
    this.shownStep = null;
    this.frame();
    this.light(links.output);
  }

  filmNodes() {
    const { explorer: { s, d, inputs, run }, place: { most, size, row, top, film } } = this, { outputs, wanted } = run;
    this.columns = [];
    const columns = Array.from({ length: most }, (_, t) => {
      const x = this.column(t), group = svg("g", { "data-column": t });
      for (let j = 0; j < d; j++) {
        const value = t < s ? inputs[t][j] : outputs[t][j], wrong = t >= s && wanted && value * wanted[t][j] <= 0, r = Math.min(4, 0.3 * Math.min(size, row));
        group.append(svg("rect", { x: x + 0.4, y: top + j * row + 0.4, width: Math.max(0.8, size - 0.8), height: Math.max(0.8, row - 0.8), fill: colour(value) }));
        if (wrong) for (const kind of ["halo", "cross"]) group.append(svg("path", { class: kind, d: crossPath(x + size / 2, top + (j + 0.5) * row, r) }));
      }
      this.columns.push(group);
      return group;
    });
    this.head = svg("rect", { class: "playhead", y: top - 1.5, height: film - top + 3, width: size + 1, rx: 1.5 });
    const label = (x, text) => svg("text", { x, y: 10, class: "tick" }, text), said = wanted ? "output, a cross where it is wrong" : "output", begins = this.column(s);
    // Over few columns of input there is no room for two labels side by side.
    const labels = begins < LABEL ? [label(0, `input → ${said}`)] : [label(0, "input"), label(begins, said)];
    return [...labels, ...columns, this.head];
  }

  wheelNodes() {
    const { explorer, place: { cx, cy, radius, hub } } = this, { s, d } = explorer, { members } = explorer.reading, stored = new Set(members);
    this.cells = new Map();
    this.moving = svg("g", { class: "moving" });
    this.fading = svg("g", { class: "moving" });
    this.arriving = svg("g", { class: "moving" });
    const back = svg("g", {}), marks = svg("g", { class: "marks" });
    for (let slot = 0; slot < s * d; slot++) back.append(svg("path", { d: this.sectorPath(slot), class: stored.has(slot) ? "slot" : "slot unkept", "data-slot": slot }));
    members.forEach((slot, k) => {
      const cell = svg("path", { d: this.sectorPath(slot), "data-slot": slot }), goesOn = slot >= d && stored.has(slot - d);
      (goesOn ? this.moving : this.fading).append(cell);
      this.cells.set(k, { slot, cell, arrives: slot >= (s - 1) * d ? svg("path", { d: this.sectorPath(slot) }) : null });
      if (this.cells.get(k).arrives) this.arriving.append(this.cells.get(k).arrives);
      // Marked so that it is seen on every colour.
      if (explorer.weak.has(slot) && !explorer.edited) for (const kind of ["halo", "cross"]) marks.append(svg("path", { class: kind, d: crossPath(...this.middle(slot), Math.min(4, this.place.ring * 0.3)) }));
    });
    this.outlines = svg("g", { class: "outlines" });
    this.wireGroup = svg("g", { class: "wires-drawn" }, ...this.wireNodes(stored));
    this.tokens = svg("g", { class: "tokens", "data-screen-only": "" });
    const names = Array.from({ length: s }, (_, k) => { const a = this.angle(k + 1), r = radius + 12; return svg("text", { x: cx + r * Math.cos(a), y: cy + r * Math.sin(a), class: "tick", "text-anchor": "middle", "dominant-baseline": "central" }, k + 1); });
    const hubNodes = [svg("circle", { cx, cy, r: Math.min(14, hub / 3), class: "hub" }), svg("text", { x: cx, y: cy, class: "hub-name", "text-anchor": "middle", "dominant-baseline": "central" }, "f")];
    this.svgNode.onpointerover = (event) => { const slot = event.target.dataset?.slot; if (slot !== undefined) { links.point(slot % d); this.tell(event, Number(slot)); } };
    this.svgNode.onpointerout = (event) => { if (event.target.dataset?.slot !== undefined) { links.point(null); hideTip(); } };
    return [back, this.fading, this.moving, this.arriving, marks, this.outlines, this.wireGroup, ...hubNodes, this.tokens, ...names];
  }

  tell(event, slot) {
    const { explorer } = this, k = explorer.reading.members.indexOf(slot), t = Math.min(this.time.step, explorer.run.contents.length);
    if (k < 0) return showTip(event, `${nameOf(slot, explorer.d)}: not kept, nothing will ever read it`);
    const value = t > 0 ? explorer.run.contents[t - 1][k] : 0;
    showTip(event, `${nameOf(slot, explorer.d)}: ${value.toFixed(2)}${explorer.weak.has(slot) && !explorer.edited ? ", not read reliably" : ""}`);
  }

  wireNodes(stored) {
    const { s, d, wires } = this.explorer;
    return wires.map((wire, index) => {
      const { lag, component, sign, to: j } = wire, from = (s - lag) * d + component, [a, b, c, e] = this.curve(this.middle(from), this.middle((s - 1) * d + j)), path = `M${a}C${b} ${c} ${e}`;
      const group = svg("g", { class: `wire${stored.has(from) ? "" : " faint"}${sign < 0 ? " flips" : ""}`, "data-wire": index, "data-output": j }, svg("path", { d: path, class: "seen" }), svg("path", { d: path, class: "hit", "data-screen-only": "" }), svg("circle", { cx: a[0], cy: a[1], r: 4.5, class: "handle", "data-screen-only": "" }));
      links.from(group, j);
      this.options.wire?.(this, group, wire);
      return group;
    });
  }

  // This network's own time: one that began its input later waits.
  get time() {
    const position = Math.max(0, Math.min(this.explorer.s + this.explorer.horizon, player.position - (this.options.offset ?? 0))), step = Math.floor(position + 1e-9);
    return { position, step, part: smooth(Math.max(0, position - step)) };
  }

  frame() {
    if (!this.place || !this.explorer.run) return;
    const { explorer, place } = this, { step, part } = this.time;
    if (step !== this.shownStep) { this.shownStep = step; this.settle(step); }
    if (!place.radius) return;
    const turn = `rotate(${(part * place.sector * 360 / TURN).toFixed(3)} ${place.cx} ${place.cy})`;
    this.moving.setAttribute("transform", turn);
    this.fading.setAttribute("transform", turn);
    this.fading.style.opacity = 1 - part;
    this.arriving.style.opacity = part;
    this.fly(step, part, step < explorer.s + explorer.horizon);
  }

  // What changes only from step to step.
  settle(t) {
    const { explorer: { s, run, horizon }, place } = this;
    this.columns.forEach((column, k) => { column.style.opacity = k < s ? (k < t ? 1 : 0.55) : k < t ? 1 : 0.06; });
    this.head.style.opacity = t > 0 && t <= place.most ? 1 : 0;
    this.head.setAttribute("x", this.column(Math.max(0, t - 1)) - 0.5);
    if (!place.radius) return;
    const now = t > 0 ? run.contents[t - 1] : null, next = t >= s + horizon ? null : run.contents[t];
    this.cells.forEach(({ cell, arrives }, k) => {
      cell.setAttribute("fill", colour(now ? now[k] : 0));
      if (arrives && next) arrives.setAttribute("fill", colour(next[k]));
    });
  }

  // Dots that carry values: from the film while inputs come in, then along the wires.
  fly(t, part, more) {
    const { explorer } = this, { s, d, wires, inputs } = explorer, { size, row, top, ring } = this.place, r = Math.max(3, Math.min(6, ring * 0.36)), dots = [];
    const dot = ([cx, cy], value) => dots.push(svg("circle", { cx, cy, r, fill: colour(value) }));
    if (part > 0 && more && t < s) {
      for (let j = 0; j < d; j++) {
        const to = this.middle((s - 1) * d + j), from = [this.column(t) + size / 2, top + (j + 0.5) * row];
        dot([from[0] + (to[0] - from[0]) * part, from[1] + (to[1] - from[1]) * part], inputs[t][j]);
      }
    } else if (part > 0 && more) {
      const now = explorer.run.contents[t - 1], { members } = explorer.reading, q = 1 - part;
      for (const { lag, component, sign, to } of wires) {
        const slot = (s - lag) * d + component, k = members.indexOf(slot), value = k >= 0 ? now[k] : 0, [p0, p1, p2, p3] = this.curve(this.middle(slot), this.middle((s - 1) * d + to));
        dot([0, 1].map((c) => q ** 3 * p0[c] + 3 * q * q * part * p1[c] + 3 * q * part * part * p2[c] + part ** 3 * p3[c]), part < 0.5 ? value : sign * value);
      }
    }
    this.tokens.replaceChildren(...dots);
  }

  light(output) {
    if (!this.wireGroup || !this.place?.radius) return;
    const { explorer: { s, d, sources } } = this;
    this.wireGroup.querySelectorAll(".wire").forEach((wire) => wire.classList.toggle("lit", output !== null && Number(wire.dataset.output) === output));
    const slots = output === null ? [] : sources ? [...cycleOf(sources, output, s, d).slots] : [(s - 1) * d + output];
    this.outlines.replaceChildren(...slots.map((slot) => svg("path", { d: this.sectorPath(slot) })));
  }

  svg() { return standalone(this.svgNode); }

  rows() {
    const { s, d, inputs, horizon, run: { outputs, wanted } } = this.explorer, of = (t) => (t < s ? inputs[t] : outputs[t]);
    const head = ["step", "phase", ...Array.from({ length: d }, (_, j) => `u${j + 1}`), ...(wanted ? Array.from({ length: d }, (_, j) => `expected u${j + 1}`) : [])];
    return [head, ...Array.from({ length: s + horizon }, (_, t) => [t + 1, t < s ? "input" : "output", ...of(t), ...(wanted ? wanted[t] : [])])];
  }
}

const crossPath = (x, y, r) => `M${x - r} ${y - r}L${x + r} ${y + r}M${x + r} ${y - r}L${x - r} ${y + r}`;
