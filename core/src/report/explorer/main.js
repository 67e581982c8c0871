// What the page holds, and how a run is made.

function makeExplorer(data) {
  const trained = data.network && networkOf(data.network), { s, d } = data.meta;
  const recorded = data.recorded.map(({ inputs, states, outputs }) => ({ inputs: rowsOf(matrixOf(inputs)), states: rowsOf(matrixOf(states)), outputs: rowsOf(matrixOf(outputs)) }));
  const memories = data.memories && {
    ...data.memories, readers: matrixOf(data.memories.readers), blocks: matrixOf(data.memories.blocks), theory: matrixOf(data.memories.theory),
    mean: matrixOf(data.memories.mean), inputMean: matrixOf(data.memories.input_mean), rolled: matrixOf(data.memories.rolled), control: matrixOf(data.memories.control),
  };
  if (data.task?.matrix) data.task.matrix = matrixOf(data.task.matrix);
  const explorer = {
    data, trained, recorded, memories, s, d, rewired: null, edited: false, run: null,
    horizon: trained ? Math.min(96, Math.max(40, 6 * s)) : recorded[0]?.states.length ?? 0, inputs: trained ? examplePattern(s, d) : recorded[0]?.inputs, episode: 0,
    binary: Boolean(data.task?.sources || data.task?.gates), plain: trained?.layers.length === 1 && trained.layers[0].kind === "elman",
    weak: new Set((memories?.members ?? []).filter((_, k) => memories.scores[k] < memories.recovered)),
    get task() { return this.edited ? { sources: this.rewired.sources } : data.task; },
    get sources() { return this.task?.sources ?? null; },
    // One wire for every past value that an output reads.
    get wires() {
      const { sources, gates } = this.task ?? {};
      if (sources) return sources.map((source, to) => ({ ...source, to }));
      return (gates ?? []).flatMap(({ inputs }, to) => inputs.map((slot) => ({ ...slot, sign: 1, to })));
    },
    get network() { return this.edited ? this.rewired.network : trained; },
    get reading() { return this.edited ? this.rewired : memories; },
    recompute() {
      const { network, inputs, horizon } = this, ahead = memories?.rolled && !this.edited ? s - 1 : 0;
      const all = network ? simulate(network, inputs, horizon + ahead) : this.replay(ahead), wanted = this.task && continued(this.task, inputs, horizon);
      all.seen = all.states.map((state) => seen(data.state, state));
      this.run = { states: all.states.slice(0, s + horizon), seen: all.seen.slice(0, s + horizon), outputs: all.outputs.slice(0, s + horizon), wanted, contents: this.contentsOf(all) };
      player.runListeners.forEach((listener) => listener());
    },
    // A recorded episode as a run: nothing is known of the input phase but the inputs.
    replay(ahead) {
      const { inputs, states, outputs } = recorded[this.episode], unknown = (size) => inputs.map(() => new Float64Array(size));
      const last = outputs.length - 1, further = Array.from({ length: ahead }, () => outputs[last]);
      return { states: [...unknown(data.meta.hidden), ...states], outputs: [...inputs, ...outputs, ...further] };
    },
    contentsOf({ seen, outputs }) {
      const { reading } = this;
      if (!reading) return null;
      if (!this.edited && memories.rolled) return seen.slice(0, s + this.horizon).map((_, t) => times(memories.rolled, outputs.slice(t, t + s).flatMap((y) => [...y])));
      return seen.map((h, t) => (!trained && t < s ? this.presented(t) : times(reading.readers, this.edited ? (reading.mean ? h.map((x, i) => x - reading.mean[i]) : h) : this.centred(h, t))));
    },
    // What the window holds after input step t, by the inputs themselves.
    presented(t) {
      return Float64Array.from(memories.members, (slot) => this.inputs[t - (s - 1 - Math.floor(slot / d))]?.[slot % d] ?? 0);
    },
    // A state less the mean state of its step, where that is not zero.
    centred(h, t) {
      const mean = t < s ? memories.inputMean : memories.mean;
      if (!mean) return h;
      const from = Math.min(t < s ? t : t - s, mean.rows - 1) * mean.cols;
      return h.map((x, i) => x - mean.data[from + i]);
    },
    use(which) {
      this.edited = which === "edited" && this.rewired !== null;
      const choice = document.getElementById("which");
      choice.hidden = this.rewired === null;
      choice.querySelector(`[value=${this.edited ? "edited" : "trained"}]`).checked = true;
      this.recompute();
    },
  };
  return explorer;
}

function freeRunning(explorer) {
  if (explorer.trained && explorer.d !== explorer.trained.layers[0].inputs) throw new Error("the inputs of the network do not fit its task");
}

const painted = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));

async function main() {
  const $ = (id) => document.getElementById(id);
  let drawPlots = () => {};
  startTheme(() => { redrawAll(); drawPlots(); });
  const data = JSON.parse(await inflate($("data").textContent));
  const explorer = makeExplorer(data);
  freeRunning(explorer);
  window.ketbra = { explorer, player, edit, simulate, continued };
  showVerdict(explorer);
  const modes = showWeights(explorer);
  const spectra = prepareSpectra(explorer);
  startPlayer(explorer);
  startStates(explorer);
  startCircuit(explorer);
  startInput(explorer);
  startOutputs(explorer);
  startRewire(explorer);
  const curves = prepareTraining(explorer);
  showMade(explorer);
  showContents();
  explorer.recompute();
  player.seek(explorer.s);
  await painted();
  window.ketbra.readyAt = performance.now();
  window.ketbra.plotted = plotsWanted().then(async () => {
    const script = document.createElement("script");
    script.textContent = await inflate($("plotting").textContent);
    document.head.append(script);
    drawPlots = () => { modes(); spectra(); curves(); };
    drawPlots();
  });
}

// The plotting library is large: it waits until a plot comes near the screen, or the reader has had time to begin.
function plotsWanted() {
  return new Promise((wanted) => {
    const near = new IntersectionObserver((entries) => { if (entries.some((entry) => entry.isIntersecting)) wanted(); }, { rootMargin: "500px" });
    document.querySelectorAll("#spectra, #curves, #weights .spectrum-plot").forEach((place) => near.observe(place));
    window.addEventListener("beforeprint", wanted);
    setTimeout(wanted, 2500);
  });
}

main().catch((error) => {
  document.getElementById("sentence").textContent = `This page could not be shown: ${error.message}`;
  throw error;
});
