// The order in which a page comes to life: first what is on the first screen, then the rest.

async function start(data) {
  startTheme(() => { redrawAll(); player.ran(); });
  const explorer = makeExplorer(data), mark = startTerms(data.glossary);
  window.ketbra = { explorer, player, edit, simulate, continued, links, exported };
  const editor = startRewire(explorer), editable = editor && editableWires((output, source) => editor.change(output, source));
  window.ketbra.editor = editor;
  showStory(explorer);
  startPlayer(explorer);
  window.ketbra.wheels = [startHero(explorer, editable)];
  startInput(explorer);
  showContents();
  explorer.recompute();
  mark(byId("story"));
  const still = location.hash.length > 1 || calm();
  if (still) player.seek(explorer.s + explorer.horizon);
  await painted();
  window.ketbra.readyAt = performance.now();
  if (!still) player.playOnce();
  startOutputs(explorer);
  showRule(explorer);
  if (editor) { startEditList(explorer, editor); window.ketbra.wheels.push(new Wheel(byId("edit-wheel"), explorer, { radius: 172, wire: editable })); }
  player.ran();
  await painted();
  showClaims(explorer);
  const weights = showWeights(explorer);
  await painted();
  showSharing(explorer);
  startSpectra(explorer);
  startStates(explorer);
  showHolds(explorer);
  startGates(explorer);
  startTraining(explorer);
  showMade(explorer);
  showContents();
  player.ran();
  mark();
  window.ketbra.weights = weights;
  await startAddress(explorer, editor, weights);
  window.ketbra.completeAt = performance.now();
}
