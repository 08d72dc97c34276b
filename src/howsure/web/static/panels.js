// The panels: what each asks for, and the questions to the API that answer it.
import { Problem } from "/parts.js";

export class Hint extends Error {}

const CELLS = ["tp", "fp", "fn", "tn"];
const CELL_NAMES = { tp: "true positives", fp: "false positives", fn: "false negatives", tn: "true negatives" };

// -- texts to numbers

function number(text, called) {
  const clean = String(text).trim().replace(/[\s_]/g, "");
  const share = clean.endsWith("%");
  const found = Number(share ? clean.slice(0, -1) : clean);
  if (clean === "" || !Number.isFinite(found)) throw new Problem(`${called} must be a number; got “${text}”.`);
  return share ? Number((found / 100).toPrecision(15)) : found;
}

const optional = (text, called) => (String(text ?? "").trim() === "" ? undefined : number(text, called));

function counts(s, prefix = "", whose = "") {
  if (CELLS.some((x) => String(s[prefix + x] ?? "").trim() === "")) throw new Hint(`Type the four counts${whose}.`);
  return Object.fromEntries(CELLS.map((x) => [x, number(s[prefix + x], CELL_NAMES[x])]));
}

function rate(s, prefix = "", whose = "") {
  if ([s[`${prefix}hits`], s[`${prefix}of`]].some((x) => String(x ?? "").trim() === "")) throw new Hint(`Type hits and trials${whose}.`);
  return { hits: number(s[`${prefix}hits`], "hits"), of: number(s[`${prefix}of`], "trials") };
}

const lines = (text) => text.split(/\r?\n/).map((x) => x.trim()).filter(Boolean);
const parts = (line) => (/[\t,;]/.test(line) ? line.split(/[\t,;]/) : line.split(/\s+/)).map((x) => x.trim());
const numeric = (x) => x !== "" && Number.isFinite(Number(x));
const label = (x) => (/^-?\d{1,15}$/.test(x) ? Number(x) : x);

export function matrix(text) {
  let rows = lines(text).map(parts);
  if (!rows.length) throw new Hint("Paste a confusion matrix: a row for each true class, with or without names.");
  let names;
  const square = rows.length === rows[0].length && !numeric(rows[0][0]);
  if (square || rows[0].slice(1).some((x) => !numeric(x))) {
    names = rows[0];
    rows = rows.slice(1);
  }
  if (rows.length && (square || rows.some((row) => !numeric(row[0])))) {
    names = rows.map((row) => row[0]);
    rows = rows.map((row) => row.slice(1));
  }
  if (names && rows.length) names = names.slice(-rows.length);
  return { counts: rows.map((row) => row.map((x) => number(x, "a count of the matrix"))), ...(names ? { labels: names.map(label) } : {}) };
}

export function columns(text, usual) {
  const rows = lines(text).map(parts);
  const few = rows.find((row) => row.length < usual.length);
  if (few) throw new Problem(`each line needs ${usual.length} values, ${usual.map((x) => x[0]).join(", ")}; got “${few.join(" ")}”.`);
  const head = rows[0]?.map((x) => x.toLowerCase());
  const places = usual.map((names, i) => Math.max(head ? head.findIndex((x) => names.includes(x)) : -1, -1));
  const headed = places.every((x) => x >= 0);
  const own = headed ? rows.slice(1) : rows;
  return usual.map((_, i) => own.map((row) => row[headed ? places[i] : i]));
}

const listed = (text) => (text ?? "").split(",").map((x) => x.trim()).filter(Boolean);

function settings(s) {
  const metrics = listed(s.metric);
  const prior = (s.prior ?? "").trim();
  return {
    ...(metrics.length ? { metrics } : {}),
    ...(prior && prior !== "even" ? { prior: numeric(prior) ? Number(prior) : prior } : {}),
    ...(s.level !== "0.95" && s.level !== "" ? { level: number(s.level, "the level") } : {}),
    ...(s.interval && s.interval !== "auto" ? { interval: s.interval } : {}),
  };
}

// -- fields

const METRIC = { name: "metric", label: "Measure", kind: "text", value: "f1", list: "metrics", hint: "f1, recall, … ; several with commas" };
const SETTINGS = [
  { name: "level", label: "Level", seldom: true, kind: "text", value: "0.95", mode: "decimal" },
  { name: "prior", label: "Prior", seldom: true, kind: "text", value: "even", list: "priors", hint: "even, jeffreys, uniform, or a weight per cell" },
  { name: "interval", label: "Interval", seldom: true, kind: "select", value: "auto", options: [["auto", "auto"], ["equal-tailed", "equal-tailed"], ["hdi", "shortest (hdi)"]] },
];
const cells = (prefix, legend, values, when) => ({ kind: "cells", legend, when, fields: CELLS.map((x, i) => ({ name: prefix + x, label: CELL_NAMES[x], value: values[i] })) });
const two = (names, values, legend, when) => ({ kind: "cells", legend, when, fields: names.map(([name, text], i) => ({ name, label: text, value: values[i] })) });
const from = (options) => ({ name: "from", label: "From", kind: "choice", value: options[0][0], options });

