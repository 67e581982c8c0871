// The cells, step for step as the library's `network/cell` has them: state in, state out. A layer's state begins with its units h.

const ACTIVATIONS = { tanh: Math.tanh, relu: (x) => Math.max(0, x), identity: (x) => x, softplus: (x) => Math.max(0, x) + Math.log1p(Math.exp(-Math.abs(x))) };
const sigmoid = (x) => 0.5 + 0.5 * Math.tanh(0.5 * x);

// weights x + bias; the bias alone where there is no x.
function sums(weights, x, bias) {
  const all = x ? times(weights, x) : new Float64Array(weights.rows);
  bias?.forEach((b, i) => { all[i] += b; });
  return all;
}

const CELLS = {
  // h' = act(W_ih u + W_hh h + b)
  elman({ recurrent, input, bias, activation }, h, u) {
    const next = times(recurrent, h), act = ACTIVATIONS[activation], driven = u && times(input, u);
    return next.map((x, i) => act(x + (driven ? driven[i] : 0) + (bias ? bias[i] : 0)));
  },

  // r, z = sigmoid(..), n = tanh(W_in u + b_in + r (W_hn h + b_hn)), h' = (1 - z) n + z h
  gru({ recurrent, input, inputBias, recurrentBias }, h, u) {
    const driven = sums(input, u, inputBias), back = sums(recurrent, h, recurrentBias), count = h.length;
    return h.map((x, i) => {
      const [r, z] = [i, count + i].map((k) => sigmoid(driven[k] + back[k])), n = Math.tanh(driven[2 * count + i] + r * back[2 * count + i]);
      return (1 - z) * n + z * x;
    });
  },

  // i, f, o = sigmoid(..), g = tanh(..), c' = f c + i g, h' = o tanh(c'); the state is (h, c)
  lstm({ recurrent, input, inputBias, recurrentBias, units }, state, u) {
    const all = sums(input, u, inputBias), back = sums(recurrent, state.subarray(0, units), recurrentBias), next = new Float64Array(2 * units);
    for (let k = 0; k < units; k++) {
      const [i, f, g, o] = [0, 1, 2, 3].map((gate) => all[gate * units + k] + back[gate * units + k]);
      next[units + k] = sigmoid(f) * state[units + k] + sigmoid(i) * Math.tanh(g);
      next[k] = sigmoid(o) * Math.tanh(next[units + k]);
    }
    return next;
  },

  // h' = (1 - a) h + a act(W_ih u + W_hh h + b); a of each unit is given, or the logistic function of what was learned
  leaky(layer, h, u) {
    const alpha = layer.alpha?.data ?? layer.alpha_logit.data.map((x) => 1 / (1 + Math.exp(-x)));
    return CELLS.elman(layer, h, u).map((towards, i) => (1 - alpha[i]) * h[i] + alpha[i] * towards);
  },

  // x' = lambda x + B u, h' = act(Re(C x') + D u); the state is (h, Re x, Im x)
  ssm({ real, imaginary, skip, activation, units, size }, state, u) {
    const modes = real.eigenvalues.length, next = new Float64Array(size), re = next.subarray(units, units + modes), im = next.subarray(units + modes);
    const [byRe, byIm] = [real, imaginary].map((part) => part && u && times(part.input, u));
    for (let k = 0; k < modes; k++) {
      const a = state[units + k], b = imaginary ? state[units + modes + k] : 0, turn = imaginary ? imaginary.eigenvalues[k] : 0;
      re[k] = real.eigenvalues[k] * a - turn * b + (byRe ? byRe[k] : 0);
      if (imaginary) im[k] = turn * a + real.eigenvalues[k] * b + (byIm ? byIm[k] : 0);
    }
    const said = times(real.output, re), less = imaginary && times(imaginary.output, im), past = skip && u && times(skip, u), act = ACTIVATIONS[activation];
    for (let i = 0; i < units; i++) next[i] = act(said[i] - (less ? less[i] : 0) + (past ? past[i] : 0));
    return next;
  },
};

const rowOf = (stored) => matrixOf(stored)?.data ?? null;

// A layer as the steps above read it: its tensors under the names that files give them, and under those that the page has for what many cells share.
function layerOf({ kind, activation, gates, tensors }) {
  const named = Object.fromEntries(Object.entries(tensors).map(([name, stored]) => [name, matrixOf(stored)]));
  if (named.lambda_re) {
    const part = (end) => named[`lambda_${end}`] && { eigenvalues: named[`lambda_${end}`].data, input: named[`B_${end}`], output: named[`C_${end}`] };
    const real = part("re"), imaginary = part("im"), units = real.output.rows;
    return { kind, activation, gates, real, imaginary, skip: named.D, units, inputs: real.input.cols, size: units + real.output.cols * (imaginary ? 2 : 1) };
  }
  const { weight_hh: recurrent, weight_ih: input } = named, units = recurrent.cols;
  const [inputBias, recurrentBias] = ["bias_ih", "bias_hh"].map((name) => named[name]?.data ?? null), bias = inputBias && Float64Array.from(inputBias, (b, i) => b + recurrentBias[i]);
  return { kind, activation, gates, ...named, recurrent, input, bias, inputBias, recurrentBias, units, inputs: input.cols, size: kind === "lstm" ? 2 * units : units };
}

// Layers from the inputs up, and the readout of the last one's units.
function networkOf({ layers, readout, readout_bias }) {
  return { layers: layers.map(layerOf), readout: matrixOf(readout), readoutBias: rowOf(readout_bias) };
}

const stateSize = ({ layers }) => layers.reduce((sum, { size }) => sum + size, 0);

// Every layer's state lies behind the one below; a layer sees what that hands on in the same step.
function step(network, state, input) {
  const next = new Float64Array(state.length);
  let first = 0, below = input;
  for (const layer of network.layers) {
    const mine = CELLS[layer.kind](layer, state.subarray(first, first + layer.size), below);
    next.set(mine, first);
    below = mine.subarray(0, layer.units);
    first += layer.size;
  }
  return next;
}

function read(network, state) {
  const last = network.layers.at(-1), first = state.length - last.size;
  return sums(network.readout, state.subarray(first, first + last.units), network.readoutBias);
}

// The states and outputs after each step: first the inputs, then `horizon` steps without.
function simulate(network, inputs, horizon, start) {
  const states = [], outputs = [];
  let state = start ?? new Float64Array(stateSize(network));
  for (let t = 0; t < inputs.length + horizon; t++) {
    state = step(network, state, inputs[t]);
    states.push(state);
    outputs.push(read(network, state));
  }
  return { states, outputs };
}

// What is looked at of a state: parts of it, an LSTM's cells as they act.
function seen(parts, state) {
  if (parts.length === 1 && parts[0].count === state.length) return state;
  return Float64Array.from(parts.flatMap(({ first, count, squashed }) => [...state.subarray(first, first + count)].map((x) => (squashed ? Math.tanh(x) : x))));
}
