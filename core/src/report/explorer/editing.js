// The edit of `ketbra edit`, step for step and number for number: the library's module `edit` has the reasons.

// Philox 4x32, ten rounds: the library's random numbers.
function philox(a, b, c, purpose, seed) {
  const low = (x, y) => Math.imul(x, y) >>> 0;
  const high = (x, y) => Number((BigInt(x) * BigInt(y)) >> 32n);
  let x = [a, b, c, purpose], key = [seed >>> 0, Math.floor(seed / 2 ** 32)];
  for (let round = 0; round < 10; round++) {
    x = [(high(0xCD9E8D57, x[2]) ^ x[1] ^ key[0]) >>> 0, low(0xCD9E8D57, x[2]), (high(0xD2511F53, x[0]) ^ x[3] ^ key[1]) >>> 0, low(0xD2511F53, x[0])];
    key = [(key[0] + 0x9E3779B9) >>> 0, (key[1] + 0xBB67AE85) >>> 0];
  }
  return x;
}

const PROBE_INPUTS = 4;

// Bit k of a sample's random bits, as +1 or -1: how the library draws inputs.
function drawnSigns(seed, index, sample, count) {
  const signs = new Float64Array(count);
  for (let first = 0; first < count; first += 128) {
    const words = philox(index, sample, first / 128, PROBE_INPUTS, seed);
    for (let k = first; k < Math.min(count, first + 128); k++) signs[k] = (words[(k % 128) >> 5] >>> (k & 31)) & 1 ? 1 : -1;
  }
  return signs;
}

// Window slots that a recurrence needs: the newest of every component, and each one it reads back to its largest lag.
function neededSlots(sources, s, d) {
  const largest = new Array(d).fill(1);
  for (const { lag, component } of sources) largest[component] = Math.max(largest[component], lag);
  return Array.from({ length: s * d }, (_, slot) => slot).filter((slot) => s - Math.floor(slot / d) <= largest[slot % d]);
}

function chooseCode(prepared, slots, newest, mode) {
  const { code: own, params } = prepared, units = own.rows, r = slots.length, code = zeros(units, r), missing = [];
  slots.forEach((slot, column) => {
    const at = prepared.slots.indexOf(slot), moved = mode === "transplant" || (mode === "gated" && slot >= newest);
    if (at < 0 || prepared.read[at] < params.held || moved) return missing.push(column);
    for (let unit = 0; unit < units; unit++) code.data[unit * r + column] = own.data[unit * own.cols + at];
  });
  const use = Array.from({ length: units }, (_, unit) => code.data.subarray(unit * r, (unit + 1) * r).reduce((sum, x) => sum + x * x, 0));
  const fresh = use.map((_, unit) => unit).sort((a, b) => use[a] - use[b] || a - b).slice(0, missing.length);
  fresh.forEach((unit, k) => {
    code.data.fill(0, unit * r, (unit + 1) * r);
    code.data[unit * r + missing[k]] = params.fresh_weight;
  });
  const size = Math.sqrt(code.data.reduce((sum, x) => sum + x * x, 0) / units);
  if (size > params.code_size) code.data.forEach((x, i) => { code.data[i] = x * params.code_size / size; });
  if (mode !== "own") fresh.forEach((unit, k) => { if (slots[missing[k]] >= newest) code.data[unit * r + missing[k]] = params.gate_weight; });
  return { code, fresh: missing.length };
}

// Weights that take the state of any contents to the state of the contents that follow, fitted on random contents. The network is
// one plain layer.
function rewrite(network, prepared, sources, s, d, mode) {
  const { params } = prepared, [layer] = network.layers, { units } = layer, slots = neededSlots(sources, s, d), r = slots.length, newest = (s - 1) * d;
  if (r > units) return null;
  const { code, fresh } = chooseCode(prepared, slots, newest, mode), act = ACTIVATIONS[layer.activation];
  const contents = zeros(params.samples, r);
  for (let k = 0; k < params.samples; k++) contents.data.set(drawnSigns(params.seed, 1, k, r), k * r);
  const states = product(contents, transposed(code));
  states.data.forEach((x, i) => { states.data[i] = act(x); });
  const back = transposed(states), moments = product(back, states);
  let trace = 0;
  for (let i = 0; i < units; i++) trace += moments.data[i * units + i];
  const regression = (right, ridge) => {
    const damped = { ...moments, data: Float64Array.from(moments.data) };
    for (let i = 0; i < units; i++) damped.data[i * units + i] += ridge * trace / units;
    return transposed(solvePositive(damped, right));
  };
  const column = new Map(slots.map((slot, k) => [slot, k])), step = zeros(r, r);
  slots.forEach((slot, row) => {
    if (slot < newest) { step.data[row * r + column.get(slot + d)] = 1; return; }
    const { lag, component, sign } = sources[slot - newest];
    step.data[row * r + column.get((s - lag) * d + component)] = sign;
  });
  const readers = regression(product(back, contents), params.ridge), input = zeros(units, d), missed = zeros(params.samples, d);
  for (let j = 0; j < d; j++) {
    const from = column.get(newest + j);
    for (let unit = 0; unit < units; unit++) input.data[unit * d + j] = params.write_strength * code.data[unit * r + from];
    for (let k = 0; k < params.samples; k++) missed.data[k * d + j] = contents.data[k * r + from];
  }
  let readout = network.readout;
  if (fresh || layer.bias || network.readoutBias) {
    const said = product(states, transposed(readout));
    missed.data.forEach((x, i) => { missed.data[i] = x - said.data[i]; });
    const correction = regression(product(back, missed), params.reading_ridge);
    readout = { ...readout, data: readout.data.map((x, i) => x + correction.data[i]) };
  }
  const edited = { layers: [{ ...layer, recurrent: product(code, product(step, readers)), input, bias: null }], readout, readoutBias: null };
  return { network: edited, readers, members: slots, mode, fresh, holds: (contents) => times(code, contents).map(act) };
}

