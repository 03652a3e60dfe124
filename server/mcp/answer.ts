import { cutTo, plainLine } from "./untrusted.ts";

/** The most bytes of the result of a tool, as JSON: 12 kB with what the protocol adds, such as who answers. */
export const maxBytes = 11_800;

/** What a tool found. */
export interface Answer {
  /** One line for each item, without anything that a playtester wrote. */
  lines: readonly string[];
  /** The same as data, by the tool's output schema. */
  data: Record<string, unknown>;
  /** What playtesters said and wrote, and texts that may quote it. */
  untrustedText?: string;
}

/** The result of a tool call as the protocol has it. */
export interface ToolResult {
  content: { type: "text"; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: true;
  [more: string]: unknown;
}

/**
 * The result of a tool. Untrusted text stands alone in a content block, as a JSON string, so that nothing in it can look like a part of
 * the answer; and in the data under the same name, for clients that show their model nothing else.
 */
function resultOf({ lines, data, untrustedText }: Answer): ToolResult {
  const content = [{ type: "text" as const, text: lines.join("\n") }];
  if (untrustedText === undefined) return { content, structuredContent: data };
  content.push({ type: "text", text: JSON.stringify({ untrustedText }) });
  return { content, structuredContent: { ...data, untrustedText } };
}

const bytesOf = (result: ToolResult) => Buffer.byteLength(JSON.stringify(result));

/** Whether the result of an answer is short enough. */
export const fits = (answer: Answer): boolean => bytesOf(resultOf(answer)) <= maxBytes;

/** The result of an answer; untrusted text that is too long for it is cut. */
export function rendered(answer: Answer): ToolResult {
  const { untrustedText } = answer;
  if (untrustedText === undefined || fits(answer)) return resultOf(answer);
  let [short, long] = [0, untrustedText.length];
  const withText = (length: number): Answer => ({
    ...answer,
    data: { ...answer.data, truncated: true },
    untrustedText: cutTo(untrustedText, length),
  });
  while (short < long) {
    const middle = Math.ceil((short + long) / 2);
    if (fits(withText(middle))) short = middle;
    else long = middle - 1;
  }
  return resultOf(withText(short));
}

/** An answer with as many items as fit, up to `limit`. */
export async function fitting(limit: number, build: (limit: number) => Promise<Answer>): Promise<Answer> {
  let size = limit;
  let answer = await build(size);
  while (size > 1 && !fits(answer)) {
    size = Math.ceil(size / 2);
    answer = await build(size);
  }
  return answer;
}

/** The result of a call that did nothing, with what to do next. */
export const failed = (code: string, message: string): ToolResult => ({
  content: [{ type: "text", text: `${code}: ${plainLine(message, 1000)}` }],
  isError: true,
});

/** The parts of items that were asked for; the id always. */
export function chosen<T extends { id: string }>(items: readonly T[], fields: readonly string[] | undefined): Partial<T>[] {
  if (fields === undefined || fields.length === 0) return [...items];
  return items.map(
    (item) => Object.fromEntries(Object.entries(item).filter(([name]) => name === "id" || fields.includes(name))) as Partial<T>,
  );
}

/** Where a list continues. */
export const continued = (cursor: string | null | undefined) =>
  typeof cursor === "string" ? { truncated: true, cursor } : { truncated: false };
