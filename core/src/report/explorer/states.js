function shadeFuture(t) {
  return (context, box) => {
    const x = box.x(t);
    context.fillStyle = palette.shade;
    context.fillRect(x, box.top, box.right - x, box.bottom - box.top);
    context.strokeStyle = palette.mark;
    context.lineWidth = 2;
    context.beginPath();
    context.moveTo(x, box.top - 3);
    context.lineTo(x, box.bottom + 3);
    context.stroke();
  };
}

function timeTicks(s, horizon) {
  const ticks = [];
  for (let at = s; at < s + horizon; at += s) ticks.push({ at, text: `${at}` });
  return ticks;
}

// Where the parts of a state that are looked at begin and end, and what a row is called.
function stateRows(parts) {
  const count = parts.reduce((sum, part) => sum + part.count, 0);
  if (parts.length === 1) return { count, lines: [], ticks: [1, 2, 3].map((k) => Math.round(count * k / 4)).map((at) => ({ at, text: `${at}` })), unit: "hidden unit", name: (i) => `unit ${i + 1}` };
  const lines = [], ticks = [], names = [];
  for (const part of parts) {
    if (names.length) lines.push({ at: names.length, strong: true });
    ticks.push({ at: names.length + part.count / 2, text: part.name });
    for (let k = 1; k <= part.count; k++) names.push(`${part.name}, ${k}`);
  }
  return { count, lines, ticks, unit: "state", name: (i) => names[i] };
}

function startStates(explorer) {
  const { s, d, horizon, memories } = explorer, steps = s + horizon;
  const phases = [{ at: s, strong: true }], xTicks = timeTicks(s, horizon);
  const xName = `time step: input to ${s}, then output`;
  const rows = stateRows(explorer.data.state), units = new Heatmap(document.getElementById("states-units"), { xName, yName: rows.unit });
  const layers = explorer.trained?.layers ?? [], whole = layers.length > 0 && rows.count > layers.reduce((sum, layer) => sum + layer.units, 0);
  if (!explorer.trained) document.querySelector("#states .explain").textContent = "One recorded episode, seen twice: the units as they were recorded, from the first output step on, and the contents that are read from them. Before that the inputs themselves are shown.";
  if (whole) document.getElementById("states-caption").textContent = "The whole state";
  // What a cell without bound says may be large; a plain layer was always shown within 1.
  const bounded = explorer.plain || layers.length > 0 && layers.every(({ kind, activation }) => kind !== "ssm" && (activation ?? "tanh") === "tanh");
  const figure = document.getElementById("states-variables-figure"), note = document.getElementById("states-note");
  let variables = null;
  if (memories) {
    variables = new Heatmap(document.getElementById("states-variables"), { xName, yName: "variable (1 oldest)" });
    const weak = explorer.weak;
    note.textContent = memories.rolled ? "The variables are read by running the network on and listening to what it will say: no linear basis holds them all."
      : weak.size ? `${weak.size} of ${memories.members.length} contents are not read reliably from the state.` : "";
    if (memories.input_read != null && !memories.rolled) note.textContent = `${note.textContent} The code is that of the output phase: while the input comes in, ${(100 * memories.input_read).toFixed(0)} % of the contents that it has put in place are read rightly.`.trim();
  } else {
    figure.remove();
    document.getElementById("state-columns").classList.add("single");
    document.querySelector("#states .explain").textContent = "One run: every row is a hidden unit, every column a time step.";
    note.textContent = explorer.data.memories_missing ?? "";
  }
  player.onRun(() => {
    const { seen: states, contents } = explorer.run, { count } = rows;
    // A silent network would be a grey plane: then the scale is its own, and said.
    const largest = states.reduce((most, h) => h.reduce((m, x) => Math.max(m, Math.abs(x)), most), 0), usual = bounded ? 1 : Math.max(1, quantileLimit(states.flatMap((h) => [...h]), 0.995));
    const limit = largest > 0.02 ? usual : largest || 1;
    showScale("states-units", limit);
    if (limit < 1) note.textContent = `The network is all but silent: no unit goes beyond ${largest.toExponential(1)}, and the colours are scaled to that.`;
    if (limit > 1) document.querySelector('[data-scale="states-units"]').append(variables ? " for the units; the variables go from −1 to +1" : "");
    units.show({ label: `Activity of ${count} ${whole ? "numbers of the state" : "hidden units"} over ${steps} steps`, rows: count, cols: steps, limit, value: (i, t) => states[t][i], xLines: phases, yLines: rows.lines, xTicks, yTicks: rows.ticks, tell: (i, t) => `${rows.name(i)}, step ${t + 1}` });
    if (!variables) return;
    const { members } = explorer.reading, { lines, ticks } = groups(members, d, 0);
    variables.show({ label: `Contents of ${members.length} variable components over ${steps} steps`, rows: members.length, cols: steps, limit: 1, value: (k, t) => contents[t][k] ?? NaN, xLines: phases, yLines: lines, yTicks: ticks, xTicks, tell: (k, t) => `${nameOf(members[k], d)}, step ${t + 1}` });
  });
  let shown = -1;
  player.onTime(() => {
    if (player.step === shown && player.playing) return;
    shown = player.step;
    [units, variables].filter(Boolean).forEach((map) => { map.options.overlay = shadeFuture(player.step); map.draw(); });
  });
}
