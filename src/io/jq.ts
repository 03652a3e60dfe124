import { failure, usage } from "../errors.ts";
import { lines } from "./text.ts";

interface Engine {
  raw(json: string, filter: string, flags: string[]): string | undefined;
}

const wrongExpression = 3;

/** The error message of a failed run, without the line that the engine adds. */
const messageOf = (error: Error) => error.message.replace(/^Non-zero exit code: \d+\n?/, "").trim();

/** Why an expression does not compile. It runs without input, so it has no side effects. */
function fault(engine: Engine, expression: string): string | undefined {
  try {
    engine.raw("", expression, []);
    return undefined;
  } catch (error) {
    return messageOf(error as Error);
  }
}

/** Position of the first token that jq rejects. Before it, the expression is merely incomplete. */
function faultAt(engine: Engine, expression: string): number {
  const unknown = /error: (\S+?)(?:\/\d+)? is not defined/.exec(fault(engine, expression) ?? "")?.[1];
  if (unknown) return Math.max(0, expression.search(new RegExp(`${unknown.replaceAll("$", "\\$")}\\b`)));
  const bad = (length: number) => {
    const message = fault(engine, expression.slice(0, length)) ?? "";
    return message.includes("syntax error") && !message.includes("unexpected end of file");
  };
  let good = 0;
  let tooFar = expression.length + 1;
  while (tooFar - good > 1) {
    const middle = (good + tooFar) >> 1;
    if (bad(middle)) tooFar = middle;
    else good = middle;
  }
  return Math.min(good, expression.length);
}

function refused(engine: Engine, expression: string, error: Error) {
  const [first = ""] = messageOf(error).split("\n");
  const reason = first.replace(/^jq: error: /, "").replace(/ \(Unix shell quoting issues\?\)| at <top-level>.*$/g, "");
  const pointer = `${" ".repeat(faultAt(engine, expression))}^`;
  const shown = expression.includes("\n") ? "" : `\n  ${expression}\n  ${pointer}`;
  return usage(`--jq: ${reason}${shown}`, "For the syntax of jq expressions, see https://jqlang.org/manual");
}

/** Throws a usage error that points at the mistake if the expression does not compile. */
export async function checkExpression(expression: string): Promise<void> {
  const engine: Engine = await (await import("jq-web")).default;
  try {
    engine.raw("", expression, []);
  } catch (error) {
    if ((error as { exitCode?: number }).exitCode === wrongExpression) throw refused(engine, expression, error as Error);
  }
}

/** Runs the engine with its warnings (from `debug` and `stderr`) going to `say` instead of directly to the terminal. */
function withWarnings<T>(say: (text: string) => void, run: () => T): T {
  const { console } = globalThis;
  const { warn } = console;
  Object.assign(console, { warn: (...words: unknown[]) => say(String(words.at(-1))) });
  try {
    return run();
  } finally {
    Object.assign(console, { warn });
  }
}

/**
 * Runs a jq expression on JSON text. Prints one result per line: strings raw, everything else as compact JSON. `say` receives the
 * output of jq's `debug`.
 */
export async function jq(json: string, expression: string, say: (text: string) => void): Promise<string> {
  const engine: Engine = await (await import("jq-web")).default;
  try {
    const text = withWarnings(say, () => engine.raw(json, expression, ["-r", "-c"])) ?? "";
    return text === "" ? "" : `${lines(text.replace(/\n$/, ""))}\n`;
  } catch (error) {
    throw failure(`--jq: ${messageOf(error as Error)}`, undefined, error);
  }
}
