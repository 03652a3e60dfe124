import { usage } from "../../errors.ts";

/** Pure functions for `--fail-if` conditions. */

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
 * Parses a condition such as `rejected>1`. Absent numbers count as 0. Throws a usage error if the syntax is invalid or the name is not
 * one of `names`. Errors call such a name a `kind`.
 */
export function parseGate(text: string, names: readonly string[], kind: string) {
  const [, name = "", operator = "", count = ""] = /^\s*(\w+)\s*(>=|<=|==|!=|>|<|=)\s*(\d{1,9})\s*$/.exec(text) ?? [];
  const compare = comparisons[operator];
  const example = names.includes("rejected") ? "rejected>1" : `${names[0]}>0`;
  if (!compare)
    throw usage(
      `--fail-if: ${JSON.stringify(text)} is not a valid condition. Example: ${example}.`,
      "Operators: > >= < <= = !=.",
    );
  if (!names.includes(name))
    throw usage(`--fail-if: unknown ${kind} ${JSON.stringify(name)}.`, `Use one of ${names.join(", ")}.`);
  return { name, fails: (numbers: Readonly<Record<string, number>>) => compare(numbers[name] ?? 0, Number(count)) };
}
