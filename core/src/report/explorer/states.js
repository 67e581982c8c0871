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

// Steps between labels, at the least: on a phone they would run into each other.
const LEAST_APART = 8;

function timeTicks(s, horizon) {
  const ticks = [], every = s * Math.ceil(LEAST_APART / s);
  for (let at = s; at < s + horizon; at += every) ticks.push({ at, text: `${at}` });
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

// The scale of contents: that of +1 and -1, unless they are far from it.
function contentsLimit(contents) {
  const usual = quantileLimit(contents.flatMap((row) => [...row]), 0.95);
  return usual > 0.5 && usual < 1.6 ? 1 : usual;
}

function startStates(explorer) {
  const { s, d, horizon, memories, weak } = explorer, steps = s + horizon, phases = [{ at: s, strong: true }], xTicks = timeTicks(s, horizon), xName = `time step: input to ${s}, then output`;
  const rows = stateRows(explorer.data.state), units = new Heatmap(byId("states-units"), { xName, yName: rows.unit }), layers = explorer.trained?.layers ?? [], whole = layers.length > 0 && rows.count > layers.reduce((sum, layer) => sum + layer.units, 0);
  if (!explorer.trained) byId("states-explain").textContent = "One recorded episode, seen twice: the units as they were recorded, from the first output step on, and the contents that are read from them. Before that the inputs themselves are shown.";
  if (whole) byId("states-caption").textContent = "The whole state";
  const variables = memories && new Heatmap(byId("states-variables"), { xName, yName: "variable (1 oldest)", leave: () => links.point(null) });
  offerExport(byId("states-caption").parentElement, "states", units);
  if (memories) offerExport(byId("states-variables-figure").querySelector("figcaption"), "contents", variables);
  else {
    byId("states-variables-figure").remove();
    byId("state-columns").classList.add("single");
    byId("states-explain").textContent = "One run: every row is a hidden unit, every column a time step.";
  }
  const note = () => {
    if (!memories) return explorer.data.memories_missing ?? "";
    if (explorer.edited) return "Read by the edited network's own readers.";
    const parts = [memories.rolled ? "The variables are read by running the network on and listening to what it will say: no linear basis holds them all." : weak.size ? `${weak.size} of ${memories.members.length} contents ${weak.size === 1 ? "is" : "are"} not read reliably from the state; ${weak.size === 1 ? "its row has" : "their rows have"} a cross.` : ""];
    if (memories.input_read != null && !memories.rolled) parts.push(`The code is that of the output phase: while the input comes in, ${(100 * memories.input_read).toFixed(0)} % of the contents that it has put in place are read correctly.`);
    return parts.join(" ").trim();
  };
  player.onRun(() => {
    const { seen: states, contents } = explorer.run, { count } = rows, all = states.flatMap((h) => [...h]), limit = quantileLimit(all, 0.98), largest = all.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
    showScale("states-units", limit);
    byId("states-note").textContent = largest < 0.02 ? `The network is all but silent: no unit goes beyond ${largest.toExponential(1)}, and the colours are scaled to that. ${note()}` : note();
    units.show({ label: `Activity of ${count} ${whole ? "numbers of the state" : "hidden units"} over ${steps} steps`, rows: count, cols: steps, limit, value: (i, t) => states[t][i], xLines: phases, yLines: rows.lines, xTicks, yTicks: rows.ticks, tell: (i, t) => `${rows.name(i)}, step ${t + 1}` });
    if (!variables) return;
    const { members } = explorer.reading, { lines, ticks } = groups(members, d, 0), most = contentsLimit(contents.slice(s));
    showScale("states-variables", most);
    variables.show({ label: `Contents of ${members.length} variable components over ${steps} steps`, rows: members.length, cols: steps, limit: most, value: (k, t) => contents[t][k] ?? NaN, xLines: phases, yLines: lines, yTicks: ticks, xTicks, tell: (k, t) => `${nameOf(members[k], d)}, step ${t + 1}`, point: (k) => links.point(members[k] % d) });
  });
  // Rows that cannot be read have a cross at their left end.
  const crosses = (context, box) => { if (!explorer.edited) explorer.reading.members.forEach((slot, k) => { if (weak.has(slot)) cross(context, box.left + 7, box.y(k + 0.5), Math.min(4, 0.4 * (box.y(1) - box.y(0)))); }); };
  links.on((output) => {
    if (!variables) return;
    variables.options.lit = output === null ? [] : explorer.reading.members.flatMap((slot, k) => (slot % d === output ? [{ row: k }] : []));
    variables.draw();
  });
  let shown = -1;
  player.onTime(() => {
    if (player.step === shown && player.playing) return;
    shown = player.step;
    [units, variables].filter(Boolean).forEach((map) => { map.options.overlay = (context, box) => { shadeFuture(player.step)(context, box); if (map === variables) crosses(context, box); }; map.draw(); });
  });
}
