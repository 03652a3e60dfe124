import { appendFile } from "node:fs/promises";
import type { Io } from "./io.ts";
import type { Output } from "./output.ts";
import { oneLine } from "./text.ts";

interface CiContext {
  io: Io;
  out: Output;
}

/** Appends to the file that an environment variable of the CI names. Failing is only a warning, because the command has succeeded. */
async function append({ io, out }: CiContext, variable: string, text: string): Promise<void> {
  const path = io.env[variable];
  if (!path) return;
  await appendFile(path, text).catch((error: Error) => out.warn(`${variable}: ${error.message}.`));
}

/** Sets outputs for later steps of a GitHub job. Each value stays on one line, so that it cannot set another output. */
export const ciOutputs = (ctx: CiContext, values: Record<string, string | number | boolean | null | undefined>): Promise<void> =>
  append(
    ctx,
    "GITHUB_OUTPUT",
    Object.entries(values)
      .map(([name, value]) => `${name}=${oneLine(String(value ?? ""))}\n`)
      .join(""),
  );

/** Adds Markdown to the summary page of a GitHub job. */
export const ciSummary = (ctx: CiContext, markdown: string): Promise<void> => append(ctx, "GITHUB_STEP_SUMMARY", `${markdown}\n`);
