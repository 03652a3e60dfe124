import { pages, type Range } from "../../api/pages.ts";
import { openIdCache, resolveId } from "../../config/ids.ts";
import { foldersOf } from "../../config/paths.ts";
import { type FlagValues, readSettings, type Settings, saveDirectoryFile } from "../../config/settings.ts";
import { openStore } from "../../config/store.ts";
import { sha256 } from "../../contract/hash/sha256.ts";
import { usage } from "../../errors.ts";
import type { TimeMode } from "../../io/cells.ts";
import { subjectOf } from "../../io/fields.ts";
import { chooseFormat } from "../../io/formats.ts";
import type { Io } from "../../io/io.ts";
import { CommandOutput } from "../../io/output.ts";
import { createProgress, type ProgressMode } from "../../io/progress.ts";
import { createPrompt } from "../../io/prompt.ts";
import { fileSink, type Sink, stdoutSink } from "../../io/sink.ts";
import { painter } from "../../io/text.ts";
import type { Api, Context, Outside } from "../context.ts";
import type { Command } from "../define.ts";
import type { GlobalValues } from "../globals.ts";
import { tracer } from "../trace.ts";
import { Clients } from "./clients.ts";
import { confirmations } from "./confirm.ts";
import { readOnly, refuseDryRun } from "./dry-run.ts";
import { once } from "./once.ts";
import { SecretFile } from "./secret-file.ts";

export interface Session {
  ctx: Context;
  /** The idempotency key that makes repeating the whole command safe. */
  repeatKey(): string;
  /** Closes the output and the connections. */
  close(complete: boolean): Promise<void>;
}

/** Whether to use color on a stream. */
export function wantsColor(io: Io, mode: string | undefined, terminal: boolean) {
  if (mode === "always" || mode === "never") return mode === "always";
  if (io.env.NO_COLOR) return false;
  if (io.env.FORCE_COLOR && io.env.FORCE_COLOR !== "0") return true;
  return terminal && io.env.TERM !== "dumb";
}

/**
 * The first change of a command uses the given key, later ones use keys derived from it, so that repeating the command is safe. Where
 * the command acts on several items, the keys of each are derived from its id: the repeated command may find other items.
 */
function keySequence(given: string | undefined, newId: () => string) {
  const first = once(() => given ?? newId());
  let suffix = "";
  let count = 0;
  return {
    first,
    next: () => `${first()}${suffix}${++count === 1 ? "" : `-${count}`}`,
    startItem(id: string) {
      suffix = `-${sha256().update(id).digest("hex").slice(0, 12)}`;
      count = 0;
    },
  };
}

/** Creates the context of a command from the global flags. Nothing is read or opened before it is needed. */
export function createSession(
  io: Io,
  flags: GlobalValues,
  outside: Outside,
  { private: isPrivate }: Pick<Command, "private">,
): Session {
  const { env } = io;
  const folders = foldersOf({ env, platform: io.platform, systemHome: outside.systemHome });
  const store = readOnly(openStore(folders.config, { now: outside.now, keyring: outside.keyring(env, io.platform) }), flags);
  const settings = once(() => readSettings({ flags: { ...flags } as FlagValues, env, cwd: io.cwd(), store }));
  const baseUrl = () => settings().get("baseUrl")!.value;
  const idCache = once(() => openIdCache(folders.cache));
  const keys = keySequence(checkIdempotencyKey(flags.idempotencyKey), outside.newId);
  const trace = tracer({
    verbose: flags.verbose === true,
    debug: flags.debug === true || Boolean(env.PLAYTEST_DEBUG),
    quiet: flags.quiet === true,
    err: io.err,
  });
  const prompt = createPrompt(io, flags.input === false);
  const clients = new Clients({ io, flags, outside, cache: folders.cache, settings, nextKey: keys.next, trace, prompt });
  const secretFile = new SecretFile();
  const sink =
    flags.output === undefined || flags.output === "-" ? stdoutSink(io) : fileSink(flags.output, isPrivate ? 0o600 : 0o666);
  const shown = (key: string, items: Parameters<ReturnType<typeof idCache>["remember"]>[2]) =>
    idCache().remember(baseUrl(), key, items);
  const out = outputTo(sink, {
    io,
    flags,
    now: () => clients.serverNow(),
    withoutPayments: () => clients.withoutPayments(),
    settings,
    shown,
  });
  const ctx: Context = {
    ...outside,
    io,
    out,
    prompt,
    flags,
    signal: io.signal,
    trace,
    store,
    settings,
    serverNow: () => clients.serverNow(),
    withoutPayments: () => clients.withoutPayments(),
    api: clients.api,
    apiAt: (address, apiKey) => clients.at(address, apiKey),
    send: (request) => clients.send(request),
    upload: (request) => clients.upload(request),
    ...outcomes(clients.api),
    ...secretsIn(secretFile, flags),
    // One for all steps of a command: a new one would start with ten seconds of silence.
    progress: once(() =>
      createProgress(io, settings().get("progress")!.value as ProgressMode, flags.quiet === true, outside.now),
    ),
    ...confirmations(prompt, flags),
    startItem: keys.startItem,
    resolveId: (id) => resolveId(id, idCache().entries(baseUrl())),
    wasListed: (id) =>
      idCache()
        .entries(baseUrl())
        .some((entry) => entry.id === id),
    async saveInDirectory(values) {
      refuseDryRun({ flags });
      return saveDirectoryFile(settings().directoryFile, io.cwd(), values);
    },
  };
  return {
    ctx,
    repeatKey: keys.first,
    async close(complete) {
      await secretFile.removeUnused();
      await sink.close(complete || out.isContinuous);
      await clients.close();
    },
  };
}

