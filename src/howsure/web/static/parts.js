// Small parts that the page is put together from. Texts are set as text, never as HTML.

export const $ = (id) => document.getElementById(id);

export function make(tag, given = {}, ...inside) {
  const found = document.createElement(tag);
  for (const [name, value] of Object.entries(given)) {
    if (name.startsWith("on")) found.addEventListener(name.slice(2), value);
    else if (name in found && name !== "list" && name !== "form") found[name] = value;
    else found.setAttribute(name, value);
  }
  found.append(...inside.filter((x) => x !== null && x !== undefined));
  return found;
}

export function table({ columns, right, rows }) {
  const cell = (tag, text, i) => make(tag, { className: right[i] ? "right" : "", ...(tag === "th" ? { scope: "col" } : {}) }, text);
  return make("table", {},
    make("thead", {}, make("tr", {}, ...columns.map((x, i) => cell("th", x, i)))),
    make("tbody", {}, ...rows.map((row) => make("tr", {}, ...row.map((x, i) => cell("td", x, i))))));
}

export function save(name, blob) {
  const link = make("a", { href: URL.createObjectURL(blob), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

export async function copy(text, button) {
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Select and copy";
  }
  setTimeout(() => { button.textContent = "Copy"; }, 1500);
}

// -- asking

export class Problem extends Error {}

export async function ask(path, body, signal, type = "application/json") {
  let response;
  try {
    response = await fetch(path, { method: "POST", body, signal, headers: { "content-type": type } });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem("The server does not answer: is howsure serve still running?");
  }
  if (response.ok) return response;
  let said = `The server answered ${response.status}.`;
  try { said = (await response.json()).error.message; } catch { /* not ours */ }
  throw new Problem(said.charAt(0).toUpperCase() + said.slice(1));
}

// -- charts

let vega = null;

function loaded() {
  vega ??= new Promise((done, failed) => {
    document.head.append(make("script", { src: "/vega.js", onload: () => done(window.vegaEmbed), onerror: () => failed(new Problem("Charts cannot be drawn yet.")) }));
  });
  return vega;
}

let drawing = 0;

// What is still being drawn is not wanted any more.
export function undraw() { drawing += 1; }

export async function draw(place, charts, finding) {
  const mine = ++drawing;
  if (!charts.length) { place.replaceChildren(); return; }
  const embed = await loaded();
  const figures = await Promise.all(charts.map((chart) => figure(embed, chart, place, finding)));
  if (mine === drawing) place.replaceChildren(...figures);
}

const NARROWEST = 110;
const READABLE = 0.85; // of their size, words are still read
const HOW = { mode: "vega-lite", ast: true, renderer: "svg", actions: false, tooltip: false, defaultStyle: false };

async function figure(embed, chart, place, finding) {
  const drawn = make("div", { className: "drawn" });
  const told = chart.says.toLowerCase() === finding.toLowerCase() ? [] : [chart.says]; // it stands above
  const words = [...told, chart.caption].filter(Boolean).map((x) => make("div", {}, x));
  const room = Math.max(240, place.clientWidth || place.parentElement.clientWidth);
  await fitted(embed, drawn, chart, room);
  const svg = drawn.querySelector("svg");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", chart.says);
  for (const part of svg.querySelectorAll("[role]")) { // one picture with one name: its marks have none of their own
    for (const name of ["role", "aria-roledescription", "aria-label"]) part.removeAttribute(name);
  }
  return make("figure", {}, make("h3", {}, chart.title), drawn, make("figcaption", {}, ...words));
}

// A drawing that is wider than its place gives way in the plot, and words keep their size; what cannot, scrolls.
async function fitted(embed, drawn, chart, room) {
  const wide = () => Number(drawn.querySelector("svg").getAttribute("width"));
  await embed(drawn, structuredClone(chart.spec), HOW);
  if (wide() <= room) return;
  const narrow = chart.narrow && wide() * READABLE > room ? structuredClone(chart.narrow) : narrowed(chart.spec, wide() - room);
  if (narrow) await embed(drawn, narrow, HOW);
  if (wide() * READABLE <= room) return;
  drawn.querySelector("svg").style.minWidth = `${Math.round(wide() * READABLE)}px`;
  Object.assign(drawn, { tabIndex: 0, role: "group", ariaLabel: `${chart.title}: scrolls sideways` });
}

// The same with a narrower plot: what stands at places in pixels, on it or beside it, moves along.
function narrowed(given, by) {
  const spec = structuredClone(given);
  const old = spec.width;
  if (typeof old !== "number") return null;
  const places = (spec.layer ?? []).flatMap((x) => [x.encoding?.x, x.encoding?.x2]).filter((x) => typeof x?.value === "number");
  spec.width = Math.max(NARROWEST, old - by);
  for (const x of places) {
    if (x.value > old) x.value += spec.width - old;
    else if (x.value > 0) x.value *= spec.width / old;
  }
  return spec;
}
