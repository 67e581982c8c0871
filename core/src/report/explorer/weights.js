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

// Of cells that are more than one matrix, the circuit is what a whole step of the network does.
const A_STEP = "Between the memories stands a whole step of the network: contents are written into its state, it takes the step, and they are read again. The memories were found by regression of states on contents, which knows nothing of the weights: if each variable hands its contents to the one before it and the last one computes f, then because the weights do so.";

// Returns what draws the plots, once the plotting library is there.
function showWeights(explorer) {
  const { data, memories, s, d, plain } = explorer;
  if (!explorer.trained) document.getElementById("weights-trained-figure").remove();
  const drawTrained = explorer.trained ? showTrained(explorer) : () => {}, explain = document.querySelector("#weights .explain");
  const note = document.getElementById("weights-note");
  document.querySelector("#weights h2").textContent = data.verdict.weights;
  if (!memories?.blocks) {
    document.getElementById("weights-circuit-figure").remove();
    document.getElementById("weights-control-figure").remove();
    document.querySelector(".matrices").classList.add("single");
    explain.textContent = explorer.trained ? trainedText(explorer) : "";
    note.textContent = data.memories_missing ?? "";
    return drawTrained;
  }
  if (!plain && explorer.trained) explain.textContent = `${trainedText(explorer)} ${A_STEP}`;
  if (!explorer.trained) {
    explain.textContent = "Recorded states, read one step later: the contents before a step (columns) against what the states hold after it (rows), each episode by a code that was fitted on the others. Noise averages out; contents that are not there leave their rows empty.";
    document.querySelector("#weights-control-figure figcaption span").lastChild.textContent = ": episodes shuffled";
  }
  if (explorer.trained && memories.method !== "code") explain.textContent = plain ? `The same recurrent weights twice: between hidden units, and between the memories that the method ${memories.method} finds.` : `${trainedText(explorer)} The circuit is the one between the memories that the method ${memories.method} finds.`;
  const { blocks, theory, members, perp } = memories, size = blocks.rows, core = members.length;
  const circuit = new Heatmap(document.getElementById("weights-circuit"), { xName: "from variable (1 oldest)", yName: "to variable" });
  const expected = (i, j) => (i < core && j < core ? theory.data[i * core + j] : 0);
  const learned = (i, j) => blocks.data[i * size + j];
  const views = { learned, theory: expected, difference: (i, j) => learned(i, j) - expected(i, j) };
  const most = Math.min(1.7, Math.max(1, quantileLimit(theory.data.map((_, k) => learned(Math.floor(k / core), k % core)), 0.999)));
  const { lines, ticks: variables } = groups(members, d, perp);
  const name = (k) => (k < core ? nameOf(members[k], d) : `remainder ${k - core + 1}`);
  // Rows that a basis makes right whatever the network is are struck through: they prove nothing.
  const given = memories.by_construction ? members.filter((slot) => slot < (s - 1) * d).length : 0;
  const strike = (context, box) => {
    context.strokeStyle = palette.soft;
    context.lineWidth = 1;
    for (let i = 0; i < given; i++) { context.beginPath(); context.moveTo(box.left, box.y(i + 0.5)); context.lineTo(box.right, box.y(i + 0.5)); context.stroke(); }
  };
  const show = (view) => circuit.show({
    overlay: view === "learned" ? strike : undefined, label: `${plain ? "Recurrent weights" : "One step"} between ${core} variable memories, ${view}`, rows: size, cols: size, limit: most, xLines: lines, yLines: lines, xTicks: variables, yTicks: variables,
    value: views[view], tell: (i, j) => `from ${name(j)} to ${name(i)}`,
  });
  show("learned");
  showScale("weights-circuit", most);
  document.querySelectorAll("[name=circuit-view]").forEach((choice) => choice.addEventListener("change", () => show(choice.value)));
  const distance = Math.sqrt(theory.data.reduce((sum, x, k) => sum + (x - learned(Math.floor(k / core), k % core)) ** 2, 0) / theory.data.reduce((sum, x) => sum + x * x, 0));
  showControl(memories, most, lines, variables, data, (k) => nameOf(members[k], d));
  note.textContent = `${given ? `The ${given} rows that are struck through are right by construction: this basis follows the dynamics, and shows them for a random network too. ` : ""}${s > 1 ? `Light lines separate the ${s} variables` : "There is one variable"}${core < s * d ? ` (only the ${core} of ${s * d} components that the task must keep are stored)` : ""}. The strong line sets off ⊥, the ${perp} largest directions that hold no variable. ${data.task?.gates ? "What products of contents add is not drawn." : `Distance from theory: ${(100 * distance).toFixed(1)} %.`}`;
  return drawTrained;
}

// The step matrix that the same procedure finds in the same network with its weights shuffled.
function showControl(memories, limit, lines, ticks, data, name) {
  const figure = document.getElementById("weights-control-figure"), { control } = memories;
  if (!control) { figure.remove(); return; }
  if (data.network?.layers.every(({ kind }) => kind === "ssm")) figure.querySelector("figcaption span").lastChild.textContent = ": phases drawn anew";
  const inside = lines.filter(({ strong }) => !strong), variables = ticks.filter(({ text }) => text !== "⊥");
  new Heatmap(document.getElementById("weights-control"), { xName: "from variable", yName: "to variable" }).show({
    label: "The control: the step matrix after the recurrent weights were shuffled", rows: control.rows, cols: control.cols, limit, xLines: inside, yLines: inside, xTicks: variables, yTicks: variables,
    value: (i, j) => control.data[i * control.cols + j], tell: (i, j) => `from ${name(j)} to ${name(i)}`,
  });
  document.getElementById("control").textContent = data.verdict.control ?? "";
}
