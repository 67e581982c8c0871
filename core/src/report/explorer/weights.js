function groups(members, d, extra) {
  const lines = [], ticks = [], from = new Map();
  members.forEach((slot, k) => {
    const variable = Math.floor(slot / d) + 1;
    if (!from.has(variable)) from.set(variable, [k, k]);
    from.get(variable)[1] = k + 1;
  });
  for (const [variable, [start, end]] of from) {
    if (start > 0) lines.push({ at: start });
    ticks.push({ at: (start + end) / 2, text: `${variable}` });
  }
  if (extra) { lines.push({ at: members.length, strong: true }); ticks.push({ at: members.length + extra / 2, text: "⊥" }); }
  return { lines, ticks };
}

const nameOf = (slot, d) => `variable ${Math.floor(slot / d) + 1}, component ${slot % d + 1}`;

function quantileLimit(values, share) {
  const sizes = Float64Array.from(values, Math.abs).sort();
  return sizes[Math.min(sizes.length - 1, Math.floor(share * sizes.length))] || 1;
}

function showWeights({ data, trained, memories, s, d }) {
  const recurrent = trained.recurrent, limit = quantileLimit(recurrent.data, 0.995);
  const units = recurrent.rows, every = Math.max(1, Math.round(units / 4 / 16) * 16), ticks = [];
  for (let at = every; at < units; at += every) ticks.push({ at, text: `${at}` });
  new Heatmap(document.getElementById("weights-trained"), { xName: "from unit", yName: "to unit" }).show({
    label: `Recurrent weights of ${units} units, as trained`, rows: units, cols: units, limit, xTicks: ticks, yTicks: ticks,
    value: (i, j) => recurrent.data[i * units + j], tell: (i, j) => `from unit ${j + 1} to unit ${i + 1}`,
  });
  showScale("weights-trained", limit);
  const note = document.getElementById("weights-note");
  if (!memories?.blocks) {
    document.getElementById("weights-circuit-figure").remove();
    document.querySelector(".matrices").classList.add("single");
    document.querySelector("#weights h2").textContent = "Weights";
    document.querySelector("#weights .explain").textContent = "The recurrent weights between hidden units, as trained.";
    note.textContent = data.memories_missing ?? "";
    return;
  }
  const { blocks, theory, members, perp } = memories, size = blocks.rows, core = members.length;
  const circuit = new Heatmap(document.getElementById("weights-circuit"), { xName: "from variable (1 oldest)", yName: "to variable" });
  const expected = (i, j) => (i < core && j < core ? theory.data[i * core + j] : 0);
  const learned = (i, j) => blocks.data[i * size + j];
  const views = { learned, theory: expected, difference: (i, j) => learned(i, j) - expected(i, j) };
  const most = Math.min(1.7, Math.max(1, quantileLimit(theory.data.map((_, k) => learned(Math.floor(k / core), k % core)), 0.999)));
  const { lines, ticks: variables } = groups(members, d, perp);
  const name = (k) => (k < core ? nameOf(members[k], d) : `remainder ${k - core + 1}`);
  const show = (view) => circuit.show({
    label: `Recurrent weights between ${core} variable memories, ${view}`, rows: size, cols: size, limit: most, xLines: lines, yLines: lines, xTicks: variables, yTicks: variables,
    value: views[view], tell: (i, j) => `from ${name(j)} to ${name(i)}`,
  });
  show("learned");
  showScale("weights-circuit", most);
  document.querySelectorAll("[name=circuit-view]").forEach((choice) => choice.addEventListener("change", () => show(choice.value)));
  const distance = Math.sqrt(theory.data.reduce((sum, x, k) => sum + (x - learned(Math.floor(k / core), k % core)) ** 2, 0) / theory.data.reduce((sum, x) => sum + x * x, 0));
  note.textContent = `Light lines separate the ${s} variables${core < s * d ? ` (only the ${core} of ${s * d} components that the task must keep are stored)` : ""}. The strong line sets off ⊥, the ${perp} largest directions that hold no variable. Distance from theory: ${(100 * distance).toFixed(1)} %.`;
}
