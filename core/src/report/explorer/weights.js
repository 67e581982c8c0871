// From noise to circuit: the recurrent weights as one matrix, in a basis that a slider turns from the units to the memories.

function groups(members, d, extra) {
  const lines = [], ticks = [], from = new Map();
  members.forEach((slot, k) => {
    const variable = Math.floor(slot / d) + 1;
    if (!from.has(variable)) from.set(variable, [k, k]);
    from.get(variable)[1] = k + 1;
  });
  for (const [variable, [start, end]] of from) {
    if (start > 0) lines.push({ at: start });
    ticks.push({ at: (start + end) / 2, text: `${variable}` });
  }
  if (extra) { lines.push({ at: members.length, strong: true }); ticks.push({ at: members.length + extra / 2, text: "⊥" }); }
  return { lines, ticks };
}

// Turning takes this many units at most: beyond it the slider jumps.
const MOST_TURNED = 192;
// What is seen between the memories, by how many rows are the circuit's: a picture without a circuit proves none.
function slides({ data }) {
  const known = "The memories were found by regression of states on contents, which knows nothing of the weights.", [right, all] = data.verdict.rows ?? [0, 0];
  if (!all) return known;
  if (right === all) return `${known} So where each variable hands its contents to the one before it, and the newest computes f, it is the weights that do it.`;
  return `${known} ${right ? `In ${right} of ${all} rows the weights hand contents on as the circuit does; in the others they do something else` : `In none of the ${all} rows do the weights what the circuit does`}.`;
}

function showWeights(explorer) {
  const { data, memories, plain, trained } = explorer, explain = byId("weights-explain");
  byId("weights-heading").textContent = data.verdict.weights;
  if (plain || !trained) byId("weights-trained-figure").remove(); else showTrained(explorer);
  const missing = !memories?.blocks;
  explain.textContent = missing ? (trained ? trainedText(explorer) : "")
    : !trained ? "Recorded states, read one step later: the contents before a step (columns) against what the states hold after it (rows), each episode by a code that was fitted on the others. Noise averages out; contents that are not there leave their rows empty."
    : memories.method !== "code" ? `${trainedText(explorer)} The circuit is the one between the memories that the method ${memories.method} finds.`
    : plain && memories.columns ? `One matrix, the recurrent weights, and a slider: at its left end the weights between hidden units, where they look like noise, at its right end the same weights between memories. ${slides(explorer)}`
    : plain ? `The recurrent weights between hidden units, and what one step does between the memories. ${slides(explorer)}`
    : `${trainedText(explorer)} Between the memories stands a whole step of the network: contents are written into its state, it takes the step, and they are read again. ${slides(explorer)}`;
  if (missing) {
    byId("weights-control-figure").remove();
    if (plain) { new WeightsFigure(explorer); byId("turn-tools").remove(); byId("circuit-views").remove(); } else byId("weights-circuit-figure").remove();
    byId("weights-note").textContent = data.memories_missing ?? "";
    return null;
  }
  const figure = new WeightsFigure(explorer);
  figure.control = controlOf(explorer, figure);
  figure.show();
  return figure;
}

class WeightsFigure {
  constructor(explorer) {
    const { memories, plain, d } = explorer;
    Object.assign(this, { explorer, share: 0, view: plain ? "weights" : "learned", core: memories?.members.length ?? 0 });
    this.map = new Heatmap(byId("weights-circuit"), { xName: "", yName: "", leave: () => links.point(null) });
    offerExport(byId("weights-circuit-figure").querySelector("figcaption"), "weights", this.map);
    if (memories?.blocks) {
      this.perp = memories.perp;
      this.size = memories.blocks.rows;
      const seen = memories.theory.data.map((_, k) => memories.blocks.data[Math.floor(k / this.core) * this.size + k % this.core]);
      this.most = Math.min(1.7, Math.max(1, quantileLimit(seen, 0.999)));
      this.given = memories.by_construction ? memories.members.filter((slot) => slot < (explorer.s - 1) * d).length : 0;
    }
    this.views = [...document.querySelectorAll("[name=circuit-view]")];
    if (!plain) this.views.find(({ value }) => value === "weights").closest("label").remove();
    this.views.forEach((choice) => choice.addEventListener("change", () => { this.view = choice.value; this.show(); }));
    this.slider = byId("turn");
    if (plain && memories?.blocks) {
      this.slider.addEventListener("input", () => { this.stop = true; this.turnTo(Number(this.slider.value) / 100); });
      byId("turn-play").addEventListener("click", () => this.play());
      if (!this.turns) this.slider.step = 100;
    } else byId("turn-tools").hidden = true;
    links.on(() => this.light());
    this.restore(this.share, this.view);
    if (!calm() && plain && memories?.blocks) this.playWhenSeen();
  }