export const PANELS = {
  score: {
    title: "One system",
    about: "What was counted, and which measure: how sure is it?",
    fields: [
      from([["counts", "four counts"], ["rate", "k of n"], ["matrix", "a matrix"]]),
      cells("", "Counts", ["80", "20", "30", "870"], (s) => s.from === "counts"),
      two([["hits", "hits"], ["of", "of trials"]], ["47", "50"], "Hits", (s) => s.from === "rate"),
      { name: "table", label: "Confusion matrix", kind: "area", value: "ham,spam\n50,3\n4,40", when: (s) => s.from === "matrix", hint: "a row for each true class; names in the first line or column" },
      { name: "rows", label: "Rows are", kind: "select", value: "truth", options: [["truth", "true classes"], ["pred", "predicted classes"]], when: (s) => s.from === "matrix" },
      { name: "positive", label: "Positive class", kind: "text", value: "", when: (s) => s.from === "matrix", hint: "for f1 and the like" },
      { ...METRIC, when: (s) => s.from === "counts" },
      { ...METRIC, name: "measure", value: "", hint: "empty: all that fit", when: (s) => s.from !== "counts" },
      { name: "above", label: "Target", kind: "text", value: "", mode: "decimal", hint: "probability of exceeding this" },
      ...SETTINGS,
    ],
    ask(s) {
      const data = s.from === "counts" ? { counts: counts(s) } : s.from === "rate" ? { rate: rate(s) }
        : { matrix: { ...matrix(s.table), ...(s.positive.trim() ? { positive: label(s.positive.trim()) } : {}), ...(s.rows === "pred" ? { rows: "pred" } : {}) } };
      const above = optional(s.above, "the target");
      const own = { ...s, metric: s.from === "counts" ? s.metric : s.measure };
      return [["score", { ...data, ...settings(own), ...(above === undefined ? {} : { above }) }]];
    },
  },
  compare: {
    title: "Compare two systems",
    about: "Is the first better than the second?",
    fields: [
      from([["counts", "two tables"], ["rate", "two rates"], ["wins", "wins, same items"], ["items", "answers, same items"]]),
      cells("a_", "First system", ["80", "20", "30", "870"], (s) => s.from === "counts"),
      cells("b_", "Second system", ["70", "25", "40", "865"], (s) => s.from === "counts"),
      two([["a_hits", "hits"], ["a_of", "of trials"]], ["47", "50"], "First system", (s) => s.from === "rate"),
      two([["b_hits", "hits"], ["b_of", "of trials"]], ["40", "50"], "Second system", (s) => s.from === "rate"),
      two([["first", "only the first right"], ["second", "only the second right"], ["same", "both or neither"]], ["17", "4", "3278"], "Items", (s) => s.from === "wins"),
      { name: "items", label: "Items", kind: "area", value: "truth,first,second\n1,1,1\n1,1,0\n0,0,0\n1,1,0\n0,1,0\n0,0,0\n1,1,1\n1,0,0", when: (s) => s.from === "items", hint: "a line for each: truth, first answer, second answer" },
      { name: "positive", label: "Positive class", kind: "text", value: "", when: (s) => s.from === "items" },
      { ...METRIC, when: (s) => s.from === "counts" || s.from === "items" },
      { name: "equal", label: "Equal within", kind: "text", value: "", mode: "decimal", hint: "a difference that does not matter" },
      ...SETTINGS.map((x) => ({ ...x, when: (s) => s.from !== "wins" || x.name !== "prior" })),
    ],
    ask(s) {
      const margin = optional(s.equal, "equal within");
      const { metrics, prior, ...rest } = settings(s);
      const how = { ...rest, ...(margin === undefined ? {} : { equal_within: margin }) };
      const asked = { ...how, ...(prior === undefined ? {} : { prior }) };
      if (s.from === "wins") {
        if (["first", "second"].some((x) => s[x].trim() === "")) throw new Hint("Type how many items each wins.");
        return [["compare", { wins: { first: number(s.first, "wins"), second: number(s.second, "wins"), same: optional(s.same, "ties") ?? 0 }, ...how }]];
      }
      if (s.from === "rate") return [["compare", { first: { rate: rate(s, "a_", " of the first") }, second: { rate: rate(s, "b_", " of the second") }, ...asked }]];
      const measured = metrics ? { metrics } : {};
      if (s.from === "counts") return [["compare", { first: { counts: counts(s, "a_", " of the first") }, second: { counts: counts(s, "b_", " of the second") }, ...measured, ...asked }]];
      const [truth, first, second] = columns(s.items, [["truth", "label", "gold"], ["first", "a"], ["second", "b"]]).map((x) => x.map(label));
      if (!truth.length) throw new Hint("Paste a line for each item: truth, first answer, second answer.");
      return [["compare", { items: { truth, first, second, ...(s.positive.trim() ? { positive: label(s.positive.trim()) } : {}) }, ...measured, ...asked }]];
    },
  },
  file: { title: "A file", about: "CSV, JSON lines or Parquet: choose what its columns mean, and get the report.", fields: [], ask: () => [] },
  plan: {
    title: "Plan",
    about: "How many items have to be labelled?",
    fields: [
      from([["expected", "what you expect"], ["counts", "a pilot’s counts"], ["rate", "a pilot’s k of n"]]),
      { name: "expected", label: "Expected", kind: "text", value: "recall=.8, precision=.7, prevalence=.1", when: (s) => s.from === "expected", hint: "measures that settle the table, or rate=.8" },
      cells("", "Pilot", ["16", "4", "6", "74"], (s) => s.from === "counts"),
      two([["hits", "hits"], ["of", "of trials"]], ["40", "50"], "Pilot", (s) => s.from === "rate"),
      { name: "metric", label: "Measure", kind: "text", value: "f1", list: "metrics", when: (s) => s.from !== "rate" && !/^\s*rate\s*=/.test(s.expected) },
      { name: "goal", label: "Goal", kind: "select", value: "width", options: [["width", "an interval at most this wide"], ["above", "show that it is above"], ["below", "show that it is below"], ["difference", "tell two systems apart that differ by"]] },
      { name: "value", label: "Value", kind: "text", value: "0.05", mode: "decimal" },
      { name: "disagreement", label: "Answers differ on", kind: "text", value: "", mode: "decimal", when: (s) => s.goal === "difference", hint: "share of the same items; empty: other items each" },
      { name: "assurance", label: "Assurance", kind: "text", value: "0.8", mode: "decimal", hint: "probability of reaching the goal" },
      { name: "n", label: "Or: what do n items give?", kind: "text", value: "", mode: "numeric" },
      ...SETTINGS,
    ],
    ask(s) {
      const data = s.from === "counts" ? { counts: counts(s) } : s.from === "rate" ? { rate: rate(s) } : { expected: pairs(s.expected, true) };
      const { metrics, ...how } = settings({ ...s, metric: s.from === "rate" || /^\s*rate\s*=/.test(s.expected) && s.from === "expected" ? "" : s.metric });
      const goal = optional(s.value, "the goal");
      const n = optional(s.n, "n");
      if (goal === undefined && n === undefined) throw new Hint("Type a goal, or a number of items.");
      const share = optional(s.assurance, "assurance");
      const apart = s.goal === "difference" ? optional(s.disagreement, "disagreement") : undefined;
      return [["plan", { ...data, ...(metrics ? { metrics: metrics.slice(0, 1) } : {}), ...(goal === undefined ? {} : { [s.goal]: goal }), ...(n === undefined ? {} : { n }),
        ...(share === undefined || share === 0.8 ? {} : { assurance: share }), ...(apart === undefined ? {} : { disagreement: apart }), ...how }]];
    },
  },
  relations: {
    title: "Relations",
    about: "Which tables are behind printed measures, and what recall costs in precision.",
    fields: [
      from([["solve", "solve"], ["tradeoff", "trade-off"], ["counts", "trade-off of a tested system"]]),
      { name: "values", label: "Printed values", kind: "area", value: "precision = 0.75\nrecall = 0.60\naccuracy = 0.85\nn = 200", when: (s) => s.from === "solve", hint: "digits as printed; n may be a range, 100..200" },
      { name: "exact", label: "The values are exact", kind: "check", value: "", when: (s) => s.from === "solve" },
      { name: "accuracy", label: "Accuracy", kind: "range", value: "0.9", range: () => [0.5, 1, 0.005], when: (s) => s.from === "tradeoff" },
      { name: "prevalence", label: "Prevalence", kind: "range", value: "0.2", range: () => [0.005, 0.995, 0.005], when: (s) => s.from === "tradeoff" },
      cells("", "Counts", ["80", "20", "30", "870"], (s) => s.from === "counts"),
      { name: "recall", label: "Recall", kind: "range", value: "0.8", range: () => [0.01, 1, 0.01], when: (s) => s.from !== "solve" },
      ...SETTINGS.map((x) => ({ ...x, when: (s) => s.from === "counts" })),
    ],
    ask(s) {
      if (s.from === "solve") {
        const values = pairs(s.values.replaceAll("\n", ","), false);
        if (!Object.keys(values).length) throw new Hint("Type what was printed, such as precision = 0.75.");
        return [["solve", { values, ...(s.exact ? { exact: true } : {}) }]];
      }
      const recalls = [Number(s.recall)];
      if (s.from === "tradeoff") return [["tradeoff", { values: { accuracy: s.accuracy, prevalence: s.prevalence }, recalls }]];
      const { metrics, ...how } = settings({ ...s, metric: "" });
      return [["tradeoff", { counts: counts(s), recalls, ...how }]];
    },
  },
  curves: {
    title: "Curves",
    about: "Truths and scores: how good is the ranking, and how sure is a measure at a threshold?",
    fields: [
      { name: "scores", label: "Truth and score of each item", kind: "area", drop: true, value: "truth,score\n1,0.92\n1,0.85\n0,0.71\n1,0.70\n1,0.62\n0,0.55\n1,0.52\n0,0.41\n0,0.33\n1,0.30\n0,0.22\n0,0.15\n0,0.08", hint: "a line each; paste, or drop a CSV file here" },
      { name: "threshold", label: "Threshold", kind: "range", value: "0.5", range: scoreRange },
      { ...METRIC, hint: "at the threshold" },
      { name: "positive", label: "Positive class", kind: "text", value: "" },
      ...SETTINGS,
    ],
    ask(s) {
      const [truth, texts] = columns(s.scores, [["truth", "label", "y_true", "target"], ["score", "prob", "y_score", "p"]]);
      if (!truth.length) throw new Hint("Paste a line for each item: truth and score.");
      const scores = texts.map((x) => number(x, "a score"));
      const { metrics, ...how } = settings(s);
      const at = (metrics ?? ["f1"]).map((x) => (x.includes("@") ? x : `${x}@${s.threshold}`));
      const positive = s.positive.trim() ? label(s.positive.trim()) : undefined;
      const data = { truth: truth.map(label), scores, ...(positive === undefined ? {} : { positive }) };
      const there = counted(data.truth, scores, Number(s.threshold), positive);
      return [["curve", { ...data, metrics: [...at, "auc", "AP"], ...how }], ...(there ? [["score", { counts: there, metrics: metrics ?? ["f1"], ...how }]] : [])];
    },
  },
};

