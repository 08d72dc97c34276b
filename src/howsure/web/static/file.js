// The panel for files: a preview of the columns, what they mean, and the report. Files are never in the address.
import { $, ask, make, Problem, save, table } from "/parts.js";

const MOST = 100000000;
const BYTES = "application/octet-stream";
const VERBS = [["score", "score each system"], ["compare", "compare two systems"], ["leaderboard", "rank several systems"], ["curve", "scores and thresholds"]];
const ANSWERS = [["pred", "predictions"], ["outcome", "passes and fails"], ["value", "grades"], ["score", "scores"]];

let file = null;
let preview = null;
let busy = null;

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
  if (file && preview) choose(page);
}

async function take(given, page) {
  if (!given) return;
  $("columns").replaceChildren();
  try {
    if (given.size > MOST) throw new Problem(`At most 100 MB are taken; this is ${(given.size / 1e6).toFixed(1)} MB. For larger files use the command: howsure score FILE.`);
    busy?.abort();
    busy = new AbortController();
    $("finding").textContent = "Looking at the file …";
    $("problem").textContent = "";
    const found = await ask(`/api/file/preview?${new URLSearchParams({ name: given.name.slice(-200) })}`, given, busy.signal, BYTES);
    preview = await found.json();
    file = given;
    $("finding").textContent = preview.clear ? "The columns have usual names; press the button, or choose others." : "Choose what the columns mean.";
    showPreview();
    choose(page);
  } catch (error) {
    if (error.name !== "AbortError") page.fail(error);
  }
}

function showPreview() {
  const rows = preview.columns.map((c) => [c.name, c.kind, c.examples.join(", "), c.uses.join(", ")]);
  $("numbers").replaceChildren(table({ columns: ["column", "holds", "such as", "may be"], right: [false, false, false, false], rows }));
}

const several = (x) => (x === undefined ? [] : Array.isArray(x) ? x : [x]);

function choose(page) {
  const names = preview.columns.map((c) => c.name);
  const guessed = preview.guessed;
  const answers = ANSWERS.map(([role]) => role).find((role) => guessed[role]) ?? "pred";
  const many = several(guessed[answers]).length;
  const select = (id, label, options, value, hint) => make("div", { className: "field" }, make("label", { htmlFor: id }, label),
    make("select", { id }, ...options.map(([v, text]) => make("option", { value: v, selected: v === value }, text))), hint ? make("span", { className: "hint" }, hint) : null);
  const ticks = (id, legend, ticked) => make("fieldset", { className: "field", id }, make("legend", {}, legend), make("div", { className: "choices" },
    ...names.map((x) => make("label", {}, make("input", { type: "checkbox", value: x, checked: ticked.includes(x) }), x))));
  const text = (id, label, value, hint, list) => make("div", { className: "field" }, make("label", { htmlFor: id }, label), make("input", { type: "text", id, value, ...(list ? { list } : {}) }), hint ? make("span", { className: "hint" }, hint) : null);
  const button = make("button", { type: "button", className: "main", id: "make", onclick: () => report(page) }, "Make the report");
  $("columns").replaceChildren(
    make("p", {}, make("strong", {}, file.name)),
    select("c-verb", "Question", VERBS, answers === "score" ? "curve" : many > 2 ? "leaderboard" : many === 2 ? "compare" : "score"),
    select("c-truth", "Truth", [["", "none"], ...names.map((x) => [x, x])], several(guessed.truth)[0] ?? ""),
    select("c-role", "Answers are", ANSWERS, answers),
    ticks("c-answers", "Columns of answers", several(guessed[answers])),
    ticks("c-by", "Slices by", []),
    text("c-positive", "Positive class", guessed.positive ?? "", "for f1 and the like"),
    text("c-metric", "Measure", "", "empty: the usual ones", "metrics"),
    text("c-level", "Level", "0.95"),
    button);
}

const ticked = (id) => [...$(id).querySelectorAll("input:checked")].map((x) => x.value);

function query(extra) {
  const found = new URLSearchParams({ name: file.name.slice(-200), ...extra });
  const role = $("c-role").value;
  if ($("c-truth").value && role !== "outcome" && role !== "value") found.set("truth", $("c-truth").value);
  for (const x of ticked("c-answers")) found.append(role, x);
  for (const x of ticked("c-by")) found.append("by", x);
  if ($("c-positive").value.trim()) found.set("positive", $("c-positive").value.trim());
  for (const x of $("c-metric").value.split(",").map((y) => y.trim()).filter(Boolean)) found.append("metric", x);
  if ($("c-level").value.trim() !== "0.95") found.set("level", $("c-level").value.trim());
  return found;
}

async function report(page) {
  const verb = $("c-verb").value;
  busy?.abort();
  busy = new AbortController();
  $("make").disabled = true;
  $("finding").textContent = "Counting …";
  try {
    const given = await (await ask(`/api/file/${verb}?${query({ report: true, charts: true })}`, file, busy.signal, BYTES)).json();
    const mine = file;
    page.show(given, (form) => ask(`/api/file/${verb}?${query({ format: form })}`, mine, undefined, BYTES), verb);
    await page.showCharts(given.charts ?? [], given.finding);
    showReport(given.report);
  } catch (error) {
    if (error.name !== "AbortError") page.fail(error);
  }
  $("make").disabled = false;
}

function showReport(place) {
  if (!place) return;
  const button = make("button", { type: "button", onclick: async () => save("report.html", await (await fetch(place)).blob()) }, "Save the report");
  const frame = make("iframe", { src: place, title: "The report", sandbox: "" });
  $("more").replaceChildren(make("h3", {}, "The report"), make("div", { className: "row" }, button, make("a", { href: place, target: "_blank", rel: "noopener" }, "Open it alone")), frame);
}
