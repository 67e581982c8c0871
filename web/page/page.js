// What a person does: drop networks, read them, edit, compare, make some, take the results home.

const by = (id) => document.getElementById(id);
const engine = new Engine();
const shelf = [];       // every network so far: { name, bytes }, and of those made here { told, files }
let addresses = [];     // of the files that can be downloaded now
// For tests, and for who looks under the bonnet: the last answer, and how long it took.
const state = (window.ketbra = { engine, shelf, answer: null, took: null, busy: false });

const number = (id) => { const text = by(id).value.trim(); return text === "" ? undefined : Number(text); };
const typed = (id) => by(id).value.trim() || undefined;
const known = () => ({ task: typed("task"), s: number("s"), activation: typed("activation"), blind: by("blind").checked });

function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

// Asks the engine, shows how far it is, and shows what went wrong in its words.
async function work(request, files, show) {
  if (state.busy) return;
  state.busy = true;
  for (const id of ["problem", "said", "files", "report"]) by(id).hidden = true;
  by("busy").hidden = false;
  by("progress").removeAttribute("value");
  by("stage").textContent = "starting …";
  by("busy").scrollIntoView({ block: "nearest" });
  document.querySelectorAll("form button.primary, #networks button, #ours button").forEach((button) => { button.disabled = true; });
  const began = performance.now();
  try {
    state.answer = null;
    const answer = await engine.ask(request, files, ({ share, stage }) => { by("progress").value = share; by("stage").textContent = `${stage} …`; });
    state.took = performance.now() - began;
    show(answer);
    state.answer = answer;
  } catch (error) {
    by("problem").textContent = error.message;
    by("problem").hidden = false;
    state.answer = { error: error.message };
  }
  by("busy").hidden = true;
  document.querySelectorAll("form button.primary, #networks button, #ours button").forEach((button) => { button.disabled = false; });
  state.busy = false;
}

function showResult(sentence, files, stem) {
  addresses.forEach((address) => URL.revokeObjectURL(address));
  addresses = [];
  const address = (file, type) => { const made = URL.createObjectURL(new Blob([file.bytes], { type })); addresses.push(made); return made; };
  by("said").textContent = sentence;
  const links = files.map((file) => {
    const type = file.name.endsWith(".html") ? "text/html" : file.name.endsWith(".json") ? "application/json" : "application/octet-stream";
    return element("a", { href: address(file, type), download: file.whole ?? `${stem}.${file.name}`, textContent: file.name });
  });
  by("files").replaceChildren(element("span", { textContent: "Download:" }), ...links);
  by("said").hidden = by("files").hidden = false;
  const page = files.find((file) => file.name === "report.html");
  by("report").hidden = !page;
  if (page) {
    by("report").src = address(page, "text/html");
    by("files").append(element("a", { href: by("report").src, target: "_blank", textContent: "open the page in a tab of its own" }));
  }
  by("result").scrollIntoView({ block: "start" });
}

const stem = (name) => name.replace(/\.[^.]*$/, "");

function put(name, bytes, made = {}) {
  const taken = (name) => shelf.some((network) => network.name === name);
  let free = name;
  for (let k = 2; taken(free); k++) free = name.replace(/(\.[^.]*)?$/, `-${k}$1`);
  const network = { name: free, bytes, ...made };
  shelf.push(network);
  by("shelf").hidden = false;
  document.querySelectorAll("select.one").forEach((select, k) => {
    select.append(element("option", { value: String(shelf.length - 1), textContent: free }));
    // The two of a comparison differ, where there are two.
    select.value = String(k === 2 ? Math.max(0, shelf.length - 2) : shelf.length - 1);
  });
  by("networks").append(element("button", { type: "button", textContent: free, title: "Read it", onclick: () => read(network) }));
  return network;
}

function read(network) {
  [...by("networks").children].forEach((button, k) => button.toggleAttribute("aria-current", shelf[k] === network));
  return work({ verb: "interpret", ...known() }, [network], ({ json, files }) => {
    const home = [...files, ...(network.files ?? [{ name: "the network", whole: network.name, bytes: network.bytes }])];
    showResult(`${network.told ?? network.name}: ${json.verdict}`, home, stem(network.name));
  });
}

function compare(left, right) {
  return work({ verb: "compare", s: number("s"), activation: typed("activation") }, [left, right], ({ json, files }) => {
    showResult(`${left.name} and ${right.name}: ${json.pairs[0].verdict}`, files, `${stem(left.name)}-and-${stem(right.name)}`);
  });
}

async function dropped(files) {
  const put_all = [];
  for (const file of files) put_all.push(put(file.name, new Uint8Array(await file.arrayBuffer())));
  if (put_all.length === 1) return read(put_all[0]);
  if (put_all.length === 2) return compare(...put_all);
}

function prepare() {
  const zone = by("drop");
  by("pick").onchange = () => { dropped([...by("pick").files]); by("pick").value = ""; };
  // The whole page takes drops: one that misses the zone must not replace the page by the file.
  addEventListener("dragover", (event) => { event.preventDefault(); zone.classList.add("over"); });
  addEventListener("dragleave", () => zone.classList.remove("over"));
  addEventListener("drop", (event) => { event.preventDefault(); zone.classList.remove("over"); dropped([...event.dataTransfer.files]); });
  by("stop").onclick = () => engine.stop();

  const chosen = (form) => [...form.querySelectorAll("select.one")].map((select) => shelf[Number(select.value)]);
  const examples = { to: "T3", set: "u1 = -u3[t-2]", negate: "4" };
  by("how").onchange = () => { by("change").placeholder = examples[by("how").value]; };
  by("edit").onsubmit = async (event) => {
    event.preventDefault();
    const [network] = chosen(by("edit")), how = by("how").value, change = by("change").value.trim();
    let edited;
    await work({ verb: "edit", ...known(), change: { [how]: how === "negate" ? Number(change) : change } }, [network], ({ json, files }) => {
      const told = `${json.from} -> ${json.to}, accuracy ${json.accuracy.from_inputs.toFixed(4)}`;
      const summary = { name: "edit.json", bytes: new TextEncoder().encode(JSON.stringify(json, null, 2)) };
      edited = put(`${stem(network.name)}-edited.safetensors`, files[0].bytes, { told, files: [...files, summary] });
    });
    if (edited) await read(edited);
  };
  by("compare").onsubmit = (event) => { event.preventDefault(); compare(...chosen(by("compare"))); };
  by("compile").onsubmit = async (event) => {
    event.preventDefault();
    const request = { verb: "compile", task: typed("make-task"), s: number("make-s"), d: number("make-d"), hidden: number("make-hidden"), cell: by("make-cell").value };
    let made;
    await work(request, [], ({ json, files }) => {
      const told = `${json.task}, ${json.hidden} units, made and not trained`;
      made = put(`${json.task}-${json.hidden}-${request.cell}.safetensors`.replace(/[^\w.-]+/g, "_"), files[0].bytes, { told, files });
    });
    if (made) await read(made);
  };

  for (const [name, title, packed] of JSON.parse(inside("built-in"))) {
    const open = async () => { const there = shelf.find((network) => network.name === name); read(there ?? put(name, new Uint8Array(await unzipped(packed)))); };
    by("ours").append(element("button", { type: "button", className: "quiet", textContent: title, onclick: open }));
  }

  const root = document.documentElement;
  root.dataset.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  by("theme").onclick = () => { root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark"; };
}

prepare();
