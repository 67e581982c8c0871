const spectrumTitle = (place, plain, inMemories) => (place === "orbit" && inMemories ? "Between the memories (what is read from the states, noise taken off)" : place === "orbit" ? "On the orbit (where the network really runs)" : `At the origin (${plain ? "the weights themselves" : "the derivative of a step at the zero state"})`);

function spectrumNote(spectrum) {
  const { found, expected, error, threshold } = spectrum;
  const kept = `${found} eigenvalues with modulus above ${threshold}`;
  if (expected == null) return `${kept}; no task is known to compare with.`;
  if (error == null) return `${kept}, theory asks for ${expected}: the counts differ, so the error of the angles is indeterminate.`;
  return `${kept}, as theory asks; angles agree to ${error.toExponential(1)} rad on average.`;
}

// `conjugates` names what a complex eigenvalue brings with it, where it is not in the list.
function drawSpectrum(target, spectrum, theory, name = "learned", conjugates = null) {
  const turn = Array.from({ length: 181 }, (_, k) => 2 * Math.PI * k / 180);
  const point = ([re, im]) => `${re.toFixed(3)} ${im < 0 ? "−" : "+"} ${Math.abs(im).toFixed(3)}i<br>modulus ${Math.hypot(re, im).toFixed(4)}, angle ${Math.atan2(im, re).toFixed(4)} rad`;
  const scatter = (values, name, marker) => ({ type: "scatter", mode: "markers", name, marker, x: values.map((z) => z[0]), y: values.map((z) => z[1]), text: values.map(point), hovertemplate: `${name}<br>%{text}<extra></extra>` });
  const traces = [
    { type: "scatter", mode: "lines", x: turn.map(Math.cos), y: turn.map(Math.sin), line: { dash: "dash", width: 1, color: palette.soft }, hoverinfo: "skip", showlegend: false },
    scatter(spectrum.eigenvalues, name, { symbol: "circle", size: 9, color: palette.plus, opacity: 0.75 }),
  ];
  if (conjugates) traces.push(scatter(spectrum.eigenvalues.map(([re, im]) => [re, -im]), conjugates, { symbol: "circle-open", size: 9, color: palette.plus, opacity: 0.75 }));
  if (theory) traces.push(scatter(theory, "theory", { symbol: "x-thin", size: 10, line: { width: 1.8, color: palette.mark } }));
  const crowded = spectrum.directions.length > (target.clientWidth > 420 ? 36 : 16);
  const counts = crowded ? [] : spectrum.directions.map(({ angle, found, expected }) => ({
    x: 1.3 * Math.cos(angle), y: 1.3 * Math.sin(angle), text: found === expected ? `${found}` : `${found}/${expected}`, showarrow: false, borderwidth: 1, borderpad: 2,
    bordercolor: found === expected ? palette.soft : palette.bad, bgcolor: palette.card, font: { size: 11, color: found === expected ? palette.ink : palette.bad },
  }));
  const furthest = Math.max(1.48, ...spectrum.eigenvalues.map((z) => 1.08 * Math.max(Math.abs(z[0]), Math.abs(z[1]))));
  const axis = (title) => ({ title: { text: title, standoff: 6 }, range: [-furthest, furthest], zeroline: true, zerolinecolor: palette.line, gridcolor: palette.line, dtick: 0.5, fixedrange: false });
  return Plotly.react(target, traces, {
    ...plotLayout(), annotations: counts, xaxis: axis("real part"), yaxis: { ...axis("imaginary part"), scaleanchor: "x" }, margin: { l: 52, r: 8, t: 8, b: 44 },
    legend: { orientation: "h", x: 0, y: 1.06, bgcolor: "rgba(0,0,0,0)" },
  }, PLOT_CONFIG);
}

const PLOT_CONFIG = { displaylogo: false, responsive: true, modeBarButtonsToRemove: ["select2d", "lasso2d", "autoScale2d"], displayModeBar: false };

function plotLayout() {
  return { paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", font: { family: "system-ui, sans-serif", size: 13, color: palette.ink }, hoverlabel: { bgcolor: palette.ink, font: { color: palette.paper } } };
}

function prepareSpectra({ data, plain }) {
  const places = ["orbit", "origin"].filter((place) => data.spectra[place]);
  const holder = document.getElementById("spectra");
  holder.classList.toggle("single", places.length === 1);
  const plots = places.map((place) => {
    const plot = element("div", { class: "spectrum-plot", role: "img", "aria-label": `${spectrumTitle(place, plain, data.spectra.in_memories)}: ${spectrumNote(data.spectra[place])}` });
    holder.append(element("figure", {}, element("figcaption", {}, element("b", {}, spectrumTitle(place, plain, data.spectra.in_memories))), plot, element("p", { class: "note" }, spectrumNote(data.spectra[place]))));
    return [plot, data.spectra[place]];
  });
  return () => plots.forEach(([plot, spectrum]) => drawSpectrum(plot, spectrum, data.spectra.theory));
}
