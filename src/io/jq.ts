import { failure, usage } from "../errors.ts";
import { lines } from "./text.ts";

/** Runs a jq expression over JSON text: strings raw, everything else as compact JSON, one result a line. */
export async function jq(json: string, expression: string): Promise<string> {
  const { raw } = await import("jq-wasm");
  try {
    const text = await raw(json, expression, ["-r", "-c"]);
    return text === "" ? "" : `${lines(text)}\n`;
  } catch (error) {
    const message = (error as Error).message.trim().split("\n")[0] ?? "";
    if (message.includes("compile") || message.includes("syntax") || message.includes("not defined"))
      throw usage(`--jq: ${message}`, "The expression is jq's: https://jqlang.org/manual");
    throw failure(`--jq: ${message}`, undefined, error);
  }
}
