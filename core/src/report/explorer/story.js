// The first screen: one sentence, the task, the wheel, and two ways on.

function showStory(explorer) {
  const { data } = explorer, { verdict, meta, story } = data, edited = data.edit && data.task?.sources && explorer.trained;
  byId("kind").textContent = verdict.kind;
  byId("kind").classList.add(verdict.kind);
  const about = (edited) => [meta.title, meta.task && (edited ? `was task ${meta.task}` : `task ${meta.task}`), meta.made_of ?? `${meta.hidden} hidden units`].filter(Boolean).join(" · ");
  // One line of figures, each with what it means.
  byId("figures").replaceChildren(...verdict.figures.map(({ name, value, note }) => element("span", { class: "noted", tabindex: 0, "data-note": `${name}: ${note}.`, "data-figure": name }, `${name[0].toLowerCase()}${name.slice(1)} `, element("b", {}, value))));
  byId("stimulus").textContent = verdict.stimulus ?? "";
  byId("go-edit").hidden = !edited;
  byId("go-try").textContent = explorer.trained ? "Try your own input" : "See other episodes";
  for (const [id, section, focus] of [["go-try", "try", explorer.trained ? "#bits button" : "#try select"], ["go-edit", "edit", "#wires button"]]) byId(id).addEventListener("click", () => { goTo(section); document.querySelector(focus)?.focus({ preventScroll: true }); });
  const say = () => {
    const { rewired } = explorer;
    sayIn(byId("sentence"), explorer.edited ? `You edited this network: ${changedLines(explorer)} ${changedLines(explorer) === 1 ? "line of its rule is" : "lines of its rule are"} new, and on random inputs it gets ${percent(rewired.accuracy)} % of the signs of the new rule right.` : story.headline);
    byId("kind").textContent = explorer.edited ? "edited" : verdict.kind;
    byId("kind").dataset.note = explorer.edited ? "The weights were rewritten on this page; nobody has tested the claims on them. Download the network and interpret it to do so." : verdict.definition;
    sayIn(byId("task"), explorer.edited ? `${story.shown}: ${newRule(explorer)}.` : story.task);
    byId("about").textContent = about(explorer.edited);
    byId("about-figures").hidden = !explorer.edited;
  };
  explorer.onUse(say);
  say();
}

// What the rule of an edit is in words, as the library says it of a task.
function newRule({ sources, d }) {
  const back = Math.max(...sources.map(({ lag }) => lag)), flipped = sources.filter(({ sign }) => sign < 0).length;
  return `by the new rule each next bit is a copy of an earlier one, ${back === 1 ? "one step before" : `up to ${back} steps before`}${flipped ? `, ${flipped} of ${d} with the sign flipped` : ""}`;
}

// As the library says it: only what is always right is 100 %.
const percent = (share) => (share < 1 ? Math.min(99.99, Math.round(1e4 * share) / 100) : 100);
const changedLines = ({ rewired, data }) => rewired.sources.filter((source, j) => !sameWire(source, data.task.sources[j])).length;

function startHero(explorer, editable) {
  const holder = byId("hero-wheel"), wheel = new Wheel(holder, explorer, { wire: editable });
  offerExport(byId("hero-caption"), "run", wheel);
  // Without a wheel there is no corner for the menu to lie in.
  byId("hero-caption").classList.toggle("below", Boolean(explorer.memories));
  const note = [];
  if (explorer.memories) {
    const { s, wires } = explorer, dashed = editable || wires.some(({ sign }) => sign < 0);
    note.push(`The wheel is what it remembers, read from its state: ${s > 1 ? "a sector for each variable (the newest on top), " : ""}a ring for each component; red is +1, blue is −1.`);
    note.push(`${s > 1 ? "Each step turns it on by one place, and the rule f writes the newest sector" : "At each step the rule f writes it anew"}${dashed ? "; a dashed curve flips the sign" : ""}.`);
    if (explorer.memories.members.length < explorer.s * explorer.d) note.push("Empty cells are not kept: nothing will ever read them.");
    if (explorer.weak.size) note.push(explorer.weak.size === 1 ? "The cell with a cross cannot be read reliably." : `${explorer.weak.size} cells with a cross cannot be read reliably.`);
    const { input_read: early, recovered, rolled } = explorer.memories;
    if (rolled) note.push("What the wheel shows is what the network will say: the state has fewer directions than contents.");
    else if (early != null && early < recovered) note.push("While the input comes in, the network still uses another code, so what the wheel shows then is rough.");
  } else note.push(explorer.data.memories_missing ?? "");
  byId("hero-note").textContent = note.join(" ");
  return wheel;
}
