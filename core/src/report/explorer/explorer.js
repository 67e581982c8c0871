// What the page holds of one network, and how a run is made.

function makeExplorer(data) {
  const trained = data.network && networkOf(data.network), { s, d } = data.meta;
  const recorded = data.recorded.map(({ inputs, states, outputs }) => ({ inputs: rowsOf(matrixOf(inputs)), states: rowsOf(matrixOf(states)), outputs: rowsOf(matrixOf(outputs)) }));
  const memories = data.memories && { ...data.memories, inputMean: matrixOf(data.memories.input_mean) };
  for (const name of ["readers", "columns", "blocks", "theory", "mean", "rolled", "control"]) if (memories) memories[name] = matrixOf(memories[name]);
  if (memories?.sharing) memories.sharing.overlap = matrixOf(memories.sharing.overlap);
  if (data.task?.matrix) data.task.matrix = matrixOf(data.task.matrix);
  if (trained && d !== trained.layers[0].inputs) throw new Error("the inputs of the network do not fit its task");
  return {
    data, trained, recorded, memories, s, d, rewired: null, edited: false, run: null, listeners: [],
    horizon: trained ? data.meta.horizon : recorded[0]?.states.length ?? 0, inputs: trained ? examplePattern(s, d) : recorded[0]?.inputs, episode: 0,
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
      player.ran();
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
      const { readers, mean } = reading;
      if (this.edited) return seen.map((h) => times(readers, mean ? h.map((x, i) => x - mean[i]) : h));
      return seen.map((h, t) => (!trained && t < s ? this.presented(t) : this.centred(times(readers, h), t)));
    },
    // What the window holds after input step t, by the inputs themselves.
    presented(t) { return Float64Array.from(memories.members, (slot) => this.inputs[t - (s - 1 - Math.floor(slot / d))]?.[slot % d] ?? 0); },
    // What is read of a state, less what is read of the mean state of its step, where that is not zero.
    centred(contents, t) {
      const mean = t < s ? memories.inputMean : memories.mean;
      if (!mean) return contents;
      const from = Math.min(t < s ? t : t - s, mean.rows - 1) * mean.cols;
      return contents.map((x, k) => x - mean.data[from + k]);
    },
    wrongSigns() {
      const { outputs, wanted } = this.run, faint = faintest(outputs);
      let wrong = 0, silent = 0;
      for (let t = s; wanted && t < s + this.horizon; t++) for (let j = 0; j < d; j++) if (Math.abs(outputs[t][j]) <= faint) silent++; else wrong += outputs[t][j] * wanted[t][j] <= 0;
      return { wrong, silent, all: this.horizon * d };
    },
    use(which) {
      this.edited = which === "edited" && this.rewired !== null;
      document.body.toggleAttribute("data-edited", this.edited);
      const choice = byId("which");
      choice.hidden = this.rewired === null;
      choice.querySelector(`[value=${this.edited ? "edited" : "trained"}]`).checked = true;
      this.listeners.forEach((listener) => listener());
      this.recompute();
    },
    onUse(listener) { this.listeners.push(listener); },
  };
}

// An output this much smaller than the largest of the run has died out: it says nothing that could be right or wrong.
const DIED_OUT = 1e-9;
const faintest = (outputs) => DIED_OUT * outputs.reduce((most, row) => row.reduce((larger, x) => Math.max(larger, Math.abs(x)), most), 0);

const scoreText = ({ wrong, silent, all }) => (silent ? `${all - wrong - silent} of ${all} signs right, ${silent} outputs have died out` : wrong ? `${wrong} of ${all} signs wrong (accuracy ${(Math.floor(1000 * (1 - wrong / all)) / 1000).toFixed(3)})` : `all ${all} signs right`);
