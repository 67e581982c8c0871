// The recurrent weights as they were trained: gate by gate, and of a state-space layer the eigenvalues, for it has nothing else.

function unitTicks(units) {
  const every = Math.round(units / 4 / 16) * 16 || Math.max(1, Math.round(units / 4)), ticks = [];
  for (let at = every; at < units; at += every) ticks.push({ at, text: `${at}` });
  return ticks;
}

const TRAINED_CAPTIONS = {
  elman: ["Between hidden units", ", as trained"], gru: ["Between hidden units", ", gate by gate"], lstm: ["Between hidden units", ", gate by gate"],
  ssm: ["Eigenvalues of the modes", ", as trained"],
};

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

// The pictures of a layer, their scale where they have one, and what draws those that wait for the plotting library.
function layerPictures(layer, theory, ofLayer) {
  if (layer.kind === "ssm") {
    const modes = [...layer.real.eigenvalues].map((re, k) => [re, layer.imaginary ? layer.imaginary.eigenvalues[k] : 0]);
    const plot = element("div", { class: "spectrum-plot", role: "img", "aria-label": `${modes.length} eigenvalues${ofLayer} in the complex plane` });
    return { picture: plot, draw: () => drawSpectrum(plot, { eigenvalues: modes, directions: [] }, theory, "mode", layer.imaginary ? "its conjugate" : null) };
  }
  const limit = quantileLimit(layer.recurrent.data, 0.995), count = layer.gates.length || 1;
  const maps = Array.from({ length: count }, (_, k) => gateMap(layer, k, limit, ofLayer));
  if (count === 1) return { picture: maps[0], limit, draw: () => {} };
  return { picture: element("div", { class: "gates" }, ...maps, equations(layer.kind)), limit, draw: () => {} };
}

// Shows the first layer, with a choice where there are several; returns what draws the plots of the layer that is shown.
function showTrained({ trained: { layers }, data }) {
  const $ = (id) => document.getElementById(id), made = new Map();
  let shown = null;
  const show = (k) => {
    const ofLayer = layers.length > 1 ? ` of layer ${k + 1}` : "", [strong, rest] = TRAINED_CAPTIONS[layers[k].kind];
    // What the theory asks for is asked of the network, and not of each of several layers.
    if (!made.has(k)) made.set(k, layerPictures(layers[k], layers.length > 1 ? null : data.spectra.theory, ofLayer));
    shown = made.get(k);
    $("weights-trained").replaceChildren(shown.picture);
    $("weights-trained-caption").replaceChildren(element("b", {}, strong), `${ofLayer}${rest}`);
    $("weights-scale").hidden = !shown.limit;
    if (shown.limit) showScale("weights-trained", shown.limit);
    if (window.Plotly) shown.draw();
  };
  show(0);
  $("weights-layers").hidden = layers.length === 1;
  layers.forEach((_, k) => {
    const choice = element("input", { type: "radio", name: "weights-layer", value: k });
    choice.checked = k === 0;
    choice.addEventListener("change", () => show(k));
    $("weights-layers").append(element("label", {}, choice, ` layer ${k + 1}`));
  });
  return () => shown.draw();
}

// What the pictures of the weights show, in a sentence that is true of the cells that there are.
function trainedText({ trained: { layers }, plain, memories }) {
  const kinds = new Set(layers.map(({ kind }) => kind)), ofEach = layers.length > 1 ? " of each layer" : "", looks = memories ? "look like noise" : "as trained";
  if (plain) return "The recurrent weights between hidden units, as trained.";
  if (kinds.size > 1) return "The recurrent weights of each layer, as trained.";
  if (kinds.has("ssm")) return `The modes${ofEach} never mix: each is turned by its own eigenvalue, on the dashed circle where it lasts, and that is all the recurrence there is.`;
  return `The recurrent weights between the hidden units${ofEach}${kinds.has("elman") ? "" : ", gate by gate,"} ${looks}.`;
}
