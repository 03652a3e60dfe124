import * as z from "zod";
import type { Toolset } from "../../src/contract/text/toolsets.ts";
import type { Answer } from "./answer.ts";
import type { Host } from "./host.ts";

/** What the person at the client is asked before something is done. */
export interface Question {
  message: string;
  /** What they agree to pay, in cents. */
  cents: number;
}

/** One call of a tool. */
export interface Exchange {
  host: Host;
  signal: AbortSignal;
  /** Whether the client says that it can ask its user. */
  canAsk: boolean;
  /** What the user answered, and to what price in cents; absent before they were asked. */
  reply?: { agreed: boolean; cents: number };
}

/** What a tool answers with, or what it asks first. */
export type Outcome = Answer | { ask: Question };

export interface Tool {
  name: string;
  toolset: Toolset;
  description: string;
  /** Fields of its arguments; unknown ones are refused. */
  input: z.ZodRawShape;
  /** Fields of its structured content. `untrustedText` is added where `quotes` is set. */
  output: z.ZodRawShape;
  /** Whether it answers with text of others. */
  quotes?: boolean;
  /** Whether calling it twice with the same arguments does nothing more. */
  idempotent?: boolean;
  /** Whether what it does cannot be undone. */
  destructive?: boolean;
  /** Whether it is there only where files of this computer are. */
  local?: boolean;
  run(input: never, exchange: Exchange): Promise<Outcome>;
}

/** A tool whose function gets its arguments as its schema says. */
export const tool = <const Input extends z.ZodRawShape>(
  given: Omit<Tool, "input" | "run"> & {
    input: Input;
    run(input: z.output<z.ZodObject<Input>>, exchange: Exchange): Promise<Outcome>;
  },
): Tool => given;

export const argumentsOf = ({ input }: Tool) => z.strictObject(input);
export const contentOf = ({ output, quotes }: Tool) =>
  z.object({ ...output, ...(quotes && { untrustedText: z.string().optional() }) });

/** What zod says that every client assumes anyway: each byte of the list is read by a model. */
const isNoise = (key: string, value: unknown, { format }: { format?: unknown }) =>
  key === "$schema" ||
  (key === "pattern" && format !== undefined) ||
  (/^(minimum|maximum)$/.test(key) && Math.abs(value as number) === Number.MAX_SAFE_INTEGER);

/** A schema as JSON Schema, without what says nothing. */
export function schemaOf(schema: z.ZodObject): { type: "object" } & Record<string, unknown> {
  const text = JSON.stringify(z.toJSONSchema(schema, { io: "input", reused: "inline" }), function (key, value) {
    return isNoise(key, value, this as object) ? undefined : value;
  });
  return JSON.parse(text);
}

/** The tool as clients list it. */
export const listing = (one: Tool) => ({
  name: one.name,
  description: one.description,
  inputSchema: schemaOf(z.object(one.input)),
  outputSchema: schemaOf(contentOf(one)),
  annotations:
    one.toolset === "read" || one.name === "quote_order"
      ? { readOnlyHint: true }
      : { destructiveHint: one.destructive === true, ...(one.idempotent && { idempotentHint: true }) },
});
