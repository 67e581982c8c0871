// Which inputs the states hold at each time step.

function showHolds({ data: { over_time: found } }) {
  if (!found) { byId("holds").remove(); return; }
  const { contents, read, null: by_chance, input_steps: s, different } = found, steps = read[0].length, map = new Heatmap(byId("holds-map"), { xName: `time step: input to ${s}, then silence`, yName: "" });
  const most = Math.max(0.5, ...by_chance.flat().filter((share) => share !== null)), ticks = contents.map((text, k) => ({ at: k + 0.5, text }));
  map.show({
    label: `How well ${contents.length} inputs are read at ${steps} time steps`, rows: contents.length, cols: steps, limit: 1, xLines: [{ at: s, strong: true }], xTicks: timeTicks(s, steps - s), yTicks: ticks,
    // Chance is the middle of the colours.
    value: (k, t) => (read[k][t] === null ? NaN : 2 * read[k][t] - 1), tell: (k, t) => (read[k][t] === null ? `${contents[k]}, step ${t + 1}: not shown yet` : `${contents[k]}, step ${t + 1}: ${read[k][t].toFixed(3)} read rightly, shuffled at most ${by_chance[k][t].toFixed(3)}; shown as 2 × share − 1`),
  });
  offerExport(byId("holds-caption"), "holds", map);
  const worst = Array.from({ length: steps }, (_, t) => Math.min(...read.map((row) => row[t] ?? 1))), kept = worst.slice(s).findIndex((share) => share <= most);
  const lasts = kept < 0 ? `all of them are read better than that at each of ${steps - s} silent steps` : kept === 0 ? "in silence not all of them are" : `all of them are read better than that up to silent step ${kept}`;
  sayIn(byId("holds-note"), `Red is 1, the middle is chance (0.5). Readers of contents that belong to other inputs get ${most.toFixed(2)} at most; ${lasts}. ${different} different inputs.`);
}
