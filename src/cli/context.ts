import type { ClientCore, Data, Input, Meta, Methods } from "../api/client.ts";
import type { HttpReply, HttpRequest } from "../api/transport.ts";
import type { UploadRequest } from "../api/upload.ts";
import type { Settings } from "../config/settings.ts";
import type { Store, Values } from "../config/store.ts";
import type { Operation } from "../contract/index.ts";
import type { View } from "../io/cells.ts";
import type { Io } from "../io/io.ts";
import type { Outcome, Output } from "../io/output.ts";
import type { Progress } from "../io/progress.ts";
import type { Prompt } from "../io/prompt.ts";
import type { ListRange } from "./define.ts";
import type { GlobalValues } from "./globals.ts";

/** Clock, randomness and waiting: the outside world that tests replace. Times in milliseconds. */
export interface Outside {
  now(): number;
  random(): number;
  newId(): string;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export type Api = Methods & Pick<ClientCore, "base" | "call" | "exchange" | "checked" | "explain">;

export interface Spending {
  /** What is bought, as in "Order 3 slots". */
  what: string;
  cents: number;
  balanceCents?: number | undefined;
  /** Value of --max-cost. */
  maxCents?: number | undefined;
}

/** What a command may use. Costly things are functions: help and completion never touch the network or the disk. */
export interface Context extends Outside {
  readonly io: Io;
  readonly out: Output;
  readonly prompt: Prompt;
  readonly flags: GlobalValues;
  readonly signal: AbortSignal;
  readonly store: Store;
  settings(): Settings;
  /** The client for the instance and key in force. */
  api(): Api;
  /** A client for another instance or key, as at login. */
  apiAt(baseUrl: string, apiKey: string | undefined): Api;
  /** One request to any address, without the key and without retries. */
  send(request: HttpRequest): Promise<HttpReply>;
  /** Sends a file to an upload route; goes on where an earlier run was cut off. With --dry-run it throws what would be sent. */
  upload(request: UploadRequest): Promise<void>;
  /** A result with one subject: the object inside `data`, or `data` itself. */
  item(data: unknown, view?: View): Outcome;
  /** A list, fetched page by page. */
  list<O extends Operation>(operation: O, input: Input<O>, range: ListRange, view?: View): Outcome;
  /** A list that is all here; as JSON `{ result }`. */
  rows(key: string, items: readonly object[], view?: View): Outcome;
  /** The pages of a list. */
  pages<O extends Operation>(
    operation: O,
    input: Input<O>,
    range: ListRange,
  ): AsyncIterable<{ items: unknown[]; data: Data<O>; meta: Meta }>;
  /** A result that is text for a person and `data` for a program. */
  text(text: string, data: unknown): Outcome;
  /** Takes the place of a secret before it is made, so that none is made and then lost; given back when the command fails. */
  reserveSecret(file: string | undefined): Promise<void>;
  /** A result that is a secret: on standard output, or in a new file only its owner can read. `data` is the JSON form. */
  secret(secret: string, file: string | undefined, data: unknown): Promise<Outcome>;
  progress(): Promise<Progress>;
  /** Asks before something that cannot be undone; --yes answers. Declining throws. */
  confirm(question: string): Promise<void>;
  /** Asks before money is spent; --yes or --max-cost answer. Declining or exceeding throws. */
  confirmSpend(spending: Spending): Promise<void>;
  /** The full id for a full or short form. */
  resolveId(id: string): string;
  /** Sets values in the nearest directory file, or in a new one here; gives its path. */
  saveInDirectory(values: Partial<Values>): Promise<string>;
}
