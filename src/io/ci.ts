import { appendFile } from "node:fs/promises";
import type { Io } from "./io.ts";
import type { Output } from "./output.ts";
import { oneLine } from "./text.ts";

interface Teller {
  io: Io;
  out: Output;
}

/** What is done cannot be undone because a file of the CI's cannot be written: that is a warning. */
async function append({ io, out }: Teller, variable: string, text: string): Promise<void> {
  const path = io.env[variable];
  if (!path) return;
  await appendFile(path, text).catch((error: Error) => out.warn(`${variable}: ${error.message}.`));
}

/** Names and values for the later steps of a GitHub job. Each stays one line, so that no value can pass for another name. */
export const ciOutputs = (teller: Teller, values: Record<string, string | number | boolean | null | undefined>): Promise<void> =>
  append(
    teller,
    "GITHUB_OUTPUT",
    Object.entries(values)
      .map(([name, value]) => `${name}=${oneLine(String(value ?? ""))}\n`)
      .join(""),
  );

/** Markdown for the page of a GitHub job. */
export const ciSummary = (teller: Teller, markdown: string): Promise<void> =>
  append(teller, "GITHUB_STEP_SUMMARY", `${markdown}\n`);

/** Text of strangers as a code span: in it nothing is markup, a link or a mention. Longer than `most` characters, it is cut. */
export function codeSpan(text: string, most = 300): string {
  const characters = [...oneLine(text).trim()];
  const shown = characters.length > most ? `${characters.slice(0, most - 1).join("")}…` : characters.join("");
  if (shown === "") return "";
  const longest = Math.max(0, ...[...shown.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  const pad = longest > 0 ? " " : "";
  return `${fence}${pad}${shown}${pad}${fence}`;
}
