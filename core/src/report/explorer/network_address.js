// The address of one network's page: input, step, edit and view.

const ruleText = (sources) => sources.map(({ lag, component, sign }) => `${sign < 0 ? "-" : ""}${component + 1}.${lag}`).join("_");
function ruleOf(text, s, d) {
  const sources = text.split("_").map((part) => { const [, minus, component, lag] = part.match(/^(-?)(\d+)\.(\d+)$/) ?? []; return { lag: Number(lag), component: Number(component) - 1, sign: minus ? -1 : 1 }; });
  return sources.length === d && sources.every(({ lag, component }) => lag >= 1 && lag <= s && component >= 0 && component < d) ? sources : null;
}


async function startAddress(explorer, editor, weights) {
  const { s, d } = explorer;
  const said = () => ({
    ...(explorer.trained ? seenNow(explorer) : { t: player.step, episode: explorer.episode + 1 }),
    ...(explorer.rewired ? { f: ruleText(explorer.rewired.sources), ...(explorer.edited ? {} : { shown: "trained" }) } : {}),
    ...(weights ? { view: weights.view, ...(weights.share ? { turn: Math.round(100 * weights.share) } : {}) } : {}),
  });
  const restore = async (wanted) => {
    const inputs = explorer.trained && wantedInputs(wanted, explorer);
    if (inputs) { explorer.present(inputs); explorer.recompute(); }
    if (wanted.has("episode") && !explorer.trained) explorer.choose?.(Number(wanted.get("episode")) - 1);
    const rule = editor && wanted.has("f") && ruleOf(wanted.get("f"), s, d);
    if (rule) { await editor.set(rule); if (wanted.get("shown") === "trained") explorer.use("trained"); }
    if (weights && wanted.has("view")) weights.restore(Math.max(0, Math.min(1, Number(wanted.get("turn") ?? 0) / 100 || 0)), wanted.get("view"));
    if (wanted.has("t")) player.seek(Number(wanted.get("t")) || 0);
  };
  const followed = await keepAddress({ said, restore, still: () => player.playing });
  keepTime(window.ketbra.address);
  return followed;
}
