import type { CallOperation } from "../../src/contract/index.ts";
import type { Toolset } from "../../src/contract/text/toolsets.ts";

/** A failed call in the words of the API. */
export interface Problem {
  code: string;
  message: string;
  /** The order that waits for a person, where that is why nothing was ordered. */
  approval?: { id: string; expiresAt: string } | undefined;
}

/** A build that was uploaded. */
export interface PushedBuild {
  version: string | null;
  /** Whether the game had this build already. */
  skipped: boolean;
  skippedFiles: number;
}

/** The documentation. */
export interface Help {
  topics: readonly { name: string; title: string; summary: string }[];
  /** A topic in Markdown. Undefined for an unknown one. */
  read(name: string): string | undefined;
}

/** What tools are made from: the API as one account, in the server itself or over HTTP with the client. */
export interface Host {
  call: CallOperation;
  version: string;
  /** Address of the server's pages. */
  baseUrl: string;
  allowed: ReadonlySet<Toolset>;
  /** How many submissions the API key may accept or reject in a UTC day. The server counts them. */
  reviewsPerDay: number;
  /** Waits that many milliseconds. False: answer at once instead. Rejects when the signal aborts. */
  wait(ms: number, signal: AbortSignal): Promise<boolean>;
  /** The captions of a slot in WebVTT. Undefined without any. */
  readCaptions(slotId: string): Promise<string | undefined>;
  /** Uploads what is at a path of this computer. Absent in a server. Throws what `problemOf` explains. */
  pushBuild?(path: string, gameId: string, signal: AbortSignal): Promise<PushedBuild>;
  help(): Promise<Help>;
  /** What a thrown error says; undefined for one that is not expected. */
  problemOf(error: unknown): Problem | undefined;
  /** Reports an error that was not expected. */
  report(error: unknown): void;
  /** At least 32 secret bytes, the same in every process of a server, and who calls: they protect what a client sends back. */
  stateKey: Uint8Array;
  callerId: string;
}

/** What an operation replies with; undefined where the server lacks it or the key may not. */
export async function ifPermitted<T>(host: Host, wanted: Promise<T>): Promise<T | undefined> {
  try {
    return await wanted;
  } catch (error) {
    const code = host.problemOf(error)?.code;
    if (code !== undefined && ["NOT_OFFERED", "NOT_FOUND", "FORBIDDEN"].includes(code)) return undefined;
    throw error;
  }
}
