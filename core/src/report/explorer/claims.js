// What is claimed and how we know, what speaks against it, and how the page was made.

function showClaims({ data }) {
  const { verdict } = data, failed = verdict.claims.filter(({ holds }) => !holds).length, all = verdict.claims.length;
  const claim = ({ name, statement, holds, figure, detail }) => element("li", { class: holds ? "holds" : "fails", "data-claim": name },
    element("b", {}, holds ? "holds" : "fails"), element("span", {}, statement), element("span", { class: "figure" }, figure), element("small", {}, detail));
  const control = verdict.control && element("li", { class: "control" }, element("b", {}, "control"), element("span", {}, capital(verdict.control)));
  byId("claims-heading").textContent = !all ? "How we know" : all === 1 ? `How we know: the one claim ${failed ? "fails" : "holds"}` : failed === all ? `How we know: all ${all} claims fail` : failed ? `How we know: ${failed} of ${all} claims ${failed === 1 ? "fails" : "fail"}` : `How we know: all ${all} claims hold`;
  byId("claims").replaceChildren(...verdict.claims.map(claim), ...(control ? [control] : []));
  byId("claims").hidden = !all && !control;
  if (!data.network) document.querySelector("#how .explain").textContent = "Each statement was measured on recorded episodes that the code was not fitted on, and could have failed. The control is the same procedure with the contents of other episodes.";
  byId("definition").textContent = `Verdict ${verdict.kind}: ${verdict.definition}`;
  byId("driven").textContent = verdict.stimulus ?? "";
  byId("state").textContent = verdict.state ?? "";
  const doubts = verdict.warnings.map((text) => element("li", {}, text)), sound = all > 0 && !failed;
  const none = !all ? "No claim could be made." : failed ? `None beside the ${failed === 1 ? "claim that fails" : `${failed} claims that fail`}, above.` : "None: every check passed.";
  byId("warnings").replaceChildren(...(doubts.length ? doubts : [element("li", sound ? { class: "none" } : {}, none)]));
}

function showMade({ data }) {
  const row = ([name, value]) => element("tr", {}, element("th", { scope: "row" }, name), element("td", {}, value)), { made, citation, bibtex } = data.meta;
  byId("parameters").replaceChildren(...made.filter(([name]) => !name.includes(".")).map(row));
  byId("numbers").replaceChildren(...made.filter(([name]) => name.includes(".")).map(row));
  byId("citation").textContent = citation;
  byId("bibtex").textContent = bibtex;
  const { commands } = data, tools = byId("copy-tools");
  if (commands) tools.append(copyButton("Copy the command", commands.shell), ...(commands.python ? [copyButton("Copy the Python lines", commands.python)] : []));
  tools.append(copyButton("Copy a link to this view", () => { window.ketbra.address?.write(); return location.href; }), copyButton("Copy the citation", bibtex));
}