// The least change: every step sees the state in which the old circuit reads what the new one should. On the kept slots the old
// circuit permutes signs, so that its inverse is its transpose.
function least(network, prepared, original, sources, s, d, [kept, strength]) {
  const { params, slots, memories, mean, readers } = prepared, [layer] = network.layers, { units } = layer;
  const held = (slot) => prepared.read[slots.indexOf(slot)] >= params.held;
  if (!neededSlots(sources, s, d).every(held)) return null;
  const at = ({ lag, component }) => slots.indexOf((s - lag) * d + component);
  const changed = sources.map((_, j) => j).filter((j) => !sameWire(sources[j], original[j]));
  const reads = zeros(changed.length, units), lifts = zeros(units, changed.length);
  changed.forEach((j, row) => {
    const [now, before] = [sources[j], original[j]].map((source) => ({ column: at(source), sign: source.sign }));
    for (let unit = 0; unit < units; unit++) {
      reads.data[row * units + unit] = now.sign * readers.data[now.column * units + unit] - before.sign * readers.data[before.column * units + unit];
      lifts.data[unit * changed.length + row] = before.sign * memories.data[unit * memories.cols + before.column];
    }
  });
  const lifted = product(layer.recurrent, lifts), gain = product(lifted, reads);
  const recurrent = { ...layer.recurrent, data: layer.recurrent.data.map((x, i) => x + gain.data[i]) };
  const less = times(lifted, times(reads, mean)), bias = layer.bias && layer.bias.map((x, i) => x - less[i]);
  const { code } = prepared, input = zeros(units, d);
  for (let j = 0; j < d; j++) for (let unit = 0; unit < units; unit++) input.data[unit * d + j] = kept * layer.input.data[unit * d + j] + strength * code.data[unit * code.cols + slots.indexOf((s - 1) * d + j)];
  return { network: { ...network, layers: [{ ...layer, recurrent, input, bias }] }, readers, mean, members: slots, mode: "least", fresh: 0, holds: (contents) => times(memories, contents).map((x, i) => x + mean[i]) };
}

// Size of the difference of all parameters over that of the old ones. A bias that is gone was two, of which the page has the sum.
function shareChanged(old, now, [all, ofBiases]) {
  const between = (a, b) => a.reduce((sum, x, i) => sum + (x - (b?.[i] ?? 0)) ** 2, 0);
  const [before, after] = [old.layers[0], now.layers[0]];
  let changed = between(before.recurrent.data, after.recurrent.data) + between(before.input.data, after.input.data) + between(old.readout.data, now.readout.data);
  if (before.bias) changed += after.bias ? between(before.bias, after.bias) : ofBiases;
  if (old.readoutBias) changed += between(old.readoutBias, now.readoutBias);
  return Math.sqrt(changed / all);
}

// Accuracy from raw inputs, and whether that from loaded variables is good too. Large networks are tried on fewer episodes: the browser has one thread.
function trial({ network, holds, members }, sources, s, d, params) {
  const [most, horizon] = params.trial, [layer] = network.layers, episodes = layer.units > 256 ? 4 : most;
  const share = (index, outputsOf) => {
    let right = 0;
    for (let sample = 0; sample < episodes; sample++) {
      const signs = drawnSigns(params.seed, index, sample, s * d), inputs = Array.from({ length: s }, (_, t) => signs.subarray(t * d, (t + 1) * d));
      const wanted = continued({ sources }, inputs, horizon).slice(s), outputs = outputsOf(inputs, signs);
      for (let t = 0; t < horizon; t++) for (let j = 0; j < d; j++) right += wanted[t][j] > 0 === outputs[t][j] > 0;
    }
    return right / (episodes * horizon * d);
  };
  const raw = share(0, (inputs) => simulate(network, inputs, horizon).outputs.slice(s));
  const loaded = () => share(2, (_, signs) => simulate(network, [], horizon, holds(members.map((slot) => signs[slot]))).outputs);
  return { raw, good: raw >= params.good && loaded() >= params.good };
}

// The least change that does the new task both from loaded variables and from inputs; if none does, the best from inputs.
function edit(network, prepared, original, sources, s, d) {
  const { params } = prepared, tries = params.least_inputs.map((inputs) => () => least(network, prepared, original, sources, s, d, inputs));
  for (const mode of ["own", "gated", "transplant"]) tries.push(() => rewrite(network, prepared, sources, s, d, mode));
  let best = null;
  for (const make of tries) {
    const rewritten = make();
    if (!rewritten) continue;
    const { raw, good } = trial(rewritten, sources, s, d, params);
    if (!best || raw > best.accuracy) best = { ...rewritten, accuracy: raw };
    if (good) break;
  }
  return best && { ...best, share: shareChanged(network, best.network, prepared.squares) };
}
