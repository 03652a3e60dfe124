import type { Access, Endpoint, Media, Method, Risk } from "./endpoint.ts";
import { contract, type Operation } from "./index.ts";
import { inputSchema, type JsonSchema, replySchema } from "./openapi/json-schema.ts";

/**
 * What the command line needs of the contract, without zod: a build evaluates this module once and ships its value, so that a
 * command starts without loading a validator.
 */

export interface Field {
  name: string;
  type: "string" | "integer" | "number" | "boolean" | "object";
  array: boolean;
  required: boolean;
  nullable: boolean;
  enum?: readonly (string | number)[];
  format?: string;
  min?: number;
  max?: number;
  minLength?: number;
  maxLength?: number;
  maxItems?: number;
  default?: unknown;
  description?: string;
}

export interface StaticOperation {
  method: Method;
  path: string;
  also: readonly string[];
  access: Access;
  risk: Risk;
  summary: string;
  list: boolean;
  extension: boolean;
  media?: Media;
  /** The list or object without which a reply is of no use, by its name in `data`. */
  payload?: { name: string; list: boolean };
  query: readonly Field[];
  body: readonly Field[];
}

const plain = (schema: JsonSchema) => {
  const options = (schema.anyOf ?? []) as JsonSchema[];
  const main = options.find((option) => option.type !== "null") ?? {};
  return { ...main, ...schema, nullable: options.some((option) => option.type === "null") };
};

function field(name: string, schema: JsonSchema, required: boolean): Field {
  const { nullable, ...outer } = plain(schema);
  const array = outer.type === "array";
  const inner = array ? (outer.items as JsonSchema) : outer;
  const known: Record<string, unknown> = {
    enum: inner.enum,
    format: inner.format,
    min: inner.minimum,
    max: inner.maximum,
    minLength: inner.minLength,
    maxLength: inner.maxLength,
    maxItems: outer.maxItems,
    default: outer.default,
    description: outer.description,
  };
  for (const key of Object.keys(known)) if (known[key] === undefined) delete known[key];
  return { name, type: (inner.type ?? "string") as Field["type"], array, required, nullable, ...known };
}

function fields(type: Endpoint["query"]): Field[] {
  if (!type) return [];
  const { properties = {}, required = [] } = inputSchema(type);
  return Object.entries(properties).map(([name, schema]) => field(name, schema as JsonSchema, required.includes(name)));
}

const isArray = (schema: JsonSchema | undefined) => schema?.type === "array";
const isObject = (schema: JsonSchema | undefined) =>
  schema !== undefined && (schema.type === "object" || "$ref" in schema || "allOf" in schema);

/** What every form of the reply holds: the list of a list, or the only thing that it holds. Replies with other values are of use without it. */
function payloadOf({ reply, list }: Endpoint): StaticOperation["payload"] {
  const schema = replySchema(reply);
  const defined = (form: JsonSchema) => schema.$defs?.[form.$ref?.replace("#/$defs/", "") ?? ""] ?? form;
  const forms = ((schema.anyOf as JsonSchema[] | undefined) ?? [schema]).map(defined);
  const inAll = (forms[0]?.required ?? []).filter((name) => forms.every((form) => form.required?.includes(name)));
  const properties = forms[0]?.properties as Record<string, JsonSchema> | undefined;
  const found = inAll.find((name) => (list ? isArray(properties?.[name]) : isObject(properties?.[name])));
  if (found === undefined || (!list && forms.length === 1 && inAll.length > 1)) return undefined;
  return { name: found, list };
}

const describe = (e: Endpoint): StaticOperation => ({
  method: e.method,
  path: e.path,
  also: e.also ?? [],
  access: e.access,
  risk: e.risk,
  summary: e.summary,
  list: e.list,
  extension: e.extension,
  ...(e.media && { media: e.media }),
  ...(payloadOf(e) && { payload: payloadOf(e)! }),
  query: fields(e.query),
  body: fields(e.body),
});

const entries = Object.entries(contract as Record<string, Endpoint>).map(([name, e]) => [name, describe(e)]);

export const operations = Object.fromEntries(entries) as Record<Operation, StaticOperation>;
