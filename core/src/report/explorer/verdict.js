function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

function showVerdict({ data }) {
  const $ = (id) => document.getElementById(id), { verdict, meta } = data;
  $("kind").textContent = verdict.kind;
  $("kind").classList.add(verdict.kind);
  if (data.task?.gates) $("how-computed").textContent = "Each line says how the next output follows from past values of +1 and −1: a product, or a gate that takes +1 as true.";
  $("about").textContent = [meta.title, meta.task && `task ${meta.task}`, meta.made_of ?? `${meta.hidden} hidden units`, `${meta.s} ${meta.s === 1 ? "variable" : "variables"} of ${meta.d} ${meta.d === 1 ? "component" : "components"}`].filter(Boolean).join(" · ");
  $("sentence").textContent = verdict.sentence;
  $("definition").textContent = verdict.definition;
  $("state").textContent = verdict.state ?? "";
  const claim = ({ name, statement, holds, figure, detail }) => element("li", { class: holds ? "holds" : "fails", "data-claim": name },
    element("b", {}, holds ? "holds" : "fails"), element("span", {}, statement), element("span", { class: "figure" }, figure), element("small", {}, detail));
  const control = verdict.control && element("li", { class: "control" }, element("b", {}, "control"), element("span", {}, `${verdict.control}.`));
  $("claims").replaceChildren(...verdict.claims.map(claim), ...(control ? [control] : []));
  if (!data.network) $("claims-block").querySelector(".explain").textContent = "Each statement was measured on recorded episodes that the code was not fitted on, and could have failed. The control is the same procedure with the contents of other episodes.";
  $("claims-block").hidden = !verdict.claims.length;
  $("figures").replaceChildren(...verdict.figures.map(({ name, value, note }) =>
    element("div", {}, element("dt", {}, name), element("dd", {}, value), element("dd", {}, note))));
  if (verdict.recurrence) $("recurrence").textContent = verdict.recurrence.join("\n");
  else $("recurrence").textContent = "Cannot be told. See the doubts for the reason.";
  const doubts = verdict.warnings.map((text) => element("li", {}, text));
  $("warnings").replaceChildren(...(doubts.length ? doubts : [element("li", { class: "none" }, "None: every check passed.")]));
}

function showMade({ data }) {
  const row = ([name, value]) => element("tr", {}, element("th", { scope: "row" }, name), element("td", {}, value));
  document.getElementById("parameters").replaceChildren(...data.meta.made.filter(([name]) => !name.includes(".")).map(row));
  document.getElementById("numbers").replaceChildren(...data.meta.made.filter(([name]) => name.includes(".")).map(row));
  document.getElementById("citation").textContent = data.meta.citation;
  document.getElementById("bibtex").textContent = data.meta.bibtex;
}

function showContents() {
  const links = [...document.querySelectorAll("main section[data-title]")].map((section) => element("a", { href: `#${section.id}` }, section.dataset.title));
  document.getElementById("contents").replaceChildren(...links);
  const seen = new IntersectionObserver((entries) => entries.forEach(({ target, isIntersecting }) => {
    if (!isIntersecting) return;
    links.forEach((link) => link.toggleAttribute("aria-current", link.hash === `#${target.id}`));
  }), { rootMargin: "-30% 0px -60%" });
  document.querySelectorAll("main section").forEach((section) => seen.observe(section));
}
