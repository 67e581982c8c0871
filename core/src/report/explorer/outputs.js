// What the network says, as a strip: outputs with crosses on wrong signs.

// Outputs of +1 and -1 keep that scale; others get their own.
const outputsLimit = (outputs) => contentsLimit(outputs);

// A strip of outputs with crosses on wrong signs; returns a function that shows a run.
function outputStrip(canvas, explorer) {
  const { s, d, horizon } = explorer;
  const strip = new Heatmap(canvas, { xName: "output step", yName: "component", leave: () => links.point(null), point: (j) => links.point(j) });
  const yTicks = Array.from({ length: d }, (_, j) => ({ at: j + 0.5, text: `${j + 1}` }));
  const xTicks = timeTicks(s, horizon).filter(({ at }) => at > s).map(({ at }) => ({ at: at - s, text: `${at - s}` }));
  return (outputs, wanted) => {
    const wrong = [], faint = faintest(outputs);
    let silent = 0;
    if (wanted) for (let k = 0; k < horizon; k++) for (let j = 0; j < d; j++) if (Math.abs(outputs[s + k][j]) <= faint) silent++; else if (outputs[s + k][j] * wanted[s + k][j] <= 0) wrong.push([j, k]);
    strip.crosses = wrong;
    strip.show({
      label: `Outputs over ${horizon} steps, ${wrong.length} wrong`, rows: d, cols: horizon, limit: outputsLimit(outputs.slice(s)), xTicks, yTicks, value: (j, k) => outputs[s + k][j], tell: (j, k) => `component ${j + 1}, output step ${k + 1}`,
      overlay: (context, box) => {
        const r = Math.min(5, 0.28 * Math.min(box.x(1) - box.x(0), box.y(1) - box.y(0)));
        strip.crosses.forEach(([j, k]) => cross(context, box.x(k + 0.5), box.y(j + 0.5), r));
        if (strip.follows && player.step > s) {
          context.strokeStyle = palette.mark;
          context.lineWidth = 2;
          context.strokeRect(box.x(player.step - s - 1), box.top - 1, box.x(1) - box.x(0), box.bottom - box.top + 2);
        }
      },
    });
    return { strip, wrong: wrong.length, silent, all: horizon * d };
  };
}

// Two places, and what is too small for them by its size: its sign counts all the same.
// What has died out is a zero with a sign: powers of ten below that say nothing, and do not fit.
const dead = (x) => x !== 0 && Math.abs(x) < 1e-9;
const signed = (x) => (dead(x) ? (x < 0 ? "-0" : "0") : x !== 0 && Math.abs(x) < 0.005 ? x.toExponential(0) : x.toFixed(2)).replace(/^-/, "−").replace("e-", "e−");

function startOutputs(explorer) {
  const { s, d } = explorer, show = outputStrip(byId("outputs"), explorer), now = byId("now");
  let strip = null;
  const numbers = () => {
    const t = player.step, state = explorer.run.outputs[t - 1], wanted = explorer.run.wanted?.[t - 1];
    now.hidden = t <= s;
    if (t <= s) return;
    const row = (name, values, mark) => element("tr", {}, element("th", { scope: "row" }, name), ...[...values].map((x, j) => element("td", mark?.(j) ? { class: "wrong" } : {}, mark ? signed(x) : x > 0 ? "+1" : "−1")));
    const faint = faintest(explorer.run.outputs), rows = [row("said", state, (j) => wanted && Math.abs(state[j]) > faint && state[j] * wanted[j] <= 0)];
    if (wanted && explorer.binary) rows.push(row("expected", wanted));
    now.replaceChildren(...rows);
  };
  player.onRun(() => {
    const { outputs, wanted } = explorer.run, shown = show(outputs, wanted);
    strip = shown.strip;
    if (!strip.follows) offerExport(byId("outputs-caption"), "outputs", strip);
    strip.follows = true;
    byId("score").textContent = wanted ? scoreText(shown) : "";
    byId("outputs-note").textContent = wanted ? "What the network says after the input has ended; a cross marks a wrong sign. Below it the numbers at the step that is marked." : "What the network says after the input has ended. No task is known, so nothing is right or wrong.";
    numbers();
  });
  let shownStep = -1;
  player.onTime(() => {
    if (player.step === shownStep && player.playing) return;
    shownStep = player.step;
    if (d <= 16) numbers();
    strip?.draw();
  });
}
