import { instanceUrl } from "../../api/url.ts";
import { type Context, define, flag } from "../../cli/define.ts";
import { CliError, failure } from "../../errors.ts";
import { withSettings } from "./location-flags.ts";
import { refused } from "./refused.ts";
import { serverEnv } from "./server-env.ts";
import { type Frame, frameLines, frameOf, parseMetrics, type Sample } from "./top-frame.ts";

const everyMs = 2_000;
const timeoutMs = 5_000;

interface Given {
  data: string | undefined;
  databaseUrl: string | undefined;
  config: string | undefined;
  token: string | undefined;
}

interface Source {
  url: URL;
  token: string | null;
}

/** Where the metrics are: at the address that is given, else where the configuration of the server on this machine says. */
async function sourceOf(ctx: Context, { token, config: file, ...given }: Given): Promise<Source> {
  const [{ readConfig }, { locate }] = await Promise.all([
    import("../../../server/config/read.ts"),
    import("../../../server/database/drivers.ts"),
  ]);
  const env = serverEnv(ctx);
  try {
    const { metrics } = await readConfig(env, locate({ ...given, env }).dataDir, file);
    // That of the environment is the server of other commands, which must not get the token of this machine's.
    const { baseUrl } = ctx.flags;
    const host = metrics.host.includes(":") ? `[${metrics.host}]` : metrics.host;
    const own = metrics.port === null ? "http://127.0.0.1:4747" : `http://${host}:${metrics.port}`;
    return {
      url: new URL("/metrics", instanceUrl(baseUrl ?? own)),
      token: token ?? (baseUrl === undefined ? metrics.token : null),
    };
  } catch (error) {
    throw refused(error);
  }
}

const advice: Record<number, string> = {
  401: "Pass the token of the setting metrics.token with --token, or name the data directory of the server with --data.",
  404: "Set metrics.token or metrics.port in the configuration of the server and restart it: see `playtest help server`.",
};

async function sampleFrom(ctx: Context, { url, token }: Source): Promise<Sample> {
  const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
  const { status, body } = await ctx.send({ method: "GET", url, headers, timeout: timeoutMs, signal: ctx.signal });
  if (status !== 200) throw failure(`${url.href} answered with status ${status}, not with metrics.`, advice[status]);
  return { at: ctx.now(), metrics: parseMetrics(body.toString()) };
}

const enter = "\u001b[?1049h\u001b[?25l";
const leave = "\u001b[?25h\u001b[?1049l";
/** Over what was there before, so that nothing flickers. */
const drawn = (lines: readonly string[], columns: number) =>
  `\u001b[H${lines.map((line) => `${line.slice(0, columns)}\u001b[K\r\n`).join("")}\u001b[J`;

/** Draws frames until it is interrupted, and leaves the terminal as it was. */
async function live(ctx: Context, source: Source, first: Sample): Promise<never> {
  const { io } = ctx;
  let before = first;
  await io.out(enter);
  try {
    await io.out(drawn(frameLines(frameOf(first), source.url.href), io.columns));
    for (;;) {
      await ctx.sleep(everyMs, ctx.signal);
      const next = await sampleFrom(ctx, source).catch((error: unknown) => {
        ctx.signal.throwIfAborted();
        if (error instanceof CliError) return error;
        throw error;
      });
      if (next instanceof CliError) {
        await io.out(drawn([`No metrics: ${next.message}`, "Trying again every 2 seconds. Ctrl-C ends."], io.columns));
        continue;
      }
      await io.out(drawn(frameLines(frameOf(next, before), source.url.href), io.columns));
      before = next;
    }
  } finally {
    await io.out(leave);
  }
}

export const top = define({
  name: "top",
  summary: "Watch a running server: requests, queues, deliveries, disk",
  description:
    "Reads the metrics of a server every 2 seconds and shows requests per second, the slowest operations, background jobs that wait and for how long, webhook deliveries and emails that did not arrive, " +
    "uploads under way and the free space of the disk. The server must have metrics: set metrics.token or metrics.port. The address is that of --base-url, else of the server on this machine. " +
    "The first frame is about the time since the server started. Ctrl-C ends. Without a terminal, prints one frame.",
  risk: "local",
  args: {},
  flags: {
    ...withSettings,
    token: flag.text("Token of the metrics (default: metrics.token of the configuration)", { value: "TOKEN" }),
    once: flag.toggle("Print one frame"),
  },
  examples: [
    "playtest serve top --data /srv/playtest",
    "playtest serve top --base-url https://playtest.example.com --once --json",
  ],
  async run({ flags: { once, ...given } }, ctx) {
    const source = await sourceOf(ctx, given);
    const sample = await sampleFrom(ctx, source);
    if (!once && ctx.io.terminal.stdout && ctx.out.format.kind === "auto") return live(ctx, source, sample);
    const frame: Frame = frameOf(sample);
    return ctx.verbatim(frameLines(frame, source.url.href).join("\n"), frame);
  },
});
