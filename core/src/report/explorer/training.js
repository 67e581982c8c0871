// How the network got here; with snapshots a slider goes through training.

function startTraining({ data }) {
  if (!data.training) { byId("training").remove(); return; }
  const { step: x, loss, accuracy, horizon, snapshots } = data.training, panels = [{ name: "loss (log)", y: loss, log: true, colour: "var(--minus)" }, { name: "accuracy", y: accuracy, from: Math.min(0.45, ...accuracy), to: 1, colour: "var(--plus)" }];
  if (horizon) panels.push({ name: "horizon", y: horizon, colour: "var(--soft)" });
  const chart = new LineChart(byId("curves"), { x, xName: "optimizer step", panels, label: `Loss, accuracy and horizon over ${x.at(-1)} optimizer steps` });
  offerExport(byId("training-caption"), "training", chart);
  if (snapshots?.length) startSnapshots(snapshots, chart, data);
}

// snapshots: [{ step, eigenvalues: [[re, im], ..], read: [share, ..], note }]
function startSnapshots(snapshots, chart, { spectra: { theory }, memories, meta: { s, d } }) {
  const slider = element("input", { type: "range", min: 0, max: snapshots.length - 1, value: snapshots.length - 1, "aria-label": "Snapshot of training" }), room = element("div", { class: "chart-room" }), said = element("p", { class: "note" }), appear = element("div", {});
  const label = element("p", { class: "explain" }, "Drag to go through training: the eigenvalues of the weights that were kept on the way, the contents that can be read from the states, and what those weights come to.");
  byId("snapshots").replaceChildren(label, slider, element("div", { class: "columns" }, room, element("div", {}, appear, said)));
  const show = () => {
    const { step, eigenvalues, read, note } = snapshots[slider.value];
    room.replaceChildren();
    new SpectrumChart(room, { eigenvalues, directions: [] }, theory, { label: `Eigenvalues at optimizer step ${step}` }).draw();
    sayIn(said, `Step ${step}${note ? `: ${note}` : ""}.`);
    if (memories) appear.replaceChildren(appearing(memories, read, s, d));
    slider.setAttribute("aria-valuetext", said.textContent);
    chart.cursor = step;
    chart.draw();
  };
  slider.addEventListener("input", show);
  show();
}

// Memories as they appear: a column for each variable, a row for each component, the fuller the more often the content is read correctly.
function appearing({ members, recovered }, read, s, d) {
  const size = Math.min(34, 460 / s, 300 / d), left = 24, top = 36, at = new Map(members.map((slot, k) => [slot, read[k] ?? 0]));
  const made = svg("svg", { class: "chart appearing", role: "img", "aria-label": `${members.filter((_, k) => read[k] >= recovered).length} of ${members.length} contents read`, viewBox: `0 0 ${left + s * size + 4} ${top + d * size + 4}` });
  made.style.width = `${left + s * size + 4}px`;
  made.append(svg("text", { x: left, y: 12, class: "tick" }, "memories: variable (1 oldest) →"));
  for (let v = 0; v < s; v++) if (s <= 16 || v % 4 === 0) made.append(svg("text", { x: left + (v + 0.5) * size, y: top - 7, class: "tick", "text-anchor": "middle" }, v + 1));
  for (let j = 0; j < d; j++) if (size > 13 || j % 4 === 0) made.append(svg("text", { x: left - 7, y: top + (j + 0.5) * size, class: "tick", "text-anchor": "end", "dominant-baseline": "central" }, j + 1));
  for (let slot = 0; slot < s * d; slot++) {
    const share = at.get(slot), kept = share !== undefined, x = left + Math.floor(slot / d) * size, y = top + slot % d * size;
    const cell = svg("rect", { x: x + 1, y: y + 1, width: size - 2, height: size - 2, rx: 3, class: !kept ? "unkept" : share >= recovered ? "held" : "kept", "data-slot": slot });
    if (kept && share < recovered) cell.style.fillOpacity = Math.max(0, 1.2 * (share - 0.5)).toFixed(2);
    made.append(cell);
  }
  return made;
}
