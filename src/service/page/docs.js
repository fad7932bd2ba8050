// The document at /openapi.json, for people.

import { $, h, store } from "./dom.js";

const theme = store.get("theme", "auto");
if (theme !== "auto") document.documentElement.dataset.theme = theme;

const api = await (await fetch("./openapi.json")).json();
const named = (reference) => reference.split("/").at(-1);

function type(schema) {
  if (!schema) return "";
  if (schema.$ref) return h("a", { href: `#${named(schema.$ref)}` }, named(schema.$ref));
  const either = schema.oneOf ?? schema.anyOf;
  if (either) return h("span", {}, either.flatMap((one, place) => (place ? [" or ", type(one)] : [type(one)])));
  if (schema.enum) return schema.enum.join(" | ");
  if (schema.type === "array") return h("span", {}, "list of ", type(schema.items));
  return [schema.type].flat().join(" or ");
}

const cell = (...content) => h("td", {}, ...content);

function fields(schema) {
  const own = [schema, ...(schema.allOf ?? [])].flatMap((part) => Object.entries((part.$ref ? api.components.schemas[named(part.$ref)] : part).properties ?? {}));
  if (own.length === 0) return h("p", {}, type(schema));
  return h("table", {}, own.map(([name, field]) => h("tr", {}, cell(h("code", {}, name)), cell(type(field)), cell(field.description ?? ""))));
}

function operation(path, method, one) {
  const body = Object.values(one.requestBody?.content ?? {})[0]?.schema;
  const good = Object.entries(one.responses).find(([status]) => status.startsWith("2"));
  const [kind, { schema: sent } = {}] = Object.entries(good?.[1].content ?? {})[0] ?? [];
  // Of events, what their data is.
  const answer = sent?.properties?.data?.contentSchema ?? sent;
  const example = method === "get" && !path.includes("{") ? `curl '${location.origin}${path}${one.parameters?.some((p) => p.name === "moves") ? "?moves=f5d6" : ""}'` : null;
  return h("section", { class: "operation" },
    h("h3", {}, h("code", { class: `method ${method}` }, method.toUpperCase()), " ", h("code", {}, path), one.security ? h("span", { class: "tag" }, "token") : ""),
    h("p", {}, one.summary ?? ""), one.description ? h("p", {}, one.description) : "",
    example ? h("pre", {}, example) : "",
    one.parameters?.length ? h("table", {}, one.parameters.map((p) => h("tr", {}, cell(h("code", {}, p.name)), cell(type(p.schema)), cell(p.description ?? "")))) : "",
    body ? h("p", {}, "Send: ", type(body)) : "",
    answer ? h("p", {}, "Answer: ", type(answer), kind === "text/event-stream" ? " as server-sent events" : "") : "");
}

const operations = Object.entries(api.paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, one]) => [path, method, one]));
$("#docs").append(
  h("h1", { class: "opening" }, "The interface"), h("p", {}, api.info.description),
  h("p", {}, h("a", { href: "./openapi.json" }, "openapi.json"), " describes the same for programs."),
  ...api.tags.flatMap((tag) => [
    h("h2", {}, tag.description),
    ...operations.filter(([, , one]) => one.tags?.includes(tag.name)).map((one) => operation(...one)),
  ]),
  h("h2", {}, "What is sent and answered"),
  ...Object.entries(api.components.schemas).map(([name, schema]) => h("section", { class: "operation", id: name }, h("h3", {}, h("code", {}, name)), h("p", {}, schema.description ?? ""), fields(schema))));
