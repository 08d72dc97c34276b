// The page: the form of a panel, its state in the address, and its answer. See panels.js for what is asked.
import { $, ask, copy, draw, make, Problem, save, table, undraw } from "/parts.js";
import { Hint, PANELS } from "/panels.js";
import { fileAddress, filePanel, leaveFile } from "/file.js";

const LONGEST = 4000; // characters of a value that still go into the address
const PAUSE = 12; // milliseconds without a key before a question is asked
let panel = "score";
let values = {};
let bursting = false; // whether the present entry of the history is still being typed
let waiting = 0;
let asking = null;

const fields = () => PANELS[panel].fields.flatMap((x) => x.fields ?? [x]);
const defaults = () => Object.fromEntries(fields().map((x) => [x.name, x.value]));

// -- the address

function address() {
  const usual = defaults();
  const query = new URLSearchParams({ panel });
  if (panel === "file") fileAddress(query);
  for (const [name, value] of Object.entries(values)) {
    if (value !== usual[name] && value.length <= LONGEST) query.set(name, value);
  }
  return `/?${query}`;
}

function remember(again) {
  const long = Object.values(values).some((x) => x.length > LONGEST);
  $("about").textContent = long ? "What you pasted is too long for the address: a link to this page will not hold it." : PANELS[panel].about;
  const now = address();
  if (now === location.pathname + location.search) return;
  if (again) history.replaceState(null, "", now);
  else history.pushState(null, "", now);
}

function restore() {
  const query = new URLSearchParams(location.search);
  const asked = query.get("panel");
  panel = Object.hasOwn(PANELS, asked ?? "") ? asked : "score";
  values = defaults();
  for (const name of Object.keys(values)) if (query.has(name)) values[name] = query.get(name);
  bursting = false;
  showForm();
  update();
}

// -- the form

