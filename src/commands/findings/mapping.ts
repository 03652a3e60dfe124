import { resolve } from "node:path";
import type { Input } from "../../api/client.ts";
import { parseObject } from "../../cli/body.ts";
import type { Context } from "../../cli/define.ts";
import { type TrackerPriority, trackerPriorities } from "../../contract/findings/trackers.ts";
import { momentKinds } from "../../contract/moments/kinds.ts";
import { usage } from "../../errors.ts";
import type { Finding } from "../shared/findings/source.ts";

/** The file that says which labels, fields and people the issue of a finding gets by its kind, severity and tags. */

type Body = NonNullable<Input<"fileFinding">["body"]>;
/** What an issue gets. */
export type Given = Partial<Pick<Body, "labels" | "assignee" | "priority" | "type">>;
export type Mapping = Readonly<Record<"kinds" | "severities" | "tags", ReadonlyMap<string, Given>>>;

const sections = { kinds: "a kind", severities: "a severity", tags: "a tag" } as const;
const known: Readonly<Record<keyof Mapping, readonly string[] | undefined>> = {
  kinds: momentKinds,
  severities: ["1", "2", "3", "4"],
  tags: undefined,
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isText = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";
const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText);
const isPriority = (value: unknown): value is TrackerPriority => (trackerPriorities as readonly unknown[]).includes(value);

const fields: Readonly<Record<keyof Given, { is(value: unknown): boolean; what: string }>> = {
  labels: { is: isTexts, what: "a list of texts" },
  assignee: { is: isText, what: "a text" },
  priority: { is: isPriority, what: `one of ${trackerPriorities.join(", ")}` },
  type: { is: isText, what: "a text" },
};

function givenIn(value: unknown, where: string): Given {
  if (!isObject(value)) throw usage(`--map: ${where} must have fields such as labels.`);
  for (const [name, given] of Object.entries(value)) {
    const field = Object.hasOwn(fields, name) ? fields[name as keyof Given] : undefined;
    if (!field)
      throw usage(`--map: ${where} has the unknown field ${JSON.stringify(name)}.`, `Known: ${Object.keys(fields).join(", ")}.`);
    if (!field.is(given)) throw usage(`--map: ${name} of ${where} must be ${field.what}.`);
  }
  return value;
}

function sectionIn(name: keyof Mapping, value: unknown): Map<string, Given> {
  if (value === undefined || value === null) return new Map();
  if (!isObject(value)) throw usage(`--map: ${name} must have an entry for each of them.`);
  const entries = Object.entries(value).map(([of, given]): [string, Given] => {
    if (known[name] && !known[name].includes(of))
      throw usage(`--map: ${name}: ${JSON.stringify(of)} is not ${sections[name]}.`, `Known: ${known[name].join(", ")}.`);
    return [of, givenIn(given, `${name}: ${of}`)];
  });
  return new Map(entries);
}

/** What a file in JSON or YAML says. Throws a usage error for what it cannot mean. */
export async function readMapping(ctx: Context, path: string): Promise<Mapping> {
  const text = await ctx.io.readText(path === "-" ? path : resolve(ctx.io.cwd(), path), "--map");
  const value = await parseObject(text, path, "--map");
  const unknown = Object.keys(value).find((name) => !Object.hasOwn(sections, name));
  if (unknown !== undefined)
    throw usage(`--map: unknown section ${JSON.stringify(unknown)} in ${path}.`, `Known: ${Object.keys(sections).join(", ")}.`);
  return {
    kinds: sectionIn("kinds", value.kinds),
    severities: sectionIn("severities", value.severities),
    tags: sectionIn("tags", value.tags),
  };
}

/** What a finding gets: all labels, and of anything else what comes last of kind, severity and tags. */
export function mapped({ kinds, severities, tags }: Mapping, finding: Pick<Finding, "kind" | "severity" | "tags">): Given {
  const parts = [kinds.get(finding.kind), severities.get(String(finding.severity)), ...finding.tags.map((tag) => tags.get(tag))];
  const labels = [...new Set(parts.flatMap((part) => part?.labels ?? []))];
  return Object.assign({}, ...parts, { labels });
}