interface Shown {
  io: Io;
  flags: GlobalValues;
  now(): number;
  withoutPayments(): boolean;
  settings: () => Settings;
  shown: ConstructorParameters<typeof CommandOutput>[0]["shown"];
}

function outputTo(sink: Sink, { io, flags, now, withoutPayments, settings, shown }: Shown): CommandOutput {
  const format = chooseFormat(flags);
  const time = settings().get("time")!;
  const color = settings().get("color")!.value;
  const forPeople = sink.terminal && format.kind === "auto";
  return new CommandOutput({
    format,
    sink,
    columns: io.columns,
    messageColumns: io.messageColumns,
    paint: painter(wantsColor(io, color, sink.terminal)),
    paintMessage: painter(wantsColor(io, color, io.terminal.stderr)),
    time: time.source === "flag" || forPeople ? (time.value as TimeMode) : undefined,
    header: flags.header === true,
    rawCells: flags.rawCells === true,
    quiet: flags.quiet === true,
    now,
    withoutPayments,
    err: io.err,
    shown,
  });
}

/** What a command returns, and the lists it is made of. */
function outcomes(api: () => Api): Pick<Context, "item" | "list" | "rows" | "pages" | "text" | "verbatim" | "message"> {
  async function* listPages(operation: never, input: never, range: Range) {
    yield* pages(api(), operation, input, range);
  }
  return {
    item: (data, view) => ({ kind: "item", data, subject: subjectOf(data), view }),
    list: (operation, input, range, view) => ({ kind: "list", pages: pages(api(), operation, input, range), view }),
    rows: (key, items, view, more) => ({ kind: "rows", key, items: items as Record<string, unknown>[], view, more }),
    pages: (operation, input, range) =>
      listPages(operation as never, input as never, range) as ReturnType<Context["pages"]> as never,
    text: (text, data, table) => ({ kind: "text", text, data, table }),
    verbatim: (text, data) => ({ kind: "text", text, data, verbatim: true }),
    message: (data, more = "") => ({ kind: "text", text: data.message + more, data }),
  };
}

function secretsIn(file: SecretFile, { dryRun }: GlobalValues): Pick<Context, "reserveSecret" | "secret"> {
  return {
    async reserveSecret(path) {
      if (path !== undefined && !dryRun) await file.reserve(path);
    },
    async secret(secret, path, data) {
      if (path === undefined) return { kind: "text", text: secret, data, verbatim: true };
      await file.write(path, secret);
      return { kind: "text", text: `Wrote the secret to ${path}.`, data: { result: { file: path } } };
    },
  };
}

function checkIdempotencyKey(key: string | undefined) {
  // The API takes 255: the keys that follow from this one are longer.
  if (key !== undefined && !/^[\x20-\x7e]{1,230}$/.test(key))
    throw usage("--idempotency-key: must be 1 to 230 printable ASCII characters.");
  return key;
}
