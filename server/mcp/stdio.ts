import type { Readable, Writable } from "node:stream";
import { type MediaSource, readCaptions } from "../web/studio/media.ts";
import type { Host } from "./host.ts";
import { problemOf } from "./problem.ts";
import { serveStreams } from "./protocol/stdio.ts";

export type { Host, Problem, PushedBuild } from "./host.ts";

/** What `playtest mcp` gives to the tools. The API key stays behind these functions. */
export interface StdioParts extends Omit<Host, "readCaptions" | "help" | "callerId">, MediaSource {
  payments: boolean;
  input: Readable;
  output: Writable;
  signal: AbortSignal;
}

/** Serves the client that started this process, until it closes standard input. */
export async function serve({ payments, input, output, signal, ...parts }: StdioParts): Promise<void> {
  const host: Host = {
    ...parts,
    readCaptions: (slotId) =>
      readCaptions(parts, parts.call, slotId).catch((error: unknown) => {
        if (parts.problemOf(error)?.code === "NOT_FOUND") return undefined;
        throw error;
      }),
    help: async () => (await import("../web/docs/index.ts")).helpOf(parts.baseUrl, payments),
    // Tools refuse by themselves too.
    problemOf: (error) => parts.problemOf(error) ?? problemOf(error),
    callerId: "stdio",
  };
  await serveStreams(host, input, output, signal);
}
