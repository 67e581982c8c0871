// The recurrent weights as they were trained: gate by gate, and of a state-space layer the eigenvalues, for it has nothing else.

function unitTicks(units) {
  const every = Math.round(units / 4 / 16) * 16 || Math.max(1, Math.round(units / 4)), ticks = [];
  for (let at = every; at < units; at += every) ticks.push({ at, text: `${at}` });
  return ticks;
}

const trainedCaption = ({ real, gates }) => (real ? ["Eigenvalues of the modes", ", as trained"] : ["Between hidden units", gates.length ? ", gate by gate" : ", as trained"]);

// What the gates do to the state; a letter after _ stands below the line.
const EQUATIONS = {
  gru: ["r = σ(W_r h + …)", "z = σ(W_z h + …)", "n = tanh(r · W_n h + …)", "h′ = (1 − z) n + z h"],
  lstm: ["i = σ(W_i h + …), f and o alike", "g = tanh(W_g h + …)", "c′ = f c + i g", "h′ = o tanh c′"],
};

function equations(kind) {
  const line = (text) => element("span", {}, ...text.split(/(_.)/).map((part) => (part.startsWith("_") ? element("sub", {}, part.slice(1)) : part)));
  return element("p", { class: "equations" }, ...EQUATIONS[kind].map(line), element("small", {}, "… is input and biases"));
}

function gateMap({ recurrent, units, gates }, index, limit, ofLayer) {
  const canvas = element("canvas", { class: "square" }), ticks = unitTicks(units), { letter, role } = gates[index] ?? {};
  const from = index * units * units, gate = letter ? `, gate ${letter} (${role})` : "";
  new Heatmap(canvas, { xName: "from unit", yName: "to unit" }).show({
    label: `Recurrent weights of ${units} units${ofLayer}${gate}, as trained`, rows: units, cols: units, limit, xTicks: ticks, yTicks: ticks,
    value: (i, j) => recurrent.data[from + i * units + j], tell: (i, j) => `${letter ? `${letter}: ` : ""}from unit ${j + 1} to unit ${i + 1}`,
  });
  return letter ? element("div", { class: "gate" }, element("p", {}, element("b", {}, letter), ` ${role}`), canvas) : canvas;
}

// The pictures of a layer, and their scale where they have one.
function layerPictures(layer, theory, ofLayer) {
  if (layer.kind === "ssm") {
    const modes = [...layer.real.eigenvalues].map((re, k) => [re, layer.imaginary ? layer.imaginary.eigenvalues[k] : 0]), room = element("div", { class: "chart-room" });
    new SpectrumChart(room, { eigenvalues: modes, directions: [] }, theory, { label: `${modes.length} eigenvalues${ofLayer} in the complex plane`, name: "mode", conjugates: Boolean(layer.imaginary) });
    return { picture: room };
  }
  const limit = quantileLimit(layer.recurrent.data, 0.995), count = layer.gates.length || 1;
  const maps = Array.from({ length: count }, (_, k) => gateMap(layer, k, limit, ofLayer));
  if (count === 1) return { picture: maps[0], limit };
  return { picture: element("div", { class: "gates" }, ...maps, equations(layer.kind)), limit };
}

// Shows the first layer, with a choice where there are several.
function showTrained({ trained: { layers }, data }) {
  const made = new Map();
  const show = (k) => {
    const ofLayer = layers.length > 1 ? ` of layer ${k + 1}` : "", [strong, rest] = trainedCaption(layers[k]);
    // What the theory asks for is asked of the network, and not of each of several layers.
    if (!made.has(k)) made.set(k, layerPictures(layers[k], layers.length > 1 ? null : data.spectra.theory, ofLayer));
    const shown = made.get(k);
    byId("weights-trained").replaceChildren(shown.picture);
    byId("weights-trained-caption").replaceChildren(element("b", {}, strong), `${ofLayer}${rest}`);
    byId("weights-scale").hidden = !shown.limit;
    if (shown.limit) showScale("weights-trained", shown.limit);
  };
  show(0);
  byId("weights-layers").hidden = layers.length === 1;
  layers.forEach((_, k) => {
    const choice = element("input", { type: "radio", name: "weights-layer", value: k });
    choice.checked = k === 0;
    choice.addEventListener("change", () => show(k));
    byId("weights-layers").append(element("label", {}, choice, ` layer ${k + 1}`));
  });
}

