// The API in words, from its own description (OpenAPI).
import { $, make, table } from "/parts.js";

const name = (ref) => ref.split("/").pop();

function type(schema) {
  if (!schema) return "";
  if (schema.$ref) return name(schema.$ref);
  if (schema.anyOf) return schema.anyOf.map(type).filter((x) => x !== "null").join(" or ");
  if (schema.enum) return schema.enum.map((x) => JSON.stringify(x)).join(", ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.type === "array") return `list of ${type(schema.items) || "anything"}`;
  if (schema.type === "object") return "object";
  return schema.type ?? "";
}

function fields(called, rows) {
  return make("div", { className: "wide", tabIndex: 0, role: "region", ariaLabel: called }, table({ columns: ["name", "type", "meaning"], right: [false, false, false], rows }));
}

function operation(all, path, method, told) {
  const section = make("section", {}, make("h2", { className: "path" }, make("span", { className: "method" }, `${method.toUpperCase()} `), make("code", {}, path)),
    make("p", {}, `${told.summary}. ${told.description ?? ""}`));
  const query = (told.parameters ?? []).map((x) => [x.name, type(x.schema), x.description ?? x.schema?.description ?? (x.required ? "needed" : "")]);
  if (query.length) section.append(make("p", { className: "quiet" }, "In the address:"), fields(`Address of ${method} ${path}`, query));
  const [kind, content] = Object.entries(told.requestBody?.content ?? {})[0] ?? [];
  const schema = content?.schema?.$ref ? all.components.schemas[name(content.schema.$ref)] : null;
  if (kind) section.append(make("p", { className: "quiet" }, `Body: ${kind}. ${told.requestBody.description ?? schema?.description ?? ""}`));
  if (schema) {
    section.append(fields(`Body of ${method} ${path}`, Object.entries(schema.properties).map(([x, own]) => [x, type(own), own.description ?? (schema.required?.includes(x) ? "needed" : "")])));
    const example = schema.examples?.[0];
    if (example) section.append(make("pre", { tabIndex: 0 }, `curl -s ${location.origin}${path} -H 'content-type: application/json' \\\n  -d '${JSON.stringify(example)}'`));
  } else if (kind) {
    section.append(make("pre", { tabIndex: 0 }, `curl -s '${location.origin}${path.replace("{verb}", "score")}?name=preds.csv' -H 'content-type: ${kind}' \\\n  --data-binary @preds.csv`));
  }
  return section;
}

const all = await (await fetch("/api/openapi.json")).json();
const parts = Object.entries(all.paths).flatMap(([path, own]) => Object.entries(own).map(([method, told]) => operation(all, path, method, told)));
$("described").replaceChildren(make("div", {}, make("p", {}, all.info.description), make("p", {}, "The description itself: ", make("a", { href: "/api/openapi.json" }, "openapi.json")), ...parts));
$("described").removeAttribute("aria-busy");
