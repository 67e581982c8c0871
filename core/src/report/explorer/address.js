// What I see is in the address: input, step, edit and view, so that a link shows the same to somebody else.

const bitsOf = (inputs) => { const bits = inputs.flatMap((u) => [...u].map((x) => (x > 0 ? 1 : 0))), digits = []; for (let k = 0; k < bits.length; k += 4) digits.push(parseInt(bits.slice(k, k + 4).join("").padEnd(4, "0"), 2).toString(16)); return digits.join(""); };
const inputsOf = (text, s, d) => { const bits = [...text].flatMap((digit) => [...parseInt(digit, 16).toString(2).padStart(4, "0")]); return Array.from({ length: s }, (_, t) => Float64Array.from({ length: d }, (_, j) => (bits[t * d + j] === "1" ? 1 : -1))); };
const ruleText = (sources) => sources.map(({ lag, component, sign }) => `${sign < 0 ? "-" : ""}${component + 1}.${lag}`).join("_");
function ruleOf(text, s, d) {
  const sources = text.split("_").map((part) => { const [, minus, component, lag] = part.match(/^(-?)(\d+)\.(\d+)$/) ?? []; return { lag: Number(lag), component: Number(component) - 1, sign: minus ? -1 : 1 }; });
  return sources.length === d && sources.every(({ lag, component }) => lag >= 1 && lag <= s && component >= 0 && component < d) ? sources : null;
}

async function startAddress(explorer, editor, weights) {
  const { s, d } = explorer;
  let section = null, touched = false, waiting = null;
  const write = () => {
    const parts = { t: player.step };
    if (explorer.trained) parts.u = bitsOf(explorer.inputs); else parts.episode = explorer.episode + 1;
    if (explorer.rewired) { parts.f = ruleText(explorer.rewired.sources); if (!explorer.edited) parts.shown = "trained"; }
    if (weights) { parts.view = weights.view; if (weights.share) parts.turn = Math.round(100 * weights.share); }
    if (section) parts.at = section;
    try { history.replaceState(null, "", `#${new URLSearchParams(parts)}`); } catch { /* a page in a frame has no address of its own */ }
  };
  // Not before a person does something, and not at every frame.
  const later = () => { if (touched && !player.playing) { clearTimeout(waiting); waiting = setTimeout(write, 150); } };
  const restore = async () => {
    const wanted = new URLSearchParams(location.hash.slice(1));
    if (![...wanted.keys()].length) return false;
    touched = true;
    if (wanted.has("u") && explorer.trained && /^[0-9a-f]+$/.test(wanted.get("u"))) { explorer.present(inputsOf(wanted.get("u"), s, d)); explorer.recompute(); }
    if (wanted.has("episode") && !explorer.trained) explorer.choose?.(Number(wanted.get("episode")) - 1);
    const rule = editor && wanted.has("f") && ruleOf(wanted.get("f"), s, d);
    if (rule) { await editor.set(rule); if (wanted.get("shown") === "trained") explorer.use("trained"); }
    if (weights && wanted.has("view")) weights.restore(Math.max(0, Math.min(1, Number(wanted.get("turn") ?? 0) / 100 || 0)), wanted.get("view"));
    if (wanted.has("t")) player.seek(Number(wanted.get("t")) || 0);
    if (wanted.has("at")) { section = wanted.get("at"); byId(section)?.scrollIntoView(); }
    return true;
  };
  for (const kind of ["pointerup", "keyup", "change", "input"]) document.addEventListener(kind, () => { touched = true; later(); });
  player.onTime(later);
  player.onRun(later);
  window.addEventListener("hashchange", restore);
  window.ketbra.address = { at: (id) => { section = id; touched = true; later(); }, write };
  return restore();
}
