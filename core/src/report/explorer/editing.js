// The edit of `ketbra edit`, step for step: see the library's module `edit` for the reasons.

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

const EDIT_MODES = [["own", false, 0.995], ["gated", true, 0.995], ["transplant", true, 2]];

// Window slots that a recurrence needs: the newest of every component, and each one it reads back to its largest lag.
function neededSlots(sources, s, d) {
  const largest = new Array(d).fill(1);
  for (const { lag, component } of sources) largest[component] = Math.max(largest[component], lag);
  const slots = [];
  for (let slot = 0; slot < s * d; slot++) if (s - Math.floor(slot / d) <= largest[slot % d]) slots.push(slot);
  return slots;
}

function codeFor(prepared, needed, newest, gate, threshold) {
  const own = prepared.code, units = own.rows, code = zeros(units, needed.length), missing = [];
  needed.forEach((slot, column) => {
    const at = prepared.members.indexOf(slot);
    if (at < 0 || prepared.held[at] < threshold || (gate && slot >= newest)) return missing.push(column);
    for (let unit = 0; unit < units; unit++) code.data[unit * needed.length + column] = own.data[unit * own.cols + at];
  });
  const norm = (unit) => code.data.subarray(unit * needed.length, (unit + 1) * needed.length).reduce((sum, x) => sum + x * x, 0);
  const norms = Array.from({ length: units }, (_, unit) => norm(unit));
  const fresh = norms.map((_, unit) => unit).sort((a, b) => norms[a] - norms[b] || a - b).slice(0, missing.length);
  fresh.forEach((unit, k) => {
    code.data.fill(0, unit * needed.length, (unit + 1) * needed.length);
    code.data[unit * needed.length + missing[k]] = 0.8;
  });
  const rms = Math.sqrt(code.data.reduce((sum, x) => sum + x * x, 0) / units), shrink = Math.min(1, 0.5 / rms);
  code.data.forEach((x, i) => { code.data[i] = x * shrink; });
  if (gate) fresh.forEach((unit, k) => { if (needed[missing[k]] >= newest) code.data[unit * needed.length + missing[k]] = 2; });
  return { code, missing };
}

// Weights that compute `sources` in a given code, fitted on random contents.
function rewrite(network, prepared, sources, s, d, [mode, gate, threshold]) {
  const needed = neededSlots(sources, s, d), r = needed.length, newest = (s - 1) * d, units = network.recurrent.rows;
  const { code, missing } = codeFor(prepared, needed, newest, gate, threshold);
  const samples = 2048, contents = zeros(samples, r);
  for (let i = 0; i < samples; i++) {
    for (let block = 0; block * 128 < r; block++) {
      const bits = philox(0, i, block, 4, prepared.seed);
      for (let k = 0; k < Math.min(128, r - block * 128); k++) contents.data[i * r + block * 128 + k] = (bits[k >> 5] >>> (k & 31)) & 1 ? 1 : -1;
    }
  }
  const states = product(contents, transposed(code));
  states.data.forEach((x, i) => { states.data[i] = Math.tanh(x); });
  const back = transposed(states), gram = product(back, states);
  let trace = 0;
  for (let i = 0; i < units; i++) trace += gram.data[i * units + i];
  const ridged = (ridge) => {
    const out = { ...gram, data: Float64Array.from(gram.data) };
    for (let i = 0; i < units; i++) out.data[i * units + i] += ridge * trace / units;
    return out;
  };
  const readers = transposed(solvePositive(ridged(1e-3), product(back, contents)));
  const column = new Map(needed.map((slot, k) => [slot, k]));
  const phi = zeros(r, r);
  needed.forEach((slot, row) => {
    if (slot < newest) { phi.data[row * r + column.get(slot + d)] = 1; return; }
    const { lag, component, sign } = sources[slot - newest];
    phi.data[row * r + column.get((s - lag) * d + component)] = sign;
  });
  const input = zeros(units, d), fresh = zeros(samples, d);
  for (let j = 0; j < d; j++) {
    const from = column.get(newest + j);
    for (let unit = 0; unit < units; unit++) input.data[unit * d + j] = 3 * code.data[unit * r + from];
    for (let i = 0; i < samples; i++) fresh.data[i * d + j] = contents.data[i * r + from];
  }
  let readout = network.readout;
  if (missing.length) {
    const said = product(states, transposed(readout));
    fresh.data.forEach((x, i) => { fresh.data[i] = x - said.data[i]; });
    const more = transposed(solvePositive(ridged(1e-4), product(back, fresh)));
    readout = { ...readout, data: readout.data.map((x, i) => x + more.data[i]) };
  }
  const edited = { ...network, recurrent: product(code, product(phi, readers)), input, readout, bias: null };
  return { network: edited, readers, members: needed, mode, fresh: missing.length };
}

function accuracyOn(network, sources, s, d, episodes, horizon, random) {
  let right = 0;
  for (let e = 0; e < episodes; e++) {
    const inputs = Array.from({ length: s }, () => Float64Array.from({ length: d }, () => (random() < 0.5 ? -1 : 1)));
    const wanted = continued({ sources }, inputs, horizon), { outputs } = simulate(network, inputs, horizon);
    for (let t = s; t < s + horizon; t++) for (let j = 0; j < d; j++) right += outputs[t][j] * wanted[t][j] > 0;
  }
  return right / (episodes * horizon * d);
}

// A small repeatable generator (mulberry32), for checks where any inputs will do.
function repeatable(seed) {
  return () => {
    seed = (seed + 0x6D2B79F5) | 0;
    let x = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    x = (x + Math.imul(x ^ (x >>> 7), 61 | x)) ^ x;
    return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32;
  };
}

// The first mode that does the new task; if none does, the best.
function edit(network, prepared, sources, s, d) {
  let best = null;
  for (const mode of EDIT_MODES) {
    const tried = rewrite(network, prepared, sources, s, d, mode);
    tried.accuracy = accuracyOn(tried.network, sources, s, d, 32, 60, repeatable(6));
    if (!best || tried.accuracy > best.accuracy) best = tried;
    if (best.accuracy >= 0.999) break;
  }
  return best;
}
