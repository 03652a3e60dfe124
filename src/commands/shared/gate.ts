import { usage } from "../../errors.ts";

/** Conditions of `--fail-if`: pure. */

const comparisons: Record<string, (a: number, b: number) => boolean> = {
  ">": (a, b) => a > b,
  ">=": (a, b) => a >= b,
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
  "=": (a, b) => a === b,
  "==": (a, b) => a === b,
  "!=": (a, b) => a !== b,
};

/**
 * Reads one condition, such as `rejected>1`: whether the numbers meet it. Those that are absent count as 0. Throws a usage error for what
 * is no condition, or names none of `names`, which are called `kind`.
 */
export function parseGate(text: string, names: readonly string[], kind: string) {
  const [, name = "", operator = "", count = ""] = /^\s*(\w+)\s*(>=|<=|==|!=|>|<|=)\s*(\d{1,9})\s*$/.exec(text) ?? [];
  const compare = comparisons[operator];
  const example = names.includes("rejected") ? "rejected>1" : `${names[0]}>0`;
  if (!compare)
    throw usage(`--fail-if: ${JSON.stringify(text)} is not a condition such as ${example}.`, "Compare with > >= < <= = or !=.");
  if (!names.includes(name))
    throw usage(`--fail-if: there is no ${kind} ${JSON.stringify(name)}.`, `Known: ${names.join(", ")}.`);
  return { name, fails: (numbers: Readonly<Record<string, number>>) => compare(numbers[name] ?? 0, Number(count)) };
}
