import { failure, usage } from "../errors.ts";
import { lines } from "./text.ts";

interface Engine {
  raw(json: string, filter: string, flags: string[]): string | undefined;
}

const wrongExpression = 3;

/** The whole message of a failed run, without the engine's own first line. */
const messageOf = (error: Error) => error.message.replace(/^Non-zero exit code: \d+\n?/, "").trim();

/** Why an expression does not compile; it runs on no input, so on none of its side effects. */
function fault(engine: Engine, expression: string): string | undefined {
  try {
    engine.raw("", expression, []);
    return undefined;
  } catch (error) {
    return messageOf(error as Error);
  }
}

/** Where the first word stands that jq could not take: up to there, the expression was only unfinished. */
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
  const said = first.replace(/^jq: error: /, "").replace(/ \(Unix shell quoting issues\?\)| at <top-level>.*$/g, "");
  const pointer = `${" ".repeat(faultAt(engine, expression))}^`;
  const shown = expression.includes("\n") ? "" : `\n  ${expression}\n  ${pointer}`;
  return usage(`--jq: ${said}${shown}`, "The expression is jq's: https://jqlang.org/manual");
}

/** A wrong expression is a usage error that points at the place. */
export async function checkExpression(expression: string): Promise<void> {
  const engine: Engine = await (await import("jq-web")).default;
  try {
    engine.raw("", expression, []);
  } catch (error) {
    if ((error as { exitCode?: number }).exitCode === wrongExpression) throw refused(engine, expression, error as Error);
  }
}

/** Runs with what the engine warns of (`debug`, `stderr`) going to `say`, not past it to the terminal. */
function heard<T>(say: (text: string) => void, run: () => T): T {
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
 * Runs a jq expression over JSON text: strings raw, everything else as compact JSON, one result a line. What `debug` writes goes to `say`.
 */
export async function jq(json: string, expression: string, say: (text: string) => void): Promise<string> {
  const engine: Engine = await (await import("jq-web")).default;
  try {
    const text = heard(say, () => engine.raw(json, expression, ["-r", "-c"])) ?? "";
    return text === "" ? "" : `${lines(text.replace(/\n$/, ""))}\n`;
  } catch (error) {
    throw failure(`--jq: ${messageOf(error as Error)}`, undefined, error);
  }
}
