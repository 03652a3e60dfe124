import type { ClientCore, Data, Input, Meta, Methods } from "../api/client.ts";
import type { HttpReply, HttpRequest, TraceEvent } from "../api/types.ts";
import type { Uploaded, UploadRequest } from "../api/upload.ts";
import type { Keyring } from "../config/keyring.ts";
import type { Settings } from "../config/settings.ts";
import type { Store, Values } from "../config/store.ts";
import type { Operation } from "../contract/index.ts";
import type { Io } from "../io/io.ts";
import type { Outcome, Output, Table } from "../io/output.ts";
import type { Progress } from "../io/progress.ts";
import type { Prompt } from "../io/prompt.ts";
import type { GlobalValues } from "./globals.ts";
import type { ItemOf, Subject, ViewOf } from "./view.ts";

/** Which part of a list to fetch. */
export interface ListRange {
  limit?: number | undefined;
  all?: boolean | undefined;
  cursor?: string | undefined;
}

/** Clock, randomness, ids, sleep, the system's keyring and its list of users, which tests replace. Times in milliseconds. */
export interface Outside {
  now(): number;
  random(): number;
  newId(): string;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  keyring(env: Io["env"], platform: string): Keyring | undefined;
  /** The home folder of this user in the system's list. Throws when the user is not in it. */
  systemHome(): string;
}

export type Api = Methods & ClientCore;

/** A request to any address. Without `timeout`, that of the settings holds. */
export type PlainRequest = Omit<HttpRequest, "timeout"> & Partial<Pick<HttpRequest, "timeout">>;

export interface Spending {
  /** The purchase as an imperative, such as "Order 3 slots". */
  what: string;
  cents: number;
  balanceCents?: number | undefined;
  /** Value of --max-cost. */
  maxCents?: number | undefined;
}

/** Everything a command may use. Costly values are functions, so that help and completion never touch the network or the disk. */
export interface Context extends Outside {
  readonly io: Io;
  readonly out: Output;
  readonly prompt: Prompt;
  readonly flags: GlobalValues;
  readonly signal: AbortSignal;
  readonly store: Store;
  /** Prints what --verbose and --debug ask for about a request, and without them a note once one has waited for long. */
  trace(event: TraceEvent): void;
  settings(): Settings;
  /** The time on the server in milliseconds, as its last reply told it: what its deadlines are compared with. */
  serverNow(): number;
  /** Whether the server runs without payments, as its last reply told it. */
  withoutPayments(): boolean;
  /** The client for the configured instance and key. */
  api(): Api;
  /** A client for another instance or key, as `login` needs. */
  apiAt(baseUrl: string, apiKey: string | undefined): Api;
  /** Sends one request to any address, without the API key and without retries. */
  send(request: PlainRequest): Promise<HttpReply>;
  /** Uploads a file, resuming an interrupted upload. With --dry-run it throws the planned request instead. */
  upload(request: UploadRequest): Promise<Uploaded>;
  /** A result about one object: the only object inside `data`, or `data` itself. */
  item<D>(data: D, view?: ViewOf<Subject<D>>): Outcome;
  /** A list that is fetched page by page. */
  list<O extends Operation>(operation: O, input: Input<O>, range: ListRange, view?: ViewOf<ItemOf<O>>): Outcome;
  /** A complete list; printed as `{ result }` in JSON, with the fields of `more` beside it. */
  rows<T extends object>(key: string, items: readonly T[], view?: ViewOf<T>, more?: object): Outcome;
  /** The pages of a list. */
  pages<O extends Operation>(
    operation: O,
    input: Input<O>,
    range: ListRange,
  ): AsyncIterable<{ items: unknown[]; data: Data<O>; meta: Meta }>;
  /** A result that prints `text` for people, folded, and `data` in machine-readable formats. `table`: what CSV and TSV show instead of it. */
  text(text: string, data: unknown, table?: () => Promise<Table>): Outcome;
  /** As `text`, for what programs read or what is laid out already: nothing in it is folded. */
  verbatim(text: string, data: unknown): Outcome;
  /** A result that is what the server said, and `more`, folded on a terminal. */
  message(data: { message: string }, more?: string): Outcome;
  /** Creates the file for a secret before the secret exists, so that none is created and then lost. Removed if the command fails. */
  reserveSecret(file: string | undefined): Promise<void>;
  /** A result that is a secret: printed, or written to a new file only its owner can read. `data` is the JSON form. */
  secret(secret: string, file: string | undefined, data: unknown): Promise<Outcome>;
  progress(): Promise<Progress>;
  /**
   * Asks for confirmation of something that cannot be undone. --yes skips the prompt, and then a question that has to be
   * fetched is not. Declining throws; `notDone` is then said instead of "Nothing was changed."
   */
  confirm(question: string | (() => Promise<string>), notDone?: string): Promise<void>;
  /** Asks for confirmation before money is spent. --yes or --max-cost skips the prompt. Declining, or exceeding the limit, throws. */
  confirmSpend(spending: Spending): Promise<void>;
  /** Says that the changes from here on are for this item of several, whose idempotency keys follow from its id. */
  startItem(id: string): void;
  /** The full id for a full or a short id. */
  resolveId(id: string): string;
  /** Whether an earlier command showed this id. */
  wasListed(id: string): boolean;
  /** Saves values in the nearest `.playtest.json`, or in a new one in the current directory. Returns its path. */
  saveInDirectory(values: Partial<Values>): Promise<string>;
}
