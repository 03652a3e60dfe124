import { endless } from "../../api/pages.ts";
import { notTheApi, parseJson } from "../../api/replies.ts";
import { arg, type Context, define, flag } from "../../cli/define.ts";
import { usage } from "../../errors.ts";
import { oneLine, toJson } from "../../io/text.ts";

const methods = ["GET", "POST", "PATCH", "PUT", "DELETE", "HEAD"];
type Json = Record<string, unknown>;

/** Normalizes a path: `games`, `/games` and `/api/v1/games` are the same. */
export const apiPath = (text: string) => `/${text.replace(/^\/?(api\/v1\/)?/, "")}`;

function split(pair: string, label: string): [string, string] {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(pair) ?? [];
  if (name === undefined || value === undefined) throw usage(`${label}: ${JSON.stringify(pair)} must have the form name=value.`);
  return [name, value];
}

/** Parses `true`, `false`, `null` and numbers, reads the file for `@file`, and leaves anything else as a string. */
async function typed(text: string, ctx: Context): Promise<unknown> {
  if (text.startsWith("@")) return ctx.io.readText(text.slice(1), "-F");
  if (text === "true" || text === "false") return text === "true";
  if (text === "null") return null;
  return /^-?(0|[1-9]\d*)(\.\d+)?$/.test(text) ? Number(text) : text;
}

function put(fields: Json, name: string, value: unknown) {
  if (!name.endsWith("[]")) fields[name] = value;
  else fields[name.slice(0, -2)] = [...((fields[name.slice(0, -2)] as unknown[]) ?? []), value];
}

async function fieldsOf(texts: readonly string[], values: readonly string[], ctx: Context): Promise<Json | undefined> {
  if (texts.length + values.length === 0) return undefined;
  const fields: Json = {};
  for (const pair of texts) put(fields, ...split(pair, "-f"));
  for (const pair of values) {
    const [name, value] = split(pair, "-F");
    put(fields, name, await typed(value, ctx));
  }
  return fields;
}

const withQuery = (path: string, fields: Json | undefined) => {
  if (!fields) return path;
  const query = new URLSearchParams(Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)]));
  return `${path}${path.includes("?") ? "&" : "?"}${query}`;
};

/** All pages of a list as one body: the items concatenated, with the `meta` of the last page. */
const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value);

/** A page of a list. Undefined for any other body. */
const pageOf = (body: unknown) =>
  isObject(body) && isObject(body.data) ? { ...body, data: body.data, meta: isObject(body.meta) ? body.meta : {} } : undefined;

async function allPages(ctx: Context, path: string, headers: Record<string, string>) {
  let joined: { data: Json; meta: Json } | undefined;
  let cursor: string | null = null;
  const seen = new Set<string>();
  do {
    const at = cursor === null ? path : withQuery(path.replace(/([?&])cursor=[^&]*&?/, "$1").replace(/[?&]$/, ""), { cursor });
    const reply = await ctx.api().checked({ method: "GET", path: at, headers });
    const page = pageOf(parseJson(reply.body));
    if (page === undefined) throw notTheApi(reply, new URL(ctx.api().base));
    const key = Object.keys(page.data).find((name) => Array.isArray(page.data[name]));
    const before = key === undefined ? undefined : joined?.data[key];
    if (key !== undefined && Array.isArray(before)) page.data = { ...page.data, [key]: before.concat(page.data[key]) };
    joined = page;
    const next = page.meta.hasMore === true && typeof page.meta.cursor === "string" ? page.meta.cursor : null;
    if (next !== null && seen.has(next)) throw endless();
    cursor = next;
    seen.add(next ?? "");
  } while (cursor !== null);
  return joined;
}

async function sent(ctx: Context, file: string): Promise<unknown> {
  const text = await ctx.io.readText(file, "--input");
  try {
    return JSON.parse(text);
  } catch {
    throw usage("--input: not valid JSON.");
  }
}

const isJson = (type: string | undefined) => type?.includes("json") === true;

