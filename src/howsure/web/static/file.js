// The panel for files: a preview of the columns, what they mean, and the report. What is chosen is in the address, where
// it is not what is guessed; the file is not.
import { $, ask, make, Problem, save, table } from "/parts.js";

const MOST = 100000000;
const BYTES = "application/octet-stream";
const VERBS = [["score", "score each system"], ["compare", "compare two systems"], ["leaderboard", "rank several systems"], ["curve", "scores and thresholds"]];
const ANSWERS = [["pred", "predictions"], ["outcome", "passes and fails"], ["value", "grades"], ["score", "scores"]];
const CHOSEN = ["verb", "truth", "role", "answers", "by", "positive", "metric", "level"];

let file = null;
let preview = null;
let busy = null;
let usual = {}; // what is chosen if nothing is said, as it stands in the address

export function filePanel(place, page) {
  const chosen = make("input", { type: "file", id: "f-file", accept: ".csv,.tsv,.txt,.jsonl,.ndjson,.json,.parquet,.pq,.gz,.zst", onchange: (e) => take(e.target.files[0], page) });
  const drop = make("div", { id: "drop" }, make("label", { htmlFor: "f-file" }, "Drop a file here, or choose one: "), chosen,
    make("span", { className: "hint" }, "CSV, JSON lines or Parquet, at most 100 MB. It stays on this machine, and is not in the address."));
  for (const name of ["dragover", "dragleave", "drop"]) {
    drop.addEventListener(name, (e) => {
      e.preventDefault();
      drop.classList.toggle("over", name === "dragover");
      if (name === "drop") take(e.dataTransfer.files[0], page);
    });
  }
  place.replaceChildren(drop, make("div", { id: "columns" }));
  if (file && preview) shown(page);
}

// Whoever goes to another panel waits for nothing here.
export function leaveFile() { busy?.abort(); }

// What was chosen, into the address; as long as no file was, what is there stays.
export function fileAddress(query) {
  if (!$("c-verb")) {
    for (const [name, value] of new URLSearchParams(location.search)) if (CHOSEN.includes(name)) query.append(name, value);
    return;
  }
  for (const [name, values] of Object.entries(chosen())) {
    if (values.join("\n") !== usual[name].join("\n")) for (const x of values.length ? values : [""]) query.append(name, x);
  }
}

async function take(given, page) {
  if (!given) return;
  busy?.abort();
  busy = new AbortController();
  const { signal } = busy;
  page.clear();
  $("columns").replaceChildren();
  try {
    if (given.size > MOST) throw new Problem(`At most 100 MB are taken; this is ${(given.size / 1e6).toFixed(1)} MB. For larger files use the command: howsure score FILE.`);
    $("finding").textContent = "Looking at the file …";
    const found = await (await ask(`/api/file/preview?${new URLSearchParams({ name: given.name.slice(-200) })}`, given, signal, BYTES)).json();
    if (signal.aborted) return;
    preview = found;
    file = given;
    shown(page);
  } catch (error) {
    if (!signal.aborted) page.fail(error);
  }
}

function shown(page) {
  $("finding").textContent = preview.clear ? "The columns have usual names; press the button, or choose others." : "Choose what the columns mean.";
  showPreview();
  choose(page);
}

function showPreview() {
  const rows = preview.columns.map((c) => [c.name, c.kind, c.examples.join(", "), c.uses.join(", ")]);
  $("numbers").replaceChildren(table({ columns: ["column", "holds", "such as", "may be"], right: [false, false, false, false], rows }));
}

const several = (x) => (x === undefined ? [] : Array.isArray(x) ? x : [x]);

// What is chosen for a file of these columns if nothing is said.
function guesses() {
  const guessed = preview.guessed;
  const role = ANSWERS.map(([x]) => x).find((x) => guessed[x]) ?? "pred";
  const answers = several(guessed[role]);
  const verb = role === "score" ? "curve" : answers.length > 2 ? "leaderboard" : answers.length === 2 ? "compare" : "score";
  return { verb: [verb], truth: [several(guessed.truth)[0] ?? ""], role: [role], answers, by: [], positive: [String(guessed.positive ?? "")], metric: [""], level: ["0.95"] };
}