  // Whether the slider goes all the way in small steps.
  get turns() { return Boolean(this.explorer.memories?.columns) && this.explorer.trained.layers[0].units <= MOST_TURNED; }

  // Sets slider and view, as an address asks for.
  restore(share, view) {
    [this.share, this.view] = [share, this.views.some(({ value }) => value === view) ? view : this.view];
    this.views.forEach((choice) => { choice.checked = choice.value === this.view; });
    this.slider.value = 100 * share;
    this.show();
  }

  turnTo(share) {
    this.share = share;
    if (this.view !== "weights") this.restore(share, "weights"); else this.show();
  }

  play() {
    const from = this.share > 0.5 ? 1 : 0, begin = performance.now();
    this.stop = false;
    if (!this.turns || calm()) { this.restore(1 - from, "weights"); return; }
    const frame = (now) => {
      const part = Math.min(1, (now - begin) / 2600);
      if (this.stop) return;
      this.slider.value = 100 * (from ? 1 - smooth(part) : smooth(part));
      this.turnTo(Number(this.slider.value) / 100);
      if (part < 1) requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }

  playWhenSeen() {
    const seen = new IntersectionObserver((entries) => { if (entries.some(({ isIntersecting }) => isIntersecting)) { seen.disconnect(); if (this.share === 0 && this.view === "weights") this.play(); } }, { threshold: 0.6 });
    seen.observe(byId("weights-circuit"));
  }

  // The weights in the basis of the slider's place. Where they cannot be turned, the ends alone are shown.
  weights() {
    const { explorer: { trained, memories }, share } = this, w = trained.layers[0].recurrent;
    if (share === 0) return { matrix: w, count: w.rows, turned: 0 };
    if (!memories.columns) return null;
    if (!this.turns) { this.ended ??= product(memories.readers, product(w, memories.columns)); return { matrix: this.ended, count: this.core, turned: 1 }; }
    this.turning ??= new Turning(w, memories.columns, memories.readers);
    const matrix = this.turning.at(share), least = Math.min(w.rows, this.core + 10);
    return { matrix, count: Math.round(w.rows + (least - w.rows) * smooth(share)), turned: share };
  }

  // One scale for every place of the slider, so that colours mean the same all the way: that of the end with the larger weights.
  turnLimit() {
    const { explorer: { trained, memories } } = this, w = trained.layers[0].recurrent, sizes = ({ data }) => (data.length > 65_536 ? data.filter((_, k) => k % 7 === 0) : data);
    this.limit ??= Math.max(quantileLimit(sizes(w), 0.995), memories?.columns ? 0.85 * quantileLimit(sizes(product(memories.readers, product(w, memories.columns))), 0.999) : 0);
    return this.limit;
  }

  show() {
    const { explorer: { memories, d, data }, core, size } = this, expected = (i, j) => (i < core && j < core ? memories.theory.data[i * core + j] : 0), learned = (i, j) => memories.blocks.data[i * size + j];
    // Without a basis to turn into, the other end is one step as measured.
    const turned = this.view === "weights" ? this.weights() : null, view = this.view === "weights" && !turned ? "learned" : this.view, ends = { learned, theory: expected, difference: (i, j) => learned(i, j) - expected(i, j) };
    this.inMemories = !turned || turned.turned === 1;
    const rest = turned ? turned.count - core : this.perp, name = (k) => (k < core ? nameOf(memories.members[k], d) : `remainder ${k - core + 1}`);
    const axes = this.inMemories && memories ? { ...groups(memories.members, d, rest > 0 ? rest : 0), xName: "from variable (1 oldest)", yName: "to variable" } : { lines: [], ticks: turned && turned.turned === 0 ? unitTicks(turned.count) : [], xName: turned?.turned ? "from, half turned" : "from unit", yName: turned?.turned ? "to, half turned" : "to unit" };
    const all = turned && turned.matrix, count = turned?.count ?? size;
    const limit = turned ? this.turnLimit() : this.most;
    this.map.show({
      label: turned ? `Recurrent weights of ${count} ${this.inMemories && turned.turned ? "memories and other directions" : "units"}` : `One step between ${core} variable memories, ${view}`, rows: count, cols: count, limit, xLines: axes.lines, yLines: axes.lines, xTicks: axes.ticks, yTicks: axes.ticks, xName: axes.xName, yName: axes.yName,
      value: turned ? (i, j) => all.data[i * all.cols + j] : ends[view], tell: this.inMemories && memories ? (i, j) => `from ${name(j)} to ${name(i)}` : (i, j) => (turned.turned ? `from direction ${j + 1} to ${i + 1}` : `from unit ${j + 1} to unit ${i + 1}`),
      point: (i) => links.point(this.inMemories && memories && i < core && data.task ? memories.members[i] % d : null),
      // Rows that a basis makes right whatever the network is are struck through: they prove nothing.
      overlay: view === "learned" && this.given ? (context, box) => { context.strokeStyle = palette.soft; for (let i = 0; i < this.given; i++) { context.beginPath(); context.moveTo(box.left, box.y(i + 0.5)); context.lineTo(box.right, box.y(i + 0.5)); context.stroke(); } } : undefined,
    });
    showScale("weights-circuit", limit);
    const said = { learned: "One step between the memories, as measured", theory: "One step between the memories, as f asks", difference: "Measured less theory" };
    byId("circuit-caption").textContent = turned ? (turned.turned === 0 ? "W between hidden units, as trained" : turned.turned === 1 ? "W between memories" : `W, ${Math.round(100 * turned.turned)} % of the way to the memories`) : said[view];
    byId("turn").setAttribute("aria-valuetext", byId("circuit-caption").textContent);
    this.note();
    this.control?.show(turned, limit);
    this.light();
  }

  light() {
    const { explorer: { memories, s, d } } = this, row = links.output === null || !this.inMemories || !memories ? -1 : memories.members.indexOf((s - 1) * d + links.output);
    this.map.options.lit = row < 0 ? [] : [{ row }, { col: row }];
    this.map.draw();
  }

  // What the lines of the picture are, where it has some.
  note() {
    const { explorer: { s, d, memories, data }, core, perp, given } = this;
    if (!memories?.blocks) return;
    const rest = Math.max(perp, data.meta.hidden - core), drawn = rest > perp ? `, of which ${perp} are drawn` : "";
    const measured = data.task?.gates ? "What products of contents add is not drawn." : memories.distance != null ? `Distance of the measured step from theory: ${(100 * memories.distance).toFixed(1)}\u00a0%.` : "";
    const lines = `${s > 1 ? `Light lines separate the ${s} variables` : "There is one variable"}${core < s * d ? ` (only the ${core} of ${s * d} components that the rule needs are kept)` : ""}. The strong line sets off the remainder ⊥: ${rest} directions beside the memories${drawn}.`;
    const struck = given ? `The ${given} rows that are struck through are right by construction: this basis follows the dynamics, and shows them for a random network too.` : "";
    sayIn(byId("weights-note"), (this.inMemories ? [struck, lines, measured] : [measured]).filter(Boolean).join(" "));
  }
}


// The same where there is nothing to find. Beside the weights, the same turn of the same weights with their units shuffled; beside one
// step, the step that the whole procedure finds in the network with its weights shuffled.
function controlOf({ memories, data, d, trained }, figure) {
  const holder = byId("weights-control-figure"), { control } = memories, { lines, ticks } = groups(memories.members, d, 0);
  if (!control) { holder.remove(); return null; }
  const kind = !trained ? "episodes shuffled" : data.network.layers.every(({ kind }) => kind === "ssm") ? "phases drawn anew" : "weights shuffled";
  const name = (k) => nameOf(memories.members[k], d), map = new Heatmap(byId("weights-control"), { xName: "from variable", yName: "to variable" });
  offerExport(holder.querySelector("figcaption"), "control", map);
  const tell = (what, text) => { byId("control-kind").textContent = what; sayIn(byId("control"), text); };
  let shuffled = null;
  const turn = ({ count, turned }, limit) => {
    shuffled ??= shuffledUnits(trained.layers[0].recurrent);
    const { data: all, cols } = turned ? figure.turning.at(turned, shuffled) : shuffled, end = turned === 1, sides = end ? groups(memories.members, d, Math.max(0, count - figure.core)) : { lines: [], ticks: turned ? [] : unitTicks(count) };
    tell("the same turn, units shuffled", "The same weights with their units in another order, turned by the same basis and under the same colours: what appears here means nothing.");
    map.show({
      label: "The control: the same weights with their units shuffled, turned in the same way", rows: count, cols: count, limit, xLines: sides.lines, yLines: sides.lines, xTicks: sides.ticks, yTicks: sides.ticks,
      xName: end ? "from variable" : turned ? "from, half turned" : "from unit", yName: end ? "to variable" : turned ? "to, half turned" : "to unit", value: (i, j) => all[i * cols + j], tell: (i, j) => `from ${j + 1} to ${i + 1}`,
    });
  };
  const step = () => {
    tell(`a step with ${kind}`, data.verdict.control ? capital(data.verdict.control) : "");
    map.show({
      label: `The control: one step with ${kind}`, rows: control.rows, cols: control.cols, limit: figure.most, xLines: lines, yLines: lines, xTicks: ticks, yTicks: ticks, xName: "from variable", yName: "to variable",
      value: (i, j) => control.data[i * control.cols + j], tell: (i, j) => `from ${name(j)} to ${name(i)}`,
    });
  };
  return { map, show: (turned, limit) => { if (turned && figure.turns) turn(turned, limit); else step(); } };
}
