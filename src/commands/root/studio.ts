import { randomBytes } from "node:crypto";
import type { Loopback, LoopbackParts } from "../../../server/web/studio/loopback.ts";
import { type Context, define, flag } from "../../cli/define.ts";
import type { CallOperation } from "../../contract/index.ts";
import { CliError, ExitWith, exitCodes, failure, isAbsent } from "../../errors.ts";
import { openLink } from "../../io/files/download.ts";
import { shellShown } from "../../io/text.ts";
import { keptMoments } from "./studio-notes.ts";

/** The heartbeats of an event stream come every 15 seconds; after three that are missing, the connection counts as lost. */
const silenceMs = 45_000;

/** The server's stream of events; undefined where it has none. */
async function openEvents(ctx: Context, last: string | undefined) {
  if (ctx.api().lacksExtensions()) return undefined;
  const headers = { accept: "text/event-stream", ...(last !== undefined && { "last-event-id": last }) };
  const wanted = { method: "GET", path: "/events", headers, stream: true, timeout: silenceMs, signal: ctx.signal };
  try {
    const { stream, headers: sent } = await ctx.api().checked(wanted);
    if (stream && sent["content-type"]?.startsWith("text/event-stream")) return stream;
    stream?.destroy();
    return undefined;
  } catch (error) {
    if (isAbsent(error) || (error instanceof CliError && error.extra.httpStatus !== undefined)) return undefined;
    throw error;
  }
}

/** What an error of this computer, such as of the moments that it keeps, would be over HTTP. */
const statusHere: Partial<Record<number, number>> = {
  [exitCodes.usage]: 422,
  [exitCodes.notFound]: 404,
  [exitCodes.conflict]: 409,
};

const explain: LoopbackParts["explain"] = (error) => {
  if (!(error instanceof CliError)) return undefined;
  if (error.code === "NOT_OFFERED") return "absent";
  const { httpStatus = statusHere[error.exitCode] ?? 502, details, hint } = error.extra;
  // A server that cannot be reached, or fails, is no fault of this page: say so instead of showing an unexpected error.
  const status = httpStatus >= 500 ? 424 : httpStatus;
  return { status, code: error.code, message: status === 424 && hint ? `${error.message} ${hint}` : error.message, details };
};

async function partsOf(ctx: Context): Promise<LoopbackParts> {
  const api = ctx.api();
  // Other servers of this API need not say whose key it is.
  const me = (await api.offered("getMe", {}))?.data;
  if (me && me.role !== "game_owner")
    throw new CliError(
      "FORBIDDEN",
      exitCodes.scope,
      `Studio is for game owners, and this API key belongs to ${me.role === "playtester" ? "a playtester" : "an administrator"}. Nothing was opened.`,
      { hint: "Sign in as a game owner, or name their profile with --profile. Playtesters use /play of the server." },
    );
  const baseUrl = ctx.settings().get("baseUrl")!.value;
  const { profile } = ctx.flags;
  const timeout = (ctx.settings().get("timeout")?.value ?? 30) * 1000;
  const { send, signal } = ctx;
  const moments = keptMoments(ctx);
  return {
    instance: new URL(baseUrl).host,
    site: { baseUrl, payments: !ctx.withoutPayments() },
    account: { id: me?.id ?? "", displayName: me?.profile?.displayName ?? me?.email ?? "Signed in" },
    call: withInfoOnce(moments.call),
    offers: (operation) => api.offers(operation),
    keepsMoments: moments.areHere,
    explain,
    openEvents: (last) => openEvents(ctx, last),
    openLink: (address, headers) => openLink({ send, signal, timeout }, address, headers),
    cli: (command) => (profile === undefined ? command : `${command} --profile ${shellShown(profile)}`),
    randomBytes,
    now: () => ctx.serverNow(),
    report: (error) => ctx.out.warn(`A page failed: ${(error as Error).message}`),
  };
}

/** Asks the server only once what it can do: all requests without a key from one address share a limit. */
function withInfoOnce(call: CallOperation): CallOperation {
  let info: Promise<unknown> | undefined;
  const asked = (...given: Parameters<CallOperation>) => {
    if (given[0] !== "getServerInfo") return call(...given);
    info ??= call(...given).catch((error: unknown) => {
      if (!(error instanceof CliError && error.code === "NOT_OFFERED")) info = undefined;
      throw error;
    });
    return info;
  };
  return asked as CallOperation;
}

export const studio = define({
  name: "studio",
  summary: "Open your inbox, games and videos in the browser",
  description:
    "Serves the pages of Studio on this computer, for the server of the current profile, until Ctrl-C. Only the browser that opens the " +
    "printed address first can see them: the address works once. The API key stays in this process. On a server started with `playtest serve`, " +
    "the same pages are at /studio, without this command.",
  risk: "local",
  args: {},
  flags: {
    port: flag.integer("Port on this computer (default: a free one)", { min: 0, max: 65_535 }),
    noOpen: flag.toggle("Print the address instead of opening a browser"),
  },
  examples: ["playtest studio", "playtest studio --no-open --port 4800"],
  async run({ flags }, ctx) {
    const parts = await partsOf(ctx);
    const { startLoopback } = await import("../../../server/web/studio/loopback.ts");
    const port = flags.port ?? 0;
    const running = await startLoopback(parts, port).catch((error: Error) =>
      Promise.reject(
        failure(`Cannot listen on port ${port} of this computer: ${error.message}.`, "Choose another with --port.", error),
      ),
    );
    try {
      await show(ctx, running, flags.noOpen);
      await stopped(ctx.signal);
    } finally {
      await running.close();
    }
    throw new ExitWith(0);
  },
});

/** Opens the address in a browser, and prints it in any case: a browser may not be allowed to read the file that it gets. */
async function show(ctx: Context, { url, ended }: Loopback, noOpen: boolean): Promise<void> {
  await ctx.out.each({ type: "studio", url }, url);
  const opens = !noOpen && ctx.io.terminal.stdout;
  const opened = opens && (await (await import("../../io/shell.ts")).openSecretUrl(ctx.io, url, ended));
  const what = opened
    ? "Your browser opens this address. If it shows nothing, open it there yourself."
    : "Open this address in a browser.";
  ctx.out.note(`${what} It works once. Press Ctrl-C to stop.`);
}

const stopped = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
