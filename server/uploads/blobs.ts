import type { Readable } from "node:stream";
import type { ByteRange } from "../http/range.ts";

export interface StoredFile {
  key: string;
  /** In bytes. */
  size: number;
  /** In ms. */
  writtenAt: number;
}

/** A stored file that a program may read. */
export interface Lent {
  /** A path, or an address on this machine that answers for parts of it too. */
  source: string;
  /** What ffmpeg calls the way to it. */
  protocols: string;
  /** Ends the loan. */
  close(): Promise<void>;
}

/** About a copy of a stored file. */
export interface Copying {
  /** Called with its size in bytes before it is made; when it rejects, none is made. */
  beforeCopy(bytes: number): Promise<void>;
  /** Ends it. */
  signal: AbortSignal;
}

/** Files that are to be moved to where they belong, and removals that are to be made there. */
export interface Waiting {
  files: number;
  bytes: number;
  removals: number;
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
   * Makes what is stored readable as a file at `path` too, which the caller removes and never writes to: a second name for the stored file
   * where possible, else a copy. False when nothing is stored; rejects when the file cannot be made, for example because the folder of
   * `path` does not exist.
   */
  lend(key: string, path: string, copying?: Copying): Promise<boolean>;
  /** The same for a program that reads only parts of it: where that is far away, no copy is made. Undefined when nothing is stored. */
  offer(key: string, path: string): Promise<Lent | undefined>;
  /** Does nothing when nothing is stored under `key`. */
  remove(key: string): Promise<void>;
  /** Everything that is stored with keys of these kinds, the part before the slash. */
  list(kinds: readonly string[]): AsyncIterable<StoredFile>;
  /** Present where files are stored elsewhere. */
  remote?: Remote;
}

/** What a store does in the background whose files are elsewhere. */
export interface Remote {
  /** The name of the place, for operators. */
  name: string;
  /** Begins to move files. */
  start(): void;
  /** Stops, in the middle of a file where need be: the next start goes on. */
  stop(): Promise<void>;
  waiting(): Promise<Waiting>;
  /** Resolves when nothing waits. */
  idle(): Promise<void>;
  /**
   * Whether a file is only on the disk of another process that has moved no files for minutes, and may never come back: its client
   * sends it again.
   */
  isAbandoned(key: string): Promise<boolean>;
  /** Forgets files that should wait on the disk of another process, where that disk is gone. */
  forgetLost(): Promise<void>;
  /** Removes what uploads left there that were begun before a time (ms) and never completed, but not those that `isOpen` says go on. Returns how many. */
  tidy(before: number, isOpen: (uploadIds: readonly string[]) => Promise<ReadonlySet<string>>): Promise<number>;
  /** Bytes of unfinished uploads, for processes that share no folder. */
  unfinished: Unfinished;
}

/** The bytes of unfinished uploads that other processes can go on with. */
export interface Unfinished {
  /** How many bytes from the start of the upload are there. */
  size(id: string): Promise<number>;
  /** Keeps the bytes of the file from that size on, as long as `goesOn` says that no other process has or wants the upload. */
  save(id: string, path: string, goesOn: () => Promise<boolean>): Promise<void>;
  /** Brings the file up to that size. */
  load(id: string, path: string): Promise<void>;
  remove(id: string): Promise<void>;
}
