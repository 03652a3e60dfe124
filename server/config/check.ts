import type { z } from "zod";
import { nearest } from "../../src/contract/text/nearest.ts";
import { expectation } from "./describe.ts";

import { rules } from "./rules.ts";
import { allSettings, type Setting, type Settings, schema, withoutJit } from "./schema.ts";
import { type Tree, valueAt } from "./tree.ts";

/** Something that is wrong with a setting. */
export interface Fault {
  settings: readonly string[];
  message: string;
}

/** The settings that a tree of values gives with the defaults, and everything that is wrong with it. `label` names a setting and its source. */
export function checkSettings(tree: Tree, label: (setting: string) => string): { settings: Settings; faults: Fault[] } {
  const parsed = schema.safeParse(tree, withoutJit);
  const issues = parsed.success ? [] : parsed.error.issues;
  const faults = issues.flatMap((issue) => faultsOf(issue, tree, label));
  // What is wrong is left at its default, so that rules about the rest are checked as well.
  const settings = parsed.success ? parsed.data : schema.parse(without(tree, issues), withoutJit);
  const wrong = new Set(faults.flatMap((fault) => fault.settings));
  const broken = rules.filter((rule) => !rule.settings.some((name) => wrong.has(name)) && !rule.holds(settings));
  return { settings, faults: [...faults, ...broken.map((rule) => ({ settings: rule.settings, message: rule.requirement }))] };
}

type Issue = z.core.$ZodIssue;

function faultsOf(issue: Issue, tree: Tree, label: (setting: string) => string): Fault[] {
  if (issue.code === "unrecognized_keys")
    return issue.keys.map((key) => {
      const setting = [...issue.path, key].join(".");
      return { settings: [setting], message: unknownSetting(setting) };
    });
  const path = issue.path.join(".");
  const setting = settingAt(path);
  const value = valueAt(tree, issue.path);
  if (setting === undefined)
    return [{ settings: [path], message: `${path} is ${shown(value)}. It must be an object with settings.` }];
  const is = setting.secret ? "is not valid (its value is not shown)" : `is ${shown(value)}`;
  const entry = /^\.(\d+)$/.exec(path.slice(setting.name.length))?.[1];
  const subject = entry === undefined ? "It" : "The setting";
  const name = entry === undefined ? label(setting.name) : `Entry ${Number(entry) + 1} of ${label(setting.name)}`;
  return [{ settings: [setting.name], message: `${name} ${is}. ${subject} must be ${expectation(setting)}.` }];
}

const settingAt = (path: string): Setting | undefined =>
  allSettings().find(({ name }) => path === name || path.startsWith(`${name}.`));

/** What flags and the program itself decide. */
const elsewhere: Readonly<Record<string, string>> = {
  baseUrl: "Use --public-url.",
  sandbox: "Use --sandbox.",
  autoVerify: "Use --no-auto-verify.",
  behindProxy: "Use --behind-proxy.",
  version: "It is the program's own.",
};

function unknownSetting(name: string): string {
  if (Object.hasOwn(elsewhere, name)) return `${name} cannot be set in the configuration. ${elsewhere[name]}`;
  const near = nearest(
    name,
    allSettings().flatMap((setting) => withSections(setting.name)),
  );
  return `Unknown setting ${name}.${near === undefined ? "" : ` Did you mean ${near}?`}`;
}

/** A setting's name after those of its sections: `a`, `a.b`, `a.b.c`. */
const withSections = (name: string) => name.split(".").map((_, index, parts) => parts.slice(0, index + 1).join("."));

const longest = 80;

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? "missing";
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

/** A copy without what the issues are about. */
function without(tree: Tree, issues: readonly Issue[]): Tree {
  const copy = structuredClone(tree);
  const remove = (path: readonly PropertyKey[]) => {
    const parent = valueAt(copy, path.slice(0, -1)) as Record<PropertyKey, unknown>;
    delete parent[path.at(-1)!];
  };
  for (const issue of issues) {
    const setting = settingAt(issue.path.join("."));
    if (issue.code === "unrecognized_keys") for (const key of issue.keys) remove([...issue.path, key]);
    else remove(setting ? setting.name.split(".") : issue.path);
  }
  return copy;
}
