import type { z } from "zod";
import type { ErrorDetail } from "../../src/contract/errors.ts";
import { ApiError } from "../lib/api-error.ts";

const maxDetails = 20;

/** The types of a schema, as messages name them. */
const typeNames: Readonly<Record<string, string>> = {
  int: "a whole number",
  number: "a number",
  string: "a string",
  boolean: "true or false",
  array: "an array",
  object: "an object",
  record: "an object",
  null: "null",
};

/** Parses `value` by the schema. Throws 422 with one detail per field. */
export function validate<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const details = result.error.issues.flatMap((issue) => detailsOf(issue, value)).slice(0, maxDetails);
  const [first] = details;
  throw new ApiError("VALIDATION_ERROR", `${first?.field}: ${first?.message}`, { details });
}

function detailsOf(issue: z.core.$ZodIssue, root: unknown): ErrorDetail[] {
  const field = issue.path.map(String).join(".") || "body";
  if (issue.code === "unrecognized_keys") {
    const prefix = issue.path.length > 0 ? `${field}.` : "";
    return issue.keys.map((key) => ({ field: prefix + key.slice(0, 100), message: "is not a known field of this request" }));
  }
  return [{ field, message: messageOf(issue, root) }];
}

function messageOf(issue: z.core.$ZodIssue, root: unknown): string {
  if (issue.code === "custom") return issue.message;
  if (issue.code === "invalid_type" || issue.code === "invalid_value") {
    if (valueAt(root, issue.path) === undefined) return "is required";
    if (issue.code === "invalid_value")
      return `must be ${issue.values.length > 1 ? "one of " : ""}${issue.values.map(String).join(", ")}`;
    return `must be ${typeNames[issue.expected] ?? issue.expected}`;
  }
  if (issue.code === "too_small") return `must be at least ${issue.minimum}`;
  if (issue.code === "too_big") return `must be at most ${issue.maximum}`;
  if (issue.code === "invalid_format" && issue.format === "uuid") return "must be a full id";
  if (issue.code === "invalid_format") return issue.format === "regex" ? issue.message : `must be a valid ${issue.format}`;
  return issue.message;
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown> | undefined)?.[key], root);
}