// What the address says, where this file has it, and else what is guessed.
function wanted(names) {
  const query = new URLSearchParams(location.search);
  const known = { verb: VERBS.map(([x]) => x), role: ANSWERS.map(([x]) => x), truth: ["", ...names], answers: ["", ...names], by: ["", ...names] };
  return Object.fromEntries(CHOSEN.map((name) => {
    const said = query.getAll(name).filter((x) => known[name]?.includes(x) ?? true);
    return [name, said.length ? said : usual[name]];
  }));
}

function choose(page) {
  const names = preview.columns.map((c) => c.name);
  usual = guesses();
  const now = wanted(names);
  const select = (id, label, options, [value]) => make("div", { className: "field" }, make("label", { htmlFor: id }, label),
    make("select", { id }, ...options.map(([v, text]) => make("option", { value: v, selected: v === value }, text))));
  const ticks = (id, legend, ticked) => make("fieldset", { className: "field", id }, make("legend", {}, legend), make("div", { className: "choices" },
    ...names.map((x) => make("label", {}, make("input", { type: "checkbox", value: x, checked: ticked.includes(x) }), x))));
  const text = (id, label, [value], hint, list) => make("div", { className: "field" }, make("label", { htmlFor: id }, label), make("input", { type: "text", id, value, ...(list ? { list } : {}) }), hint ? make("span", { className: "hint" }, hint) : null);
  const button = make("button", { type: "button", className: "main", id: "make", onclick: () => report(page) }, "Make the report");
  const all = make("div", { onchange: page.remember },
    make("p", {}, make("strong", {}, file.name)),
    select("c-verb", "Question", VERBS, now.verb),
    select("c-truth", "Truth", [["", "none"], ...names.map((x) => [x, x])], now.truth),
    select("c-role", "Answers are", ANSWERS, now.role),
    ticks("c-answers", "Columns of answers", now.answers),
    ticks("c-by", "Slices by", now.by),
    text("c-positive", "Positive class", now.positive, "for f1 and the like"),
    text("c-metric", "Measure", now.metric, "empty: the usual ones", "metrics"),
    text("c-level", "Level", now.level),
    button);
  $("columns").replaceChildren(all);
}

const ticked = (id) => [...$(id).querySelectorAll("input:checked")].map((x) => x.value);

const chosen = () => Object.fromEntries(CHOSEN.map((name) => [name, name === "answers" || name === "by" ? ticked(`c-${name}`) : [$(`c-${name}`).value.trim()]]));

function query() {
  const now = chosen();
  const [role] = now.role;
  const found = new URLSearchParams({ name: file.name.slice(-200) });
  if (now.truth[0] && role !== "outcome" && role !== "value") found.set("truth", now.truth[0]);
  for (const x of now.answers) found.append(role, x);
  for (const x of now.by) found.append("by", x);
  if (now.positive[0]) found.set("positive", now.positive[0]);
  for (const x of now.metric[0].split(",").map((y) => y.trim()).filter(Boolean)) found.append("metric", x);
  if (now.level[0] !== "0.95") found.set("level", now.level[0]);
  return found;
}

async function report(page) {
  busy?.abort();
  busy = new AbortController();
  const { signal } = busy;
  const button = $("make");
  const place = `/api/file/${$("c-verb").value}?${query()}`; // as it is now: what is saved is what is shown
  const verb = $("c-verb").value;
  const mine = file;
  button.disabled = true;
  page.clear();
  $("finding").textContent = "Counting …";
  try {
    const given = await (await ask(`${place}&report=true&charts=true`, mine, signal, BYTES)).json();
    if (signal.aborted) return;
    page.show(given, (form) => ask(`${place}&format=${form}`, mine, undefined, BYTES), verb);
    showReport(given.report);
    await page.showCharts(given.charts ?? [], given.finding);
  } catch (error) {
    if (!signal.aborted) page.fail(error);
  } finally {
    button.disabled = false;
  }
}

function showReport(place) {
  if (!place) return;
  const button = make("button", { type: "button", onclick: async () => save("report.html", await (await fetch(place)).blob()) }, "Save the report");
  const frame = make("iframe", { src: place, title: "The report", sandbox: "" });
  $("more").replaceChildren(make("h3", {}, "The report"), make("div", { className: "row" }, button, make("a", { href: place, target: "_blank", rel: "noopener" }, "Open it alone")), frame);
}
