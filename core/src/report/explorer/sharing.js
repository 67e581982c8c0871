// Superposed networks: more contents than directions. Which memories overlap, and what can be read all the same.

function showSharing(explorer) {
  const { memories, d, data } = explorer, sharing = memories?.sharing, lasting = data.spectra.orbit?.found;
  if (!sharing) { byId("sharing").remove(); return; }
  const { overlap, directions, read, count, read_as_signs: asSigns, worst_as_signs: worst, riders, spread } = sharing, { members, scores, recovered } = memories, { lines, ticks } = groups(members, d, 0), name = (k) => nameOf(members[k], d);
  byId("sharing-heading").textContent = `${count} contents in ${directions} directions of the code`;
  byId("sharing-explain").textContent = `There are not enough directions for every content to have its own${lasting === directions ? "" : `, and ${lasting} of the network's eigenvalues last`}. A linear reading gets ${read} of ${count} contents; ${asSigns < read ? `taking each as +1 or −1 helps no further: that way ${asSigns} of ${count} are told apart` : `as each can only be +1 or −1, ${asSigns} of ${count} are told apart once that is taken into account`} (the worst is right in ${percent(worst)} % of states).`;
  const map = new Heatmap(byId("overlap"), { xName: "variable (1 oldest)", yName: "variable", leave: () => links.point(null) });
  map.show({ label: `Overlap of ${count} memories`, rows: count, cols: count, limit: 1, value: (i, j) => (i === j ? 0 : overlap.data[i * count + j]), xLines: lines, yLines: lines, xTicks: ticks, yTicks: ticks, tell: (i, j) => (i === j ? name(i) : `${name(i)} and ${name(j)}, cosine`), point: (i) => links.point(members[i] % d) });
  showScale("overlap", 1);
  offerExport(byId("overlap-caption"), "overlap", map);
  showReadings({ members, scores, recovered, d });
  const told = [...riders.map(({ words }) => words), ...(spread.length ? [`No single host: ${spread.join(", ")}.`] : [])];
  byId("riders").replaceChildren(...(told.length ? told : ["No content rides on a single other one."]).map((text) => element("li", {}, text)));
}

// How often each content is right when it is read linearly, a dot each; those under the limit are named.
function showReadings({ members, scores, recovered, d }) {
  const holder = byId("readings"), drawing = svg("svg", { class: "chart", role: "img", "aria-label": `Linear reading of ${members.length} contents` });
  holder.append(drawing);
  const draw = () => {
    const width = holder.clientWidth, height = 230, left = 46, right = width - 8, y = (share) => 14 + 180 * (1 - (share - 0.5) / 0.5), x = (k) => left + (right - left) * (k + 0.5) / members.length;
    if (!width) return;
    const dots = members.map((slot, k) => { const weak = scores[k] < recovered, dot = svg("circle", { cx: x(k), cy: y(Math.max(0.5, scores[k])), r: weak ? 5 : 3.2, class: weak ? "learned lit" : "learned", "data-tip": `${nameOf(slot, d)}: ${scores[k].toFixed(4)} right` }); links.from(dot, slot % d); return dot; });
    // Names below their dots, as long as they do not run into each other.
    const named = [], low = members.map((slot, k) => [slot, x(k), y(Math.max(0.5, scores[k])) + 17, scores[k]]).filter(([slot, at, below, score]) => score < recovered && !named.some(([px, py]) => Math.abs(px - at) < 34 && Math.abs(py - below) < 12) && named.push([at, below]))
      .map(([slot, at, below]) => svg("text", { x: Math.min(at, width - 16), y: below, class: "tick", "text-anchor": "middle" }, `u${slot % d + 1}·${Math.floor(slot / d) + 1}`));
    drawing.replaceChildren(...[0.5, 0.75, 1].flatMap((share) => [svg("line", { x1: left, x2: right, y1: y(share), y2: y(share), class: "gridline" }), svg("text", { x: left - 6, y: y(share), class: "tick", "text-anchor": "end", "dominant-baseline": "middle" }, share)]),
      svg("line", { x1: left, x2: right, y1: y(recovered), y2: y(recovered), class: "unit" }), ...dots, ...low, svg("text", { x: (left + right) / 2, y: height - 8, class: "tick", "text-anchor": "middle" }, width < 420 ? "contents, oldest first; above the dashes: read" : "contents, oldest variable first; above the dashed line they count as read"));
    drawing.setAttribute("viewBox", `0 0 ${width} ${height}`);
    drawing.style.height = `${height}px`;
  };
  new ResizeObserver(draw).observe(holder);
  drawing.addEventListener("pointerover", (event) => { const said = event.target.dataset?.tip; if (said) showTip(event, said); });
  drawing.addEventListener("pointerout", hideTip);
  offerExport(byId("readings-caption"), "linear-reading", { svg: () => standalone(drawing), rows: () => [["variable", "component", "right"], ...members.map((slot, k) => [Math.floor(slot / d) + 1, slot % d + 1, scores[k]])] });
}