function showForm() {
  const own = PANELS[panel];
  document.title = `${own.title} · howsure`;
  $("asked").textContent = own.title;
  $("about").textContent = own.about;
  for (const link of $("tabs").querySelectorAll("a")) {
    if (link.dataset.panel === panel) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  asking?.abort(); // an answer to another panel would land in this one
  leaveFile();
  clear();
  if (panel === "file") filePanel($("fields"), { clear, fail, remember: () => remember(false), show, showCharts });
  else $("fields").replaceChildren(...arranged(own.fields));
  arrange();
}

// What is seldom changed is folded away, unless it was changed.
function arranged(all) {
  const often = all.filter((f) => !f.seldom).map(field);
  const seldom = all.filter((f) => f.seldom);
  if (!seldom.length) return often;
  const open = seldom.some((f) => values[f.name] !== f.value);
  return [...often, make("details", { id: "seldom", open }, make("summary", {}, "Level, prior and interval"), ...seldom.map(field))];
}

function field(f) {
  const shown = make("div", { className: "field" });
  shown.declared = f;
  const id = `f-${f.name}`;
  const hint = f.hint ? make("span", { className: "hint", id: `${id}-hint` }, f.hint) : null;
  const told = hint ? { "aria-describedby": `${id}-hint` } : {};
  if (f.kind === "cells") {
    const each = f.fields.map((x) => make("div", {}, make("label", { htmlFor: `f-${x.name}` }, x.label), input(x, { inputMode: "numeric" })));
    shown.append(make("fieldset", {}, make("legend", {}, f.legend), make("div", { className: "cells" }, ...each)));
  } else if (f.kind === "choice") {
    const each = f.options.map(([value, text]) => make("label", {}, make("input", {
      type: "radio", name: f.name, value, checked: values[f.name] === value, onchange: () => typed(f.name, value, true),
    }), text));
    shown.append(make("fieldset", {}, make("legend", {}, f.label), make("div", { className: "choices" }, ...each)));
  } else if (f.kind === "check") {
    shown.append(make("label", {}, make("input", { type: "checkbox", id, checked: values[f.name] === "1", onchange: (e) => typed(f.name, e.target.checked ? "1" : "", true) }), f.label));
  } else {
    const output = f.kind === "range" ? make("output", { id: `${id}-out`, htmlFor: id }, values[f.name]) : null;
    shown.append(make("label", { htmlFor: id }, f.label, output ? " " : null, output), control(f, id, told), ...(hint ? [hint] : []));
  }
  return shown;
}

function control(f, id, told) {
  if (f.kind === "select") {
    const each = f.options.map(([value, text]) => make("option", { value, selected: values[f.name] === value }, text));
    return make("select", { id, ...told, onchange: (e) => typed(f.name, e.target.value, true) }, ...each);
  }
  if (f.kind === "area") {
    const area = make("textarea", { id, spellcheck: false, value: values[f.name], ...told, oninput: (e) => typed(f.name, e.target.value), onchange: settled });
    if (f.drop) dropped(area, f.name);
    return area;
  }
  if (f.kind === "range") {
    const [min, max, step] = f.range(values);
    return make("input", { type: "range", id, min, max, step, value: values[f.name], ...told, oninput: (e) => typed(f.name, e.target.value), onchange: settled });
  }
  return input(f, { inputMode: f.mode ?? "text", ...told });
}

function input(f, told) {
  const list = f.list ? { list: f.list } : {};
  return make("input", { type: "text", id: `f-${f.name}`, value: values[f.name], spellcheck: false, autocapitalize: "off", ...list, ...told, oninput: (e) => typed(f.name, e.target.value), onchange: settled });
}

function dropped(area, name) {
  area.addEventListener("dragover", (e) => e.preventDefault());
  area.addEventListener("drop", async (e) => {
    const file = e.dataTransfer.files[0];
    if (!file) return;
    e.preventDefault();
    if (file.size > 800000) { fail(new Problem("This file is too large to be pasted: use the panel “A file”, or howsure curve.")); return; }
    area.value = await file.text();
    typed(name, area.value, true);
  });
}

function arrange() {
  for (const shown of $("fields").querySelectorAll(".field")) {
    const f = shown.declared;
    if (!f) continue;
    shown.hidden = f.when !== undefined && !f.when(values);
    if (f.kind !== "range" || shown.hidden) continue;
    const slider = shown.querySelector("input");
    [slider.min, slider.max, slider.step] = f.range(values);
    slider.value = values[f.name];
    $(`${slider.id}-out`).textContent = values[f.name];
  }
  const folded = $("seldom");
  if (folded) folded.hidden = [...folded.querySelectorAll(".field")].every((x) => x.hidden);
}

function typed(name, value, whole = false) {
  values[name] = value;
  remember(bursting);
  bursting = !whole;
  arrange();
  update();
}

function settled() { bursting = false; }

// -- the answer

function clear() {
  for (const id of ["finding", "problem", "charts", "numbers", "notes", "more", "export", "elsewhere"]) $(id).replaceChildren();
  $("lines").hidden = true;
  $("answer").classList.remove("stale");
  undraw();
}

function update() {
  clearTimeout(waiting);
  if (panel === "file") return;
  waiting = setTimeout(answer, PAUSE);
}

// Words come first; charts take longer, and follow.
async function answer() {
  asking?.abort();
  asking = new AbortController();
  const { signal } = asking;
  $("answer").classList.add("stale");
  try {
    const asked = PANELS[panel].ask(values);
    const [verb, body] = asked[0];
    const words = await (await ask(`/api/${verb}`, JSON.stringify(body), signal)).json();
    if (signal.aborted) return;
    show(words, (form) => ask(`/api/${verb}?format=${form}`, JSON.stringify(body)), verb);
    const given = await Promise.all(asked.map(async ([v, own]) => (await ask(`/api/${v}`, JSON.stringify({ ...own, charts: true }), signal)).json()));
    if (signal.aborted) return;
    const beside = given.slice(1).flatMap((x) => (x.charts ?? []).slice(0, 1));
    await showCharts([...beside, ...(given[0].charts ?? [])], words.finding);
  } catch (error) {
    if (!signal.aborted) fail(error);
  }
}

function show(given, again, verb) {
  $("problem").textContent = "";
  $("finding").textContent = given.finding;
  $("numbers").replaceChildren(...(given.table.rows.length ? [table(given.table)] : []));
  $("notes").replaceChildren(...given.table.notes.map((x) => make("li", {}, x)));
  showLines(given.lines);
  showExports(again, verb);
  $("answer").classList.remove("stale");
}

async function showCharts(charts, finding) {
  for (const button of $("export").querySelectorAll(".drawing")) button.hidden = !charts.length;
  try { await draw($("charts"), charts, finding); } catch (error) { $("charts").textContent = error.message; }
}

function showLines(found) {
  const line = (called, text) => {
    const button = make("button", { type: "button", "aria-label": `Copy the ${called} line`, onclick: (e) => copy(text, e.target) }, "Copy");
    return make("div", { className: "line" }, make("span", {}, called), make("pre", { id: `line-${called.toLowerCase()}`, tabIndex: 0 }, text), button);
  };
  const files = Object.entries(found.files).map(([name, text]) => make("button", { type: "button", onclick: () => save(name, new Blob([text], { type: "text/csv" })) }, `Save ${name}`));
  $("elsewhere").replaceChildren(line("Python", `import howsure as hs\n${found.python}`), line("Shell", found.shell), make("div", { className: "row" }, ...files));
  $("lines").hidden = false;
}

function showExports(again, verb) {
  const forms = [["PNG", "png"], ["SVG", "svg"], ["CSV", "csv"], ["JSON", "json"]];
  $("export").replaceChildren(make("span", { className: "quiet" }, "Save as"), ...forms.map(([text, form]) => make("button", { type: "button", className: form === "png" || form === "svg" ? "drawing" : "", onclick: async (e) => {
    e.target.disabled = true;
    try {
      save(`howsure-${verb}.${text.toLowerCase()}`, await (await again(form)).blob());
    } catch (error) { if (e.target.isConnected) fail(error); }
    e.target.disabled = false;
  } }, text)));
}

function fail(error) {
  clear();
  if (error instanceof Hint) $("finding").textContent = error.message;
  else $("problem").textContent = error instanceof Problem ? error.message : `Something is wrong with this page: ${error.message}`;
}

// -- lists of names

async function lists() {
  document.body.append(make("datalist", { id: "priors" }, ...["even", "jeffreys", "uniform", "0.5", "1"].map((value) => make("option", { value }))));
  const list = make("datalist", { id: "metrics" });
  document.body.append(list);
  const found = await (await fetch("/api/metrics")).json();
  list.append(...found.rows.map((x) => make("option", { value: x.metric, label: x.meaning })));
}

$("tabs").addEventListener("click", (e) => {
  const link = e.target.closest("a");
  if (!link || e.ctrlKey || e.metaKey || e.shiftKey) return;
  e.preventDefault();
  history.pushState(null, "", link.getAttribute("href"));
  restore();
});
$("question").addEventListener("submit", (e) => e.preventDefault());
window.addEventListener("popstate", restore);
restore();
setTimeout(() => lists().catch(() => {}), 200); // the answer comes first
