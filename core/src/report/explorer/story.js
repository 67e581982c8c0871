// The first screen: one sentence, the task, the wheel, and two ways on.

function showStory(explorer) {
  const { data } = explorer, { verdict, meta, story } = data, edited = data.edit && data.task?.sources && explorer.trained;
  byId("kind").textContent = verdict.kind;
  byId("kind").classList.add(verdict.kind);
  const about = (edited) => [meta.title, meta.task && (edited ? `was task ${meta.task}` : `task ${meta.task}`), meta.made_of ?? `${meta.hidden} hidden units`, `${meta.s} ${meta.s === 1 ? "variable" : "variables"} of ${meta.d} ${meta.d === 1 ? "component" : "components"}`].filter(Boolean).join(" · ");
  // One line of figures, each with what it means.
  byId("figures").replaceChildren(...verdict.figures.map(({ name, value, note }) => element("span", { class: "noted", tabindex: 0, "data-note": `${name}: ${note}.`, "data-figure": name }, `${name[0].toLowerCase()}${name.slice(1)} `, element("b", {}, value))));
  byId("go-edit").hidden = !edited;
  byId("go-try").textContent = explorer.trained ? "Try your own input" : "See other episodes";
  for (const [id, section, focus] of [["go-try", "try", explorer.trained ? "#bits button" : "#try select"], ["go-edit", "edit", "#wires button"]]) byId(id).addEventListener("click", () => { goTo(section); document.querySelector(focus)?.focus({ preventScroll: true }); });
  const say = () => {
    const { rewired } = explorer;
    byId("sentence").textContent = explorer.edited ? `You edited this network: ${changedLines(explorer)} ${changedLines(explorer) === 1 ? "line of its rule is" : "lines of its rule are"} new, and on random inputs it gets ${cutPercent(rewired.accuracy)} % of the signs of the new rule right.` : story.headline;
    byId("kind").textContent = explorer.edited ? "edited" : verdict.kind;
    byId("kind").dataset.note = explorer.edited ? "The weights were rewritten on this page; nobody has tested the claims on them. Download the network and interpret it to do so." : verdict.definition;
    byId("task").textContent = explorer.edited ? `${story.task.split(":")[0]}: ${newRule(explorer)}.` : story.task;
    byId("about").textContent = about(explorer.edited);
    byId("about-figures").hidden = !explorer.edited;
  };
  explorer.onUse(say);
  say();
}

// What the rule of an edit is in words, as the library says it of a task.
function newRule({ sources, d }) {
  const back = Math.max(...sources.map(({ lag }) => lag)), flipped = sources.filter(({ sign }) => sign < 0).length;
  return `by the new rule each next bit copies an earlier one, ${back === 1 ? "one step before" : `up to ${back} steps before`}${flipped ? `, ${flipped} of ${d} with the sign flipped` : ""}`;
}

const cutPercent = (share) => Math.floor(1e4 * share + 1e-9) / 100;
const changedLines = ({ rewired, data }) => rewired.sources.filter((source, j) => !sameWire(source, data.task.sources[j])).length;

function startHero(explorer, editable) {
  const holder = byId("hero-wheel"), wheel = new Wheel(holder, explorer, { wire: editable });
  offerExport(byId("hero-caption"), "run", wheel);
  // Without a wheel there is no corner for the menu to lie in.
  byId("hero-caption").classList.toggle("below", Boolean(explorer.memories));
  const note = [];
  if (explorer.memories) {
    note.push("The wheel is what it remembers, read from its state: a sector for each variable (the newest on top), a ring for each component; red is +1, blue is −1. Each step turns it on by one place, and the rule f writes the newest sector; a dashed curve flips the sign.");
    if (explorer.memories.members.length < explorer.s * explorer.d) note.push("Empty cells are not kept: nothing will ever read them.");
    if (explorer.weak.size) note.push(explorer.weak.size === 1 ? "The cell with a cross cannot be read reliably." : `${explorer.weak.size} cells with a cross cannot be read reliably.`);
    const { input_read: early, recovered, rolled } = explorer.memories;
    if (rolled) note.push("What the wheel shows is what the network will say, for the state has no direction for every content.");
    else if (early != null && early < recovered) note.push("While the input comes in, its code is still another one, and what is read then is rough.");
  } else note.push(explorer.data.memories_missing ?? "");
  byId("hero-note").textContent = note.join(" ");
  return wheel;
}
