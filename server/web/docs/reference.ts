import type { resources } from "../../../src/contract/index.ts";
import { pages } from "../../../src/contract/pages/addresses.ts";
import { html, type Markup } from "../html.ts";
import type { Entry } from "./layout.ts";
import { table } from "./markup.ts";
import { type Operation, type Parameter, type Reference, type Route, refName, routesOf, type Schema } from "./openapi.ts";

/** The API reference: a page for each group of endpoints and one for the objects they share, rendered from the OpenAPI document. */

const titles: Record<keyof typeof resources, string> = {
  auth: "Accounts and keys",
  games: "Games and builds",
  playtests: "Playtests and orders",
  slots: "Slots and submissions",
  statistics: "Statistics",
  moments: "Moments",
  stills: "Still images",
  findings: "Findings",
  signals: "Signals",
  highlights: "Highlights",
  shares: "Public links",
  search: "Search",
  clips: "Clips",
  applications: "Applications",
  approvals: "Approvals",
  billing: "Billing",
  budgets: "Budgets",
  chat: "Chat",
  info: "Reference data",
  webhooks: "Webhooks and events",
  notifications: "Notifications",
  playtester: "For playtesters",
  agreements: "Agreements",
  admin: "Administration",
  sandbox: "Sandbox",
};

export const groupTitle = (tag: string) => titles[tag as keyof typeof titles];

export const groupEntries = ({ tags }: Reference): Entry[] => [
  { href: pages.reference(), title: "Overview" },
  ...tags.map(({ name }) => ({ href: pages.group(name), title: groupTitle(name) })),
  { href: pages.objects(), title: "Objects" },
];

const join = (parts: readonly Markup[], between: string) => parts.map((part, i) => html`${i > 0 && between}${part}`);

function limitsOf({ minimum, maximum, minLength, maxLength, maxItems }: Schema): string {
  const parts = [
    minimum !== undefined && maximum !== undefined && `${minimum} to ${maximum}`,
    minimum !== undefined && maximum === undefined && `at least ${minimum}`,
    minimum === undefined && maximum !== undefined && `at most ${maximum}`,
    maxLength !== undefined && `${minLength ? `${minLength} to` : "at most"} ${maxLength} characters`,
    maxItems !== undefined && `at most ${maxItems} items`,
  ];
  const known = parts.filter((part) => part !== false);
  return known.length > 0 ? `, ${known.join(", ")}` : "";
}

/** Removes a maximum or minimum that is JavaScript's largest integer: zod writes it for schemas without a limit. */
const withoutDefaultLimits = (schema: Schema): Schema => {
  const { minimum, maximum, ...rest } = schema;
  const isLimit = (value: number | undefined): value is number =>
    value !== undefined && Math.abs(value) !== Number.MAX_SAFE_INTEGER;
  return { ...rest, ...(isLimit(minimum) && { minimum }), ...(isLimit(maximum) && { maximum }) };
};

/** A type in a few words, such as "array of Game" or "integer, 1 to 100". */
function typeOf(schema: Schema): Markup {
  if (schema.$ref) return html`<a href="${pages.objects()}#${refName(schema.$ref)}">${refName(schema.$ref)}</a>`;
  if (schema.anyOf) return html`${join(schema.anyOf.map(typeOf), " or ")}`;
  if (schema.enum)
    return html`${join(
      schema.enum.map((value) => html`<code>${value}</code>`),
      ", ",
    )}`;
  if (schema.const !== undefined) return html`<code>${schema.const}</code>`;
  if (schema.items) return html`array of ${typeOf(schema.items)}${limitsOf(schema)}`;
  const names = typeof schema.type === "string" ? [schema.type] : (schema.type ?? ["any"]);
  return html`${names.join(" or ")}${schema.format && ` (${schema.format})`}${limitsOf(withoutDefaultLimits(schema))}`;
}

interface Row {
  name: string;
  schema: Schema;
  required: boolean;
}

const isObject = (schema: Schema) => schema.properties !== undefined;

/** The object schema in this schema, which may be the object itself, an object or null, or an array of objects. */
const objectIn = (schema: Schema): Schema | undefined =>
  [schema, ...(schema.anyOf ?? []), ...(schema.items ? [schema.items] : [])].find(isObject);

/** The fields of an object. Those of nested objects have dotted names. */
function rowsOf(schema: Schema, path = ""): Row[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const inner = objectIn(field);
    const row = { name: path + name, schema: field, required: schema.required?.includes(name) === true };
    return inner ? [row, ...rowsOf(inner, `${path}${name}${field.items ? "[]" : ""}.`)] : [row];
  });
}

/** Text in which backticks mark code. */
const prose = (text = ""): Markup[] =>
  text.split("`").map((part, i) => (i % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));

const describe = ({ description, default: fallback }: Schema) =>
  html`${prose(description)}${
    fallback !== undefined && !description?.includes("default") && html` Default <code>${JSON.stringify(fallback)}</code>.`
  }`;

