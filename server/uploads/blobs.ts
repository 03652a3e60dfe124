import type { Readable } from "node:stream";
import type { ByteRange } from "../http/range.ts";

export interface StoredFile {
  key: string;
  /** In bytes. */
  size: number;
  /** In ms. */
  writtenAt: number;
}

/** Storage of finished files by key: `videos/<uuid>`, `builds/<uuid>`. Keys never contain user input, and stored files never change. */
export interface Blobs {
  /**
   * Moves a finished local file into the store: afterwards it is durable under `key` and no longer at `path`. Replaces nothing: false when
   * something is stored under `key` already.
   */
  put(key: string, path: string): Promise<boolean>;
  /** Size in bytes; undefined when nothing is stored under `key`. */
  size(key: string): Promise<number | undefined>;
  /**
   * The bytes `start`..`end`, both included, or all; undefined when nothing is stored, also when it was removed after `size` found it.
   * Destroying the stream closes the file.
   */
  read(key: string, range?: ByteRange): Promise<Readable | undefined>;
  /** The same as text; undefined when nothing is stored: the file was replaced or removed just now, or lost, which `serve doctor` reports. */
  text(key: string, range?: ByteRange): Promise<string | undefined>;
  /**
   * Makes what is stored readable as a file at `path` too, which the caller removes and never writes to. False when nothing is stored;
   * rejects when the file cannot be made, for example because the folder of `path` does not exist.
   */
  lend(key: string, path: string): Promise<boolean>;
  /** Does nothing when nothing is stored under `key`. */
  remove(key: string): Promise<void>;
  /** Everything that is stored with keys of these kinds, the part before the slash. */
  list(kinds: readonly string[]): AsyncIterable<StoredFile>;
}