function pairs(text, asNumbers) {
  const found = {};
  for (const part of text.split(",").map((x) => x.trim()).filter(Boolean)) {
    const at = part.indexOf("=");
    const [name, value] = at < 0 ? [part, ""] : [part.slice(0, at).trim(), part.slice(at + 1).trim()];
    if (!name || !value) throw new Hint(`Each needs a name and a value, such as recall = 0.8; got “${part}”.`);
    const range = value.match(/^(.+?)\s*(?:\.\.|–| to |(?<=[\d.%])-)\s*(.+)$/);
    found[name] = asNumbers ? number(value, name) : range ? [range[1], range[2]] : value;
  }
  return found;
}

function scoreRange(s) {
  try {
    const [, texts] = columns(s.scores, [["truth", "label", "y_true", "target"], ["score", "prob", "y_score", "p"]]);
    const own = texts.map(Number).filter(Number.isFinite);
    const low = own.reduce((a, b) => Math.min(a, b), Infinity);
    const high = own.reduce((a, b) => Math.max(a, b), -Infinity);
    if (!(low < high)) return [0, 1, 0.01];
    const step = 10 ** Math.floor(Math.log10((high - low) / 50));
    const even = (x) => Number(x.toPrecision(12));
    return [even(Math.floor(low / step) * step), even(Math.ceil(high / step) * step), even(step)];
  } catch { return [0, 1, 0.01]; }
}

// The table at a threshold: an item is called positive from that score on.
function counted(truth, scores, threshold, positive) {
  const classes = new Set(truth);
  const wanted = positive ?? (classes.has(1) ? 1 : undefined);
  if (wanted === undefined || classes.size > 2) return null;
  const found = { tp: 0, fp: 0, fn: 0, tn: 0 };
  truth.forEach((x, i) => { found[(scores[i] >= threshold ? ["fp", "tp"] : ["tn", "fn"])[Number(x === wanted)]] += 1; });
  return found;
}
