import type { Readable } from "node:stream";
import type { ByteRange } from "../http/range.ts";

/** Finished files, by key: `videos/<uuid>`, `builds/<uuid>`. A key is never a user's text, and what is stored never changes. */
export interface Blobs {
  /** Takes a finished local file over: afterwards it is durable under `key`, and gone from `path`. */
  put(key: string, path: string): Promise<void>;
  /** Bytes; undefined when nothing is stored under `key`. */
  size(key: string): Promise<number | undefined>;
  /** The bytes `start`..`end`, both included, or all; rejects when nothing is stored. Destroying the stream lets go of the file. */
  read(key: string, range?: ByteRange): Promise<Readable>;
  /** Nothing stored is fine. */
  remove(key: string): Promise<void>;
}
