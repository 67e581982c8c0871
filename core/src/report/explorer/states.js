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

function startStates(explorer) {
  const { s, d, horizon, memories } = explorer, steps = s + horizon;
  const phases = [{ at: s, strong: true }], xTicks = timeTicks(s, horizon);
  const xName = `time step: input to ${s}, then output`;
  const units = new Heatmap(document.getElementById("states-units"), { xName, yName: "hidden unit" });
  const figure = document.getElementById("states-variables-figure"), note = document.getElementById("states-note");
  let variables = null;
  if (memories) {
    variables = new Heatmap(document.getElementById("states-variables"), { xName, yName: "variable (1 oldest)" });
    const weak = explorer.weak;
    note.textContent = memories.rolled ? "The variables are read by running the network on and listening to what it will say: no linear basis holds them all."
      : weak.size ? `${weak.size} of ${memories.members.length} contents are not read reliably from the state.` : "";
  } else {
    figure.remove();
    document.getElementById("state-columns").classList.add("single");
    document.querySelector("#states .explain").textContent = "One run: every row is a hidden unit, every column a time step.";
    note.textContent = explorer.data.memories_missing ?? "";
  }
  player.onRun(() => {
    const { states, contents } = explorer.run, count = states[0].length;
    const yTicks = [1, 2, 3].map((k) => Math.round(count * k / 4)).map((at) => ({ at, text: `${at}` }));
    // A silent network would be a grey plane: then the scale is its own, and said.
    const largest = states.reduce((most, h) => h.reduce((m, x) => Math.max(m, Math.abs(x)), most), 0), limit = largest > 0.02 ? 1 : largest || 1;
    showScale("states-units", limit);
    if (limit < 1) note.textContent = `The network is all but silent: no unit goes beyond ${largest.toExponential(1)}, and the colours are scaled to that.`;
    units.show({ label: `Activity of ${count} hidden units over ${steps} steps`, rows: count, cols: steps, limit, value: (i, t) => states[t][i], xLines: phases, xTicks, yTicks, tell: (i, t) => `unit ${i + 1}, step ${t + 1}` });
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
