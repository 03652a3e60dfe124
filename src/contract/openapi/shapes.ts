import type { Endpoint } from "../endpoint.ts";
import { contract, type Operation } from "../index.ts";
import { type JsonSchema, replySchema } from "./json-schema.ts";

/**
 * What a client needs of each reply to work with it, as plain data: a build evaluates this module once. It is laxer than the contract,
 * because other servers leave out what the specification allows: values may be null, and most may be missing.
 */

/** A type, `#` and the name of a definition, or what a list or an object holds. */
export type Shape =
  | "string"
  | "integer"
  | "number"
  | "boolean"
  | "any"
  | `#${string}`
  | { list: Shape }
  | { any: readonly Shape[] }
  | { fields: Readonly<Record<string, Shape>>; needs: readonly string[] };

/** Required by the contract, but left out by other servers. Commands do without. */
const dispensable = new Set([
  "message",
  "user",
  "currency",
  "sessionId",
  "expiresAt",
  "filename",
  "version",
  "playtestMinutes",
  "failureCount",
  "unreadCount",
  "videoFileSize",
  "keyTakeaways",
  ...["categories", "devices", "platforms"],
]);

/** Without these, a person would not know what a line is about. */
const shownTexts = new Set(["id", "name", "displayName"]);

type Defs = Record<string, JsonSchema>;
const isNull = (node: JsonSchema) => node.type === "null";
const optionsOf = (node: JsonSchema) => ((node.anyOf ?? [node]) as JsonSchema[]).filter((one) => !isNull(one));
const nullable = (node: JsonSchema) => ((node.anyOf ?? []) as JsonSchema[]).some(isNull);

const resolved = (node: JsonSchema, defs: Defs): JsonSchema =>
  node.$ref === undefined ? node : (defs[node.$ref.replace("#/$defs/", "")] ?? node);

/** Whether commands fail without this field: ids, names, lists and objects; in the reply itself also numbers and other texts, such as a secret. */
function isNeeded(name: string, node: JsonSchema, defs: Defs, outermost: boolean): boolean {
  const { type } = resolved(optionsOf(node)[0] ?? {}, defs);
  if (node["x-extension"] === true || nullable(node)) return false;
  if (dispensable.has(name) && !(name === "message" && type === "object")) return false;
  if (type === "string") return outermost || shownTexts.has(name);
  if (type === "integer" || type === "number") return outermost;
  return type === "array" || type === "object";
}

function objectShape(forms: readonly JsonSchema[], defs: Defs, outermost: boolean): Shape {
  const names = [...new Set(forms.flatMap((form) => Object.keys(form.properties ?? {})))];
  const nodesOf = (name: string) =>
    forms.flatMap((form) => (form.properties?.[name] === undefined ? [] : [form.properties[name] as JsonSchema]));
  const shapesOf = (name: string) => {
    const distinct = new Map(nodesOf(name).map((node) => [JSON.stringify(node), shapeOf(node, defs)]));
    return distinct.size === 1 ? [...distinct.values()][0]! : { any: [...distinct.values()] };
  };
  const required = names.filter((name) => forms.every((form) => form.required?.includes(name)));
  const needs = required.filter((name) => nodesOf(name).every((node) => isNeeded(name, node, defs, outermost)));
  const fields = Object.fromEntries(names.map((name) => [name, shapesOf(name)]));
  // A reply that holds nothing says nothing.
  return { fields, needs: outermost && needs.length === 0 ? required : needs };
}

function shapeOf(node: JsonSchema, defs: Defs, outermost = false): Shape {
  const options = optionsOf(node);
  if (options.length === 0) return "any";
  const forms = options.map((one) => (outermost ? resolved(one, defs) : one));
  if (forms.every((form) => form.type === "object" && form.properties !== undefined)) return objectShape(forms, defs, outermost);
  if (forms.length > 1) return { any: forms.map((form) => shapeOf(form, defs)) };
  const [only] = forms as [JsonSchema];
  if (only.$ref !== undefined) return `#${only.$ref.replace("#/$defs/", "")}`;
  if (only.type === "array") return { list: shapeOf((only.items ?? {}) as JsonSchema, defs) };
  const { type } = only;
  return type === "string" || type === "integer" || type === "number" || type === "boolean" ? type : "any";
}

const definitions: Record<string, Shape> = {};

function replyShape({ reply, media }: Endpoint): Shape {
  if (media !== undefined && media !== "events") return "any";
  const schema = replySchema(reply);
  const defs = (schema.$defs ?? {}) as Defs;
  for (const [name, node] of Object.entries(defs)) definitions[name] ??= shapeOf(node, defs);
  return shapeOf(schema, defs, true);
}

const entries = Object.entries(contract as Record<string, Endpoint>).map(([name, one]) => [name, replyShape(one)]);

/** Of the `data` of each operation's reply. */
export const shapes = Object.fromEntries(entries) as Record<Operation, Shape>;
/** The shapes that `#` names. */
export const shapeDefinitions: Readonly<Record<string, Shape>> = definitions;
