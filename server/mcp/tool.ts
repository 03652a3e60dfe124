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

/** What no model has to read: each byte of the list is. Arguments are checked by all of it, and errors name what is wrong. */
const noise = new Set(["$schema", "propertyNames", "pattern", "format", "minLength", "maxLength", "minimum"]);
const isNoise = (key: string, value: unknown) => noise.has(key) || (key === "maximum" && value === Number.MAX_SAFE_INTEGER);

/** `anyOf` of plain types as one list of types. */
function plainTypes(value: unknown): unknown {
  const { anyOf, ...more } = (value ?? {}) as { anyOf?: { type?: unknown }[] };
  if (!Array.isArray(anyOf)) return value;
  return { ...more, ...Object.assign({}, ...anyOf), type: anyOf.map(({ type }) => type) };
}

/** A schema as JSON Schema, without what says nothing. */
export function schemaOf(schema: z.ZodObject): { type: "object" } & Record<string, unknown> {
  const text = JSON.stringify(z.toJSONSchema(schema, { io: "input", reused: "inline" }), (key, value) =>
    isNoise(key, value) ? undefined : plainTypes(value),
  );
  return JSON.parse(text);
}

/** The same of what a tool answers, where a field that is absent means no more than that there is none. */
const answerSchemaOf = (schema: z.ZodObject): ReturnType<typeof schemaOf> =>
  JSON.parse(JSON.stringify(schemaOf(schema), (key, value) => (key === "required" ? undefined : value)));

/** The tool as clients list it. */
export const listing = (one: Tool) => ({
  name: one.name,
  description: one.description,
  inputSchema: schemaOf(z.object(one.input)),
  outputSchema: answerSchemaOf(contentOf(one)),
  annotations:
    one.toolset === "read" || one.name === "quote_order" ? { readOnlyHint: true } : { destructiveHint: one.destructive === true },
});
