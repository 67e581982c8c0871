// A network as a safetensors file, under PyTorch's names: eight bytes with the header's length, the header, the numbers.

function tensorsOf({ layers, readout, readoutBias }) {
  const tensors = [];
  layers.forEach(({ recurrent, input, bias }, k) => {
    tensors.push([`rnn.weight_ih_l${k}`, [input.rows, input.cols], input.data], [`rnn.weight_hh_l${k}`, [recurrent.rows, recurrent.cols], recurrent.data]);
    // The page has the sum of the two biases: the second one is written as zero.
    if (bias) tensors.push([`rnn.bias_ih_l${k}`, [bias.length], bias], [`rnn.bias_hh_l${k}`, [bias.length], new Float64Array(bias.length)]);
  });
  tensors.push(["readout.weight", [readout.rows, readout.cols], readout.data]);
  if (readoutBias) tensors.push(["readout.bias", [readoutBias.length], readoutBias]);
  return tensors;
}

// The task as the library writes it into files, so that whoever opens the network knows what it computes.
function taskText(sources, s, d, name) {
  const line = ({ lag, component, sign }, j) => `    "u${j + 1} = ${sign < 0 ? "-" : ""}u${component + 1}[t-${lag}]",\n`;
  return `name = ${JSON.stringify(name)}\ns = ${s}\nd = ${d}\nrecurrence = [\n${sources.map(line).join("")}]\n`;
}

function safetensors(network, metadata) {
  const tensors = tensorsOf(network), header = { __metadata__: metadata };
  let at = 0;
  for (const [name, shape, data] of tensors) header[name] = { dtype: "F64", shape, data_offsets: [at, at += 8 * data.length] };
  let text = JSON.stringify(header);
  // Numbers begin at a multiple of eight.
  text += " ".repeat((8 - new TextEncoder().encode(text).length % 8) % 8);
  const head = new TextEncoder().encode(text), bytes = new Uint8Array(8 + head.length + at), view = new DataView(bytes.buffer);
  view.setBigUint64(0, BigInt(head.length), true);
  bytes.set(head, 8);
  let to = 8 + head.length;
  for (const [, , data] of tensors) for (const x of data) { view.setFloat64(to, x, true); to += 8; }
  return bytes;
}
