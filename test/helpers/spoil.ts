import type { Answer } from "./hosted.ts";

/** Ways in which a reply can be wrong, as a hostile, broken or other server sends it. */

type Change = (leaf: unknown, name: string) => unknown;

function eachLeaf(value: unknown, change: Change, name = ""): unknown {
  if (Array.isArray(value)) return value.map((one) => eachLeaf(one, change, name));
  if (typeof value !== "object" || value === null) return change(value, name);
  const entries = Object.entries(value).map(([key, inner]) => [key, eachLeaf(inner, change, key)] as const);
  return Object.fromEntries(entries.filter(([, inner]) => inner !== undefined));
}

const isId = (name: string) => name === "id" || name.endsWith("Id");
const otherType: Change = (leaf) => (typeof leaf === "string" ? 7 : typeof leaf === "number" ? "seven" : { unexpected: true });
const onlyNumbers: Change = (leaf, name) => (isId(name) || typeof leaf === "number" ? leaf : undefined);
const otherIds: Change = (leaf, name) => (isId(name) && typeof leaf === "string" ? `x_${leaf.slice(-8)}` : leaf);
const nulls: Change = (leaf, name) => (isId(name) ? leaf : null);

function swapped(value: unknown): unknown {
  if (Array.isArray(value)) return { ...value };
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, Array.isArray(inner) ? { ...inner } : [inner]]));
}

const json = (value: unknown): Pick<Answer, "raw"> => ({ raw: JSON.stringify(value) });
const data = (value: unknown) => json({ data: value, meta: { requestId: "req_1", timestamp: "now" } });

export const unusable: Record<string, (answer: Answer) => Pick<Answer, "raw" | "headers">> = {
  "{}": () => json({}),
  null: () => json(null),
  HTML: () => ({ raw: "<!doctype html><title>Welcome</title>", headers: { "content-type": "text/html" } }),
  "truncated JSON": (answer) => ({ raw: JSON.stringify({ data: answer.data ?? {}, meta: {} }).slice(0, -9) }),
  "empty data": () => data({}),
  "a list as data": () => data([]),
  "lists and objects swapped": (answer) => data(swapped(answer.data)),
  "wrong types": (answer) => data(eachLeaf(answer.data, otherType)),
};

/** Replies that lack something, or say it otherwise. Commands may do without. */
export const partial: Record<string, (answer: Answer) => Pick<Answer, "raw">> = {
  "only ids": (answer) => data(eachLeaf(answer.data, (leaf, name) => (isId(name) ? leaf : undefined))),
  "only ids and numbers": (answer) => data(eachLeaf(answer.data, onlyNumbers)),
  "nulls but for ids": (answer) => data(eachLeaf(answer.data, nulls)),
  "ids that are no UUIDs": (answer) => data(eachLeaf(answer.data, otherIds)),
  "a wrong meta": (answer) => json({ data: answer.data, meta: { cursor: 7, hasMore: "yes" } }),
  "one object bare": (answer) => data({ id: "x_1", ...Object.values((answer.data ?? {}) as object)[0] }),
};
