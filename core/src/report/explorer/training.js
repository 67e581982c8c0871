// How the network got here; with snapshots a slider goes through training.

function startTraining({ data }) {
  if (!data.training) { byId("training").remove(); return; }
  const { step: x, loss, accuracy, horizon, snapshots } = data.training, panels = [{ name: "loss (log)", y: loss, log: true, colour: "var(--minus)" }, { name: "accuracy", y: accuracy, from: Math.min(0.45, ...accuracy), to: 1, colour: "var(--plus)" }];
  if (horizon) panels.push({ name: "horizon", y: horizon, colour: "var(--soft)" });
  const chart = new LineChart(byId("curves"), { x, xName: "optimizer step", panels, label: `Loss, accuracy and horizon over ${x.at(-1)} optimizer steps` });
  offerExport(byId("training-caption"), "training", chart);
  if (snapshots?.length) startSnapshots(snapshots, chart, data.spectra.theory);
}

// snapshots: [{ step, eigenvalues: [[re, im], ..], note }]
function startSnapshots(snapshots, chart, theory) {
  const slider = element("input", { type: "range", min: 0, max: snapshots.length - 1, value: snapshots.length - 1, "aria-label": "Snapshot of training" }), room = element("div", { class: "chart-room" }), said = element("p", { class: "note" });
  const label = element("p", { class: "explain" }, "Drag to go through training: the eigenvalues of the weights that were kept on the way, and what those weights come to.");
  byId("snapshots").replaceChildren(label, slider, element("div", { class: "columns" }, room, said));
  const show = () => {
    const { step, eigenvalues, note } = snapshots[slider.value];
    room.replaceChildren();
    new SpectrumChart(room, { eigenvalues, directions: [] }, theory, { label: `Eigenvalues at optimizer step ${step}` }).draw();
    said.textContent = `Step ${step}${note ? `: ${note}` : ""}`;
    slider.setAttribute("aria-valuetext", said.textContent);
    chart.cursor = step;
    chart.draw();
  };
  slider.addEventListener("input", show);
  show();
}