// What the pictures of the weights show, in a sentence that is true of the cells that there are.
function trainedText({ trained: { layers }, plain, memories }) {
  const kinds = new Set(layers.map(({ kind }) => kind)), ofEach = layers.length > 1 ? " of each layer" : "", looks = memories ? "look like noise" : "as trained";
  if (plain) return "The recurrent weights between hidden units, as trained.";
  if (kinds.size > 1) return "The recurrent weights of each layer, as trained.";
  if (kinds.has("ssm")) return `The modes${ofEach} never mix: each is turned by its own eigenvalue, on the dashed circle where it lasts, and that is all the recurrence there is.`;
  return `The recurrent weights between the hidden units${ofEach}${layers[0].gates.length ? ", gate by gate," : ""} ${looks}.`;
}

// The gates of one layer while the network runs: numbers between 0 and 1, units x steps.
function gateValues({ kind, recurrent, input, inputBias, recurrentBias, units }, before, u, gate) {
  const driven = sums(input, u, inputBias), back = sums(recurrent, before.subarray(0, units), recurrentBias);
  return Float64Array.from({ length: units }, (_, i) => (kind === "gru" || kind === "lstm" ? sigmoid(driven[gate * units + i] + back[gate * units + i]) : 0));
}

// What a gate at 1 does, and what it does at 0.
const MEANS = {
  gru: ["r = 1: the old state goes into the new one; r = 0: it is left out of it", "z = 1: the old state stays; z = 0: the new one takes its place"],
  lstm: ["i = 1: what is new is let in; i = 0: it is kept out", "f = 1: the cell keeps what it holds; f = 0: it forgets it", null, "o = 1: the cell is shown; o = 0: it is hidden"],
};

const RUNNING = { gru: [0, 1], lstm: [0, 1, 3] };

function startGates(explorer) {
  const layers = explorer.trained?.layers ?? [], gated = layers.map((layer, k) => ({ layer, k })).filter(({ layer }) => RUNNING[layer.kind]);
  if (!gated.length) { byId("gates").remove(); return; }
  const { s, horizon } = explorer, choices = gated.flatMap(({ layer, k }) => RUNNING[layer.kind].map((gate) => ({ k, gate, text: `${layer.gates[gate].letter} ${layer.gates[gate].role}${layers.length > 1 ? `, layer ${k + 1}` : ""}` })));
  const map = new Heatmap(byId("gates-time"), { xName: `time step: input to ${s}, then output`, yName: "hidden unit" }), holder = byId("gates-choice");
  let chosen = choices.at(-1).k === 0 ? choices[1] : choices[0];
  const show = () => {
    const { layer } = gated.find(({ k }) => k === chosen.k), first = layers.slice(0, chosen.k).reduce((sum, { size }) => sum + size, 0), below = chosen.k ? first - layers[chosen.k - 1].size : 0, { states } = explorer.run;
    const values = states.map((state, t) => gateValues(layer, (t ? states[t - 1] : new Float64Array(state.length)).subarray(first, first + layer.size), chosen.k ? state.subarray(below, below + layers[chosen.k - 1].units) : explorer.inputs[t], chosen.gate));
    map.show({ label: `Gate ${chosen.text} of ${layer.units} units over ${states.length} steps`, rows: layer.units, cols: s + horizon, limit: 1, value: (i, t) => 2 * values[t][i] - 1, xLines: [{ at: s, strong: true }], xTicks: timeTicks(s, horizon), yTicks: unitTicks(layer.units), tell: (i, t) => `unit ${i + 1}, step ${t + 1}, gate ${values[t][i].toFixed(3)}; shown as 2 × gate − 1` });
    const all = values.slice(s).flatMap((row) => [...row]), mean = all.reduce((sum, x) => sum + x, 0) / all.length, still = values.slice(s + 1).reduce((sum, row, t) => sum + row.reduce((total, x, i) => total + Math.abs(x - values[s + t][i]), 0), 0) / all.length;
    byId("gates-note").textContent = `Red is 1, blue is 0 (${MEANS[layer.kind][chosen.gate]}). After the input the gate ${chosen.text} is ${mean.toFixed(2)} on average and moves by ${still.toFixed(3)} from step to step.`;
  };
  choices.forEach((choice) => {
    const input = element("input", { type: "radio", name: "gate" });
    input.checked = choice === chosen;
    input.addEventListener("change", () => { chosen = choice; show(); });
    holder.append(element("label", {}, input, ` ${choice.text}`));
  });
  offerExport(byId("gates").querySelector("figcaption"), "gates", map);
  player.onRun(show);
}