export const api = define({
  name: "api",
  private: true,
  summary: "Call any API endpoint and print the response body",
  description:
    "The path is relative to /api/v1. -f adds a string field, -F a typed field (a number, true, false, null or @file). In a GET request, " +
    "fields become query parameters.",
  risk: "write",
  args: { words: arg.many("Method (default GET, or POST with fields) and path") },
  flags: {
    field: flag.list("Add a string field, name=value; for an array, name[]=value", { short: "f", value: "NAME=VALUE" }),
    typedField: flag.list("Add a typed field, name=value", { short: "F", value: "NAME=VALUE" }),
    input: flag.text("Send this file as the request body; - for standard input", { value: "FILE" }),
    paginate: flag.toggle("Fetch all pages and merge them"),
    include: flag.toggle("Print the status and headers first", { short: "i" }),
    httpHeader: flag.list("Add a request header, 'name: value'", { short: "H", value: "HEADER" }),
  },
  examples: [
    "playtest api games",
    "playtest api POST games -f name='Star Miner' -f buildUrl=https://example.com/a.zip -f 'devices[]=PC'",
    "playtest api games --paginate --jq '.data.games[].name'",
  ],
  exits: [3, 4, 5, 6, 7, 9, 10, 12],
  async run({ args, flags }, ctx) {
    const [first = "", ...rest] = args.words;
    const named = methods.includes(first.toUpperCase()) && rest.length > 0;
    const path = named ? rest[0]! : first;
    if (!named && rest.length > 0) throw usage(`Unknown method ${JSON.stringify(first)}.`, `Use one of ${methods.join(", ")}.`);
    if (rest.length > 1) throw usage(`Unexpected argument ${JSON.stringify(rest.at(-1))}.`);
    const fields = await fieldsOf(flags.field, flags.typedField, ctx);
    const sends = (fields !== undefined && !flags.paginate) || flags.input !== undefined;
    const method = named ? first.toUpperCase() : sends ? "POST" : "GET";
    const reads = method === "GET" || method === "HEAD";
    const headers = Object.fromEntries(flags.httpHeader.map((text) => splitHeader(text)));
    const target = withQuery(apiPath(path), reads ? fields : undefined);
    if (flags.paginate && !reads) throw usage("--paginate works only with GET.");
    if (flags.paginate) {
      const joined = await allPages(ctx, target, headers);
      return ctx.verbatim(toJson(joined), joined);
    }
    const body = flags.input === undefined ? (reads ? undefined : fields) : await sent(ctx, flags.input);
    const request = { method, path: target, headers, body, mutation: !reads, idempotencyKey: reads ? "" : ctx.api().nextKey() };
    const reply = await ctx.api().checked(request);
    if (flags.include) await ctx.out.raw(headText(reply));
    // It has no body, whatever its headers say.
    if (method === "HEAD") return undefined;
    if (!isJson(reply.headers["content-type"])) return printBytes(ctx, reply.body, reply.headers["content-type"]);
    const text = reply.body.toString("utf8");
    const data = parseJson(reply.body);
    if (data === undefined) {
      const error = notTheApi(reply, new URL(ctx.api().base));
      throw reads ? error : await ctx.api().unusable(request, request.idempotencyKey, error);
    }
    return ctx.verbatim(ctx.io.terminal.stdout ? toJson(data, 2) : text, data);
  },
});

function splitHeader(text: string): [string, string] {
  const [, name, value] = /^([\w-]+):\s*(.*)$/.exec(text) ?? [];
  if (name === undefined || value === undefined) throw usage(`-H: ${JSON.stringify(text)} must have the form 'Name: value'.`);
  return [name.toLowerCase(), value];
}

const headText = ({ status, headers }: { status: number; headers: Record<string, string> }) =>
  `HTTP ${status}\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${oneLine(value)}\n`)
    .join("")}\n`;

async function printBytes(ctx: Context, body: Buffer, type: string | undefined) {
  if (ctx.io.terminal.stdout && ctx.flags.output === undefined)
    throw usage(
      `The response (${body.length} bytes of ${type ?? "unknown type"}) cannot be printed on a terminal.`,
      "Write it to a file with -o FILE.",
    );
  await ctx.out.raw(body);
  return undefined;
}
