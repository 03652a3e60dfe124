import * as z from "zod";
import { plural } from "../../../src/contract/text/plural.ts";
import { tool } from "../tool.ts";
import { flag, id, text } from "./fields.ts";

export const pushBuild = tool({
  name: "push_build",
  toolset: "build",
  description: "Upload a folder or file below the allowed folder as the newest build of a game.",
  input: { path: z.string().min(1).max(1000), game: id() },
  output: { game: z.string(), version: text(), skipped: flag(), skippedFiles: z.int() },
  local: true,
  async run({ path, game }, { host, signal }) {
    const { version, skipped, skippedFiles } = await host.pushBuild!(path, game, signal);
    return {
      lines: [
        `${skipped ? "The game already has this build" : `Pushed build ${version ?? ""}`.trim()}; ${plural(skippedFiles, "file")} skipped.`,
      ],
      data: { game, ...(version && { version }), skipped, skippedFiles },
    };
  },
});