const typeCell = (schema: Schema): Markup => {
  const inner = objectIn(schema);
  if (!inner || isObject(schema)) return inner ? html`object` : typeOf(schema);
  return schema.items ? html`array of objects` : html`object or null`;
};

const nameCell = (name: string, required: boolean) =>
  html`<code>${name}</code>${required && html` <span class="needed">required</span>`}`;

/** A table of the fields. `marksRequired` is false for responses, where every field is present. */
function fieldTable(schema: Schema, marksRequired: boolean): Markup {
  const rows = rowsOf(schema);
  if (rows.length === 0) return html`<p>An empty object.</p>`;
  return table(
    ["Field", "Type", "Description"],
    rows.map(({ name, schema: field, required }) => [
      nameCell(name, marksRequired && required),
      typeCell(field),
      describe(field),
    ]),
  );
}

function parameterTable(parameters: readonly Parameter[]): Markup {
  return table(
    ["Parameter", "In", "Type", "Description"],
    parameters.map(({ name, in: location, required, schema = {}, description }) => [
      nameCell(name, required === true && location !== "path"),
      location,
      typeOf(schema),
      prose(description),
    ]),
  );
}

function scopeText({ security }: Operation): Markup {
  const names = security.map(({ apiKey }) => apiKey);
  if (names.length === 0) return html`No API key needed`;
  if (names.some((scopes) => scopes === undefined)) return html`API key optional`;
  const alternatives = names.filter((scopes) => scopes !== undefined).filter((scopes) => scopes.length > 0);
  if (alternatives.length === 0) return html`Any API key`;
  const each = alternatives.map(
    (scopes) =>
      html`${join(
        scopes.map((scope) => html`<code>${scope}</code>`),
        " and ",
      )}`,
  );
  return html`Scope ${join(each, " or ")}`;
}

const schemaOf = (content: Record<string, { schema?: Schema }> | undefined) => content?.["application/json"]?.schema;

function replyOf({ responses }: Operation): { status: string; markup: Markup } {
  const [status = "", { content }] = Object.entries(responses).find(([code]) => code.startsWith("2")) ?? ["", {}];
  const whole = schemaOf(content);
  const data = whole?.properties?.data;
  if (!whole) {
    const [media] = Object.keys(content ?? {});
    return { status, markup: html`<p>${media ? html`A file: <code>${media}</code>.` : "No body."}</p>` };
  }
  if (!data) return { status, markup: html`<p>JSON without the envelope.</p>` };
  return { status, markup: isObject(data) ? fieldTable(data, false) : html`<p>${typeOf(data)}</p>` };
}

const errorsOf = ({ responses }: Operation) =>
  Object.entries(responses)
    .filter(([status]) => !status.startsWith("2"))
    .map(([status, { $ref = "" }]) => html`<li>${status}: ${refName($ref).replace(".x402", "").split(".").join(", ")}</li>`);

function section({ components }: Reference, { method, path, operation }: Route): Markup {
  const parameters = operation.parameters.map((one) => ("$ref" in one ? components.parameters[refName(one.$ref)]! : one));
  const body = schemaOf(operation.requestBody?.content);
  const reply = replyOf(operation);
  return html`<section><h2 id="${operation.operationId}">${operation.summary}</h2>
<p class="route"><span class="method">${method}</span> <code>${path}</code></p>
<p class="soft">${scopeText(operation)} · <code>${operation.operationId}</code>${operation["x-extension"] && " · extension"}</p>
${parameters.length > 0 && html`<h3>Parameters</h3>${parameterTable(parameters)}`}
${body && html`<h3>Body</h3>${fieldTable(body, true)}`}
<h3>Reply ${reply.status}</h3>${reply.markup}
<details><summary>Errors</summary><ul>${errorsOf(operation)}</ul></details></section>`;
}

/** Every endpoint of a group, by name. */
export function groupPage(reference: Reference, tag: string): { body: Markup; parts: Entry[] } {
  const routes = routesOf(reference, tag);
  return {
    body: html`${routes.map((route) => section(reference, route))}`,
    parts: routes.map(({ operation }) => ({ href: `#${operation.operationId}`, title: operation.summary })),
  };
}

/** A list of every endpoint, with links to its description. */
export const overview = (reference: Reference): Markup =>
  html`${reference.tags.map(
    ({ name }) => html`<h2 id="${name}"><a href="${pages.group(name)}">${groupTitle(name)}</a></h2>
<ul class="endpoints">${routesOf(reference, name).map(
      ({ method, path, operation }) =>
        html`<li><a href="${pages.group(name)}#${operation.operationId}">${operation.summary}</a><br><span class="method">${method}</span> <code>${path}</code></li>`,
    )}</ul>`,
  )}`;

/** The objects that several responses contain. */
export function objectsPage({ components }: Reference): { body: Markup; parts: Entry[] } {
  const names = Object.keys(components.schemas).sort();
  return {
    body: html`${names.map((name) => html`<section><h2 id="${name}">${name}</h2>${fieldTable(components.schemas[name]!, false)}</section>`)}`,
    parts: names.map((name) => ({ href: `#${name}`, title: name })),
  };
}
