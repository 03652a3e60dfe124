import { rm, writeFile } from "node:fs/promises";
import { createClientCore, type PlannedRequest } from "../api/client.ts";
import { methodsOf } from "../api/methods.ts";
import { pages, type Range } from "../api/pages.ts";
import { createTransport } from "../api/transport.ts";
import type { UploadRequest } from "../api/upload.ts";
import { openIdCache, resolveId } from "../config/ids.ts";
import { cacheDir, configDir } from "../config/paths.ts";
import { type FlagValues, readSettings, type Settings, saveDirectoryFile } from "../config/settings.ts";
import { openStore } from "../config/store.ts";
import { cannotWrite, DryRun, declined, tooExpensive, usage } from "../errors.ts";
import type { TimeMode } from "../io/cells.ts";
import { subjectOf } from "../io/fields.ts";
import { chooseFormat } from "../io/formats.ts";
import type { Io } from "../io/io.ts";
import { CommandOutput } from "../io/output.ts";
import { createProgress, type ProgressMode } from "../io/progress.ts";
import { createPrompt } from "../io/prompt.ts";
import { fileSink, stdoutSink } from "../io/sink.ts";
import { painter, usd } from "../io/text.ts";
import type { Api, Context, Outside, Spending } from "./context.ts";
import type { GlobalValues } from "./globals.ts";
import { tracer } from "./trace.ts";
import { version } from "./version.ts";

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

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** The first change of a command uses the given key, later ones use keys derived from it, so that repeating the command is safe. */
function keySequence(given: string | undefined, newId: () => string) {
  const first = once(() => given ?? newId());
  let count = 0;
  return { first, next: () => (++count === 1 ? first() : `${first()}-${count}`) };
}

