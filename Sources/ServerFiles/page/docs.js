// Shows /openapi.json to people: one section for each tag, one entry for each operation.

const methods = ["get", "post", "put", "delete"];
let api;

/** An element with attributes, or properties such as `textContent`, and children. */
function made(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children.filter((child) => child));
  return element;
}

/** A part of the description, or what it refers to. */
function resolved(part) {
  if (!part?.$ref) return part ?? {};
  return resolved(part.$ref.split("/").slice(1).reduce((value, name) => value?.[name], api));
}

/** The type of a value in a few words, such as `number, 0 to 1`. */
function typeOf(schema) {
  const { type, items, enum: values, const: only, oneOf, anyOf, minimum, maximum, format } = resolved(schema);
  const others = oneOf ?? anyOf;
  if (others) return [...new Set(others.map(typeOf))].join(" or ");
  if (only !== undefined) return JSON.stringify(only);
  if (values) return values.map((value) => String(value)).join(", ");
  if (type === "array") return `list of ${typeOf(items)}`;
  if (format === "binary") return "file";
  const range = minimum !== undefined && maximum !== undefined ? `, ${minimum} to ${maximum}` : "";
  return [type ?? "any"].flat().join(" or ") + range;
}

/** All members of an object's schema, also of those that it is made of, and which are required. */
function membersOf(schema) {
  const { properties = {}, required = [], allOf = [] } = resolved(schema);
  const parts = allOf.map(membersOf);
  return {
    members: Object.assign({}, ...parts.map(({ members }) => members), properties),
    required: [...parts.flatMap(({ required }) => required), ...required],
  };
}

/** Text in which `backticks` mark code. */
function prose(text) {
  return text.split("`").map((part, index) => index % 2 === 1 ? made("code", { textContent: part }) : part);
}

function field(name, schema, isRequired, text) {
  const known = resolved(schema);
  const initial = known.default === undefined ? "" : `, ${JSON.stringify(known.default)} if missing`;
  const description = text ?? schema.description ?? known.description;
  return [
    made("dt", {}, made("code", { textContent: name }), isRequired ? " (required)" : ""),
    made("dd", {}, ...prose(`${typeOf(schema)}${initial}${description ? `. ${description}` : ""}`)),
  ];
}

function section(title, ...content) {
  return content.length === 0 ? null : [made("h3", { textContent: title }), ...content];
}

const list = (fields) => fields.length === 0 ? [] : [made("dl", { className: "fields" }, ...fields.flat())];

function parameters(operation) {
  const all = (operation.parameters ?? []).map(resolved);
  return list(all.map(({ name, schema, required, description }) => field(name, schema, required, description)));
}

function body(operation) {
  const content = resolved(operation.requestBody).content ?? {};
  return Object.entries(content).flatMap(([type, { schema }]) => {
    const { members, required } = membersOf(schema);
    return [
      made("p", { className: "quiet", textContent: type }),
      ...list(Object.entries(members).map(([name, member]) => field(name, member, required.includes(name)))),
    ];
  });
}

function answers(operation) {
  return list(Object.entries(operation.responses ?? {}).map(([status, answer]) => {
    const { description, content = {} } = resolved(answer);
    const types = Object.keys(content).join(", ");
    return [
      made("dt", {}, made("code", { textContent: status }), types ? ` ${types}` : ""),
      made("dd", {}, ...prose(description)),
    ];
  }));
}

/** A command that calls the operation. */
function example(method, path, operation) {
  const type = Object.keys(resolved(operation.requestBody).content ?? {})[0];
  const words = ["curl -sS", `${location.origin}${path}`];
  if (type === "multipart/form-data") {
    const { members, required } = membersOf(resolved(operation.requestBody).content[type].schema);
    const file = Object.keys(members).find((name) => typeOf(members[name]) === "file") ?? "file";
    words.push(`-F ${file}=@recording.wav`);
    for (const name of required.filter((name) => name !== file)) {
      words.push(`-F ${name}=${name === "model" ? "whisper-1" : "…"}`);
    }
  } else if (type) {
    words.push(`-H "Content-Type: ${type}"`, "-d @request.json");
  } else if (method === "post") {
    words.push("-X POST");
  }
  return made("pre", { tabIndex: 0, ariaLabel: "Example" }, made("code", { textContent: words.join(" ") }));
}

function entry(path, method, operation) {
  const details = made("details", { className: "operation", id: operation.operationId ?? "" },
    made("summary", {}, made("span", { className: "method", textContent: method.toUpperCase() }),
      made("code", { textContent: path }), made("span", { className: "quiet", textContent: operation.summary ?? "" })));
  // What is not opened is not built.
  details.ontoggle = () => {
    if (details.children.length > 1) return;
    details.append(made("div", {}, ...[
      operation.description ? [made("p", {}, ...prose(operation.description))] : null,
      section("Example", example(method, path, operation)), section("Parameters", ...parameters(operation)),
      section("Body", ...body(operation)), section("Answers", ...answers(operation)),
    ].flat()));
  };
  return details;
}

function show() {
  document.getElementById("description").append(...prose(api.info.description));
  const operations = Object.entries(api.paths).flatMap(([path, item]) =>
    methods.filter((method) => item[method]).map((method) => ({ path, method, operation: item[method] })));
  const tags = (api.tags ?? []).map(({ name }) => name);
  document.getElementById("contents").append(made("ul", {}, ...tags.map((tag) =>
    made("li", {}, made("a", { href: `#${encodeURIComponent(tag)}`, textContent: tag })))));
  document.getElementById("operations").append(...tags.map((tag) => {
    const mine = operations.filter(({ operation }) => operation.tags?.[0] === tag);
    const title = made("h2", { id: tag, textContent: tag });
    return made("section", {}, title, ...mine.map(({ path, method, operation }) => entry(path, method, operation)));
  }));
}

try {
  const answer = await fetch("/openapi.json");
  if (!answer.ok) throw new Error();
  api = await answer.json();
  show();
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target) {
    target.open = true;
    target.scrollIntoView();
  }
} catch {
  const problem = document.getElementById("problem");
  problem.textContent = "The description could not be loaded. Is `whisper-local serve` still running?";
  problem.hidden = false;
}
