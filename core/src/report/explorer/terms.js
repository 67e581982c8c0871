// Words of ours get a dotted underline and their definition, once in every paragraph, from one glossary.

// Says something in a place and marks its words; nothing where it says that already.
let markIn = () => {};
const sayIn = (place, text) => { if (place.textContent !== text) { place.textContent = text; markIn(place); } };

function startTerms(glossary) {
  const meanings = new Map(glossary.flatMap((term) => term.forms.map((form) => [form, term])));
  const forms = [...meanings.keys()].sort((a, b) => b.length - a.length).map((form) => form.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const found = new RegExp(`(?<![\\p{L}\\p{N}_=\\-])(${forms.join("|")})(?![\\p{L}\\p{N}_=\\-])`, "giu");
  const mark = (block) => {
    const seen = new Set([...block.querySelectorAll(".term")].map((term) => term.dataset.term)), walker = document.createTreeWalker(block, NodeFilter.SHOW_TEXT), texts = [];
    while (walker.nextNode()) if (!walker.currentNode.parentElement.closest(".term, button, a, pre, svg, select, textarea")) texts.push(walker.currentNode);
    for (const text of texts) {
      const parts = [];
      let from = 0;
      for (const match of text.data.matchAll(found)) {
        const term = meanings.get(match[0].toLowerCase());
        // The letter f is a word of ours in lower case only.
        if (!term || seen.has(term.name) || match[0] === "F") continue;
        seen.add(term.name);
        parts.push(text.data.slice(from, match.index), element("span", { class: "term", tabindex: 0, "data-term": term.name, "aria-description": term.means }, match[0]));
        from = match.index + match[0].length;
      }
      if (parts.length) text.replaceWith(...parts, text.data.slice(from));
    }
  };
  markIn = mark;
  const tell = (event) => {
    const noted = event.target.closest?.("[data-note]");
    if (noted) return showTip(event, noted.dataset.note);
    const term = event.target.closest?.(".term"), known = term && glossary.find(({ name }) => name === term.dataset.term);
    if (known) showTip(event, `${known.name[0].toUpperCase()}${known.name.slice(1)}: ${known.means}`);
  };
  for (const kind of ["pointerover", "focusin", "click"]) document.addEventListener(kind, tell);
  for (const kind of ["pointerout", "focusout"]) document.addEventListener(kind, (event) => { if (event.target.closest?.(".term, [data-note]")) hideTip(); });
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") hideTip(); });
  return (root = document) => root.querySelectorAll("[data-terms], .explain, .note, .claims span, .claims small, .warnings li, h1, #task").forEach(mark);
}