/** Creates the context of a command from the global flags. Nothing is read or opened before it is needed. */
export function createSession(io: Io, flags: GlobalValues, outside: Outside): Session {
  const { env } = io;
  const quiet = flags.quiet === true;
  const prompt = createPrompt(io, flags.input === false);
  const store = openStore(configDir(env, io.platform));
  const settings = once((): Settings => {
    const given = { ...flags } as FlagValues;
    return readSettings({ flags: given, env, cwd: io.cwd(), store });
  });
  const idCache = once(() => openIdCache(cacheDir(env, io.platform)));
  const transport = once(() => createTransport(env));
  const keys = keySequence(checkIdempotencyKey(flags.idempotencyKey), outside.newId);
  const clients: (() => Promise<void>)[] = [];
  const trace = tracer({
    verbose: flags.verbose === true,
    debug: flags.debug === true || Boolean(env.PLAYTEST_DEBUG),
    err: io.err,
  });
  const sink = flags.output === undefined || flags.output === "-" ? stdoutSink(io) : fileSink(flags.output);
  const choice = (name: "color" | "time" | "progress") => settings().get(name)!;
  const paint = painter(wantsColor(io, choice("color").value, sink.terminal));
  const baseUrl = () => settings().get("baseUrl")!.value;
  const format = chooseFormat(flags);
  const forPeople = sink.terminal && format.kind === "auto";
  const time = choice("time").source === "flag" || forPeople ? (choice("time").value as TimeMode) : undefined;

  const out = new CommandOutput({
    format,
    sink,
    columns: io.columns,
    messageColumns: io.messageColumns,
    paint,
    time,
    header: flags.header === true,
    rawCells: flags.rawCells === true,
    quiet,
    now: outside.now,
    err: io.err,
    shown: (key, items) => idCache().remember(baseUrl(), key, items),
  });

  function apiAt(address: string, apiKey: string | undefined): Api {
    const wire = transport();
    if (clients.length === 0) clients.push(wire.close);
    const core = createClientCore({
      baseUrl: address,
      apiKey,
      transport: wire,
      timeout: settings().get("timeout")!.value * 1000,
      retries: settings().get("retries")!.value,
      maxWait: settings().get("maxWait")!.value * 1000,
      userAgent: `playtest/${version}`,
      now: outside.now,
      random: outside.random,
      sleep: outside.sleep,
      newId: keys.next,
      signal: io.signal,
      ...(trace && { trace }),
      ...(flags.dryRun && {
        plan: (request: PlannedRequest): never => {
          throw new DryRun([request]);
        },
      }),
    });
    return Object.assign(methodsOf(core.call), core);
  }

  const api = once(() => apiAt(baseUrl(), settings().apiKey()?.value));

  async function sendFile(request: UploadRequest) {
    const { base, exchange } = api();
    // With --dry-run this throws the planned request instead of sending it.
    if (flags.dryRun) await exchange({ method: "POST", path: request.path, headers: { "tus-resumable": "1.0.0" } });
    const [{ upload }, { uploadOperation }] = await Promise.all([import("../api/upload.ts"), import("../api/offers.ts")]);
    const sent = upload(
      {
        base,
        apiKey: settings().apiKey()?.value,
        transport: transport(),
        userAgent: `playtest/${version}`,
        directory: cacheDir(env, io.platform),
        retries: settings().get("retries")!.value,
        signal: io.signal,
      },
      request,
    );
    const operation = uploadOperation(request.path);
    await (operation ? sent.catch((error: unknown) => api().explain(operation, error)) : sent);
  }

  async function confirm(question: string) {
    if (flags.yes || flags.dryRun) return;
    if (!(await prompt.confirm(question, "Pass --yes to confirm."))) throw declined();
  }

  async function confirmSpend({ what, cents, balanceCents, maxCents }: Spending) {
    if (maxCents !== undefined && cents > maxCents)
      throw tooExpensive(`${what}: the cost of ${usd(cents)} exceeds --max-cost ${usd(maxCents)}. Nothing was sent.`);
    if (cents === 0 || maxCents !== undefined || flags.yes || flags.dryRun) return;
    const balance = balanceCents === undefined ? "" : ` Balance: ${usd(balanceCents)}.`;
    const question = `${what} for ${usd(cents)}?${balance}`;
    if (!(await prompt.confirm(question, "Pass --yes to confirm, or --max-cost to set a limit."))) throw declined();
  }

  async function* listPages(operation: never, input: never, range: Range) {
    yield* pages(api(), operation, input, range);
  }

  let reserved: string | undefined;
  const ctx: Context = {
    ...outside,
    io,
    out,
    prompt,
    flags,
    signal: io.signal,
    store,
    settings,
    api,
    apiAt,
    send: (request) => {
      const wire = transport();
      if (clients.length === 0) clients.push(wire.close);
      return wire.send(request);
    },
    upload: sendFile,
    item: (data, view) => ({ kind: "item", data, subject: subjectOf(data), view }),
    list: (operation, input, range, view) => ({ kind: "list", pages: pages(api(), operation, input, range), view }),
    rows: (key, items, view) => ({ kind: "rows", key, items: items as Record<string, unknown>[], view }),
    pages: (operation, input, range) =>
      listPages(operation as never, input as never, range) as ReturnType<Context["pages"]> as never,
    reserveSecret: reserve,
    async secret(secret, file, data) {
      if (file === undefined) return { kind: "text", text: secret, data };
      if (reserved !== file) await reserve(file);
      await writeFile(file, `${secret}\n`);
      reserved = undefined;
      return { kind: "text", text: `Wrote the secret to ${file}.`, data: { result: { file } } };
    },
    text: (text, data) => ({ kind: "text", text, data }),
    // One for all steps of a command: a new one would start with ten seconds of silence.
    progress: once(() => createProgress(io, choice("progress").value as ProgressMode, quiet, outside.now)),
    confirm,
    confirmSpend,
    resolveId: (id) => resolveId(id, idCache().entries(baseUrl())),
    saveInDirectory: (values) => saveDirectoryFile(settings().directoryFile, io.cwd(), values),
  };

  async function reserve(file: string | undefined) {
    if (file === undefined || flags.dryRun) return;
    await writeFile(file, "", { mode: 0o600, flag: "wx" }).catch((error: Error) => {
      throw cannotWrite(file, error, "Nothing was done. An existing file is never overwritten with a secret.");
    });
    reserved = file;
  }

  async function close(complete: boolean) {
    if (reserved !== undefined) await rm(reserved, { force: true });
    await sink.close(complete);
    for (const end of clients) await end();
  }

  return { ctx, repeatKey: keys.first, close };
}

function checkIdempotencyKey(key: string | undefined) {
  if (key !== undefined && !/^[\x20-\x7e]{1,250}$/.test(key))
    throw usage("--idempotency-key: must be 1 to 250 printable ASCII characters.");
  return key;
}
