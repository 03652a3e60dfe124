import { tmpdir } from "node:os";
import { shortageOf } from "../../../contract/text/shortages.ts";
import { failure } from "../../../errors.ts";
import { bytes } from "../../../io/text.ts";
import type { ContentFlags, Findings } from "./checks.ts";

/** A build as one file, ready to upload. */
export interface BuildFile {
  file: string;
  filename: string;
  size: number;
  sha256: string;
  /** Hash of what is inside: two archives of the same files have the same hash, however they were packed. */
  contentSha256: string;
}

/** A build that is not packed into one file yet. */
export interface Build {
  contentSha256: string;
  /** Directory that it is packed from. */
  folder?: string;
  findings: Findings;
  /** The file; a directory is packed on the first call. */
  pack(): Promise<BuildFile>;
}

/** Where a build is read from. */
export interface Source {
  /** Absolute. */
  path: string;
  /** As it was given, for messages. */
  given: string;
  flags: ContentFlags;
  /** A folder for what has to be written: made on the first call, and removed in the end. */
  temporary(): Promise<string>;
}

/** The error for a build that does not fit into the folder of temporary files; else `error` itself. */
export function noRoom(error: unknown, needed: number): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  // Without the paths of the error: the folder that it names is removed in the end.
  const shortage = shortageOf(Object.assign(new Error(message), { code }), tmpdir());
  if (!shortage) return error;
  return failure(
    `Cannot pack the build in ${tmpdir()}: ${shortage.what}. Up to ${bytes(needed)} are needed there. Nothing was sent.`,
    `${shortage.remedy} Or set TMPDIR (on Windows TEMP) to a folder with more space.`,
    error,
  );
}
