import type { ServeOptions } from "../../../server/config/serve-options.ts";
import type { ServeHost } from "../../../server/main.ts";
import type { Context } from "../../cli/define.ts";
import { define, flag } from "../../cli/define.ts";
import { type Flag, parseInteger } from "../../cli/flags.ts";
import { refuseDryRun } from "../../cli/session/dry-run.ts";
import { version } from "../../cli/version.ts";
import { ExitWith, Interrupted, usage } from "../../errors.ts";
import { config } from "./location-flags.ts";
import { refused } from "./refused.ts";
import { runSelf } from "./run-self.ts";
import { serverEnv } from "./server-env.ts";

const rateLimit: Flag<number | "off" | undefined> = {
  kind: "value",
  summary: "Requests per minute per API key, or off",
  value: "N|off",
  parse: (text, label) => (text === "off" ? "off" : parseInteger(text, label, 1, 1_000_000)),
};

/** Forwards signals to the server. */
const onSignal =
  ({ signal }: Context): ServeHost["onSignal"] =>
  (listener) => {
    const notify = () => listener(signal.reason instanceof Interrupted && signal.reason.exitCode === 130 ? "SIGINT" : "SIGTERM");
    if (signal.aborted) notify();
    else signal.addEventListener("abort", notify, { once: true });
    return () => signal.removeEventListener("abort", notify);
  };

export const run = define({
  name: "run",
  summary: "Run your own server",
  description:
    "By default, listens only on this machine and stores data in the user's data directory. Ctrl-C finishes requests in progress, then exits " +
    "with 0. SIGTERM does the same after a grace period (--drain), so that load balancers notice and no request fails. With --exec, the server runs until that command exits, and returns its exit code. The command receives " +
    "PLAYTEST_BASE_URL and, with --seed, PLAYTEST_API_KEY in its environment. " +
    "The server also reads PLAYTEST_DATABASE_URL, PLAYTEST_SECRET_KEY, PLAYTEST_SMTP_URL, PLAYTEST_MAIL_FROM and PLAYTEST_TRUSTED_PROXIES " +
    "from its environment.",
  risk: "local",
  args: {},
  flags: {
    port: flag.integer("Port to listen on; 0 for any free port (default 4747)", { min: 0, max: 65_535, value: "PORT" }),
    host: flag.text("Address to listen on (default 127.0.0.1)", { value: "ADDRESS" }),
    data: flag.text("Directory for the database, videos and builds", { value: "DIR" }),
    databaseUrl: flag.text("Use this PostgreSQL database instead of SQLite", { value: "URL" }),
    config,
    blobs: flag.text("Keep videos, builds and other files in this bucket: s3://BUCKET/PREFIX?endpoint=…&region=…", {
      value: "ADDRESS",
    }),
    backupTo: flag.text("Make a backup of the server in this folder at intervals", { value: "DIR" }),
    backupEvery: flag.duration("How often to make a backup, at least 1h (default 24h)", { max: Number.POSITIVE_INFINITY }),
    backupKeep: flag.text("Backups to keep, as `serve backup` has it (default 7d,4w,12m)", { value: "RULE" }),
    publicUrl: flag.text("Public address of the server, if it differs", { value: "URL" }),
    behindProxy: flag.toggle("A TLS proxy is in front: allow a --host of the network, and take client addresses from the proxy"),
    tlsCert: flag.text("Speak TLS with this certificate and its chain; read again at SIGHUP", { value: "FILE" }),
    tlsKey: flag.text("Private key of the certificate", { value: "FILE" }),
    ephemeral: flag.toggle("Use a temporary data directory, deleted on exit"),
    sandbox: flag.toggle("Test mode: no real money, an adjustable clock, simulated playtesters"),
    noAutoVerify: flag.toggle("In sandbox mode, do not verify the email addresses of new accounts automatically"),
    seed: flag.choice(
      ["demo", "minimal"],
      "Fill a new database: minimal has an owner with credit and a game, and three playtesters; demo also videos to review, an application, a problem, a payout owed and a conversation",
    ),
    readyFile: flag.text("Write the address, process id and API keys to this file once the server is ready", { value: "FILE" }),
    exec: flag.text("Run a command against the server, then stop and return its exit code", { value: "COMMAND" }),
    rateLimit,
    noBackup: flag.toggle("Do not copy an SQLite database before it is migrated"),
    drain: flag.duration("How long to answer requests after SIGTERM, while /readyz reports 503 (default 5s; 0 in a sandbox)"),
    waitForDatabase: flag.duration("How long to wait at the start for a PostgreSQL database that does not answer (default 0)"),
    log: flag.choice(["text", "json"], "Log format (default: text on a terminal, otherwise json)"),
    logLevel: flag.choice(["debug", "info", "warn", "error"], "Minimum level to log (default info)"),
  },
  examples: [
    "playtest serve",
    "playtest serve --seed demo --ephemeral --port 0",
    "playtest serve --seed demo --ephemeral --port 0 --exec 'npm test'",
    "playtest serve --behind-proxy --public-url https://playtest.example.com --data /var/lib/playtest",
  ],
  async run({ flags }, ctx) {
    refuseDryRun(ctx);
    const { noAutoVerify, noBackup, ...given } = flags;
    if (noAutoVerify && !flags.sandbox && !flags.seed)
      throw usage("--no-auto-verify works only in sandbox mode.", "Add --sandbox or --seed demo.");
    const set = Object.entries(given).filter(([, value]) => value !== undefined);
    if (flags.backupEvery !== undefined && !(flags.backupEvery >= 3600 && flags.backupEvery <= 31 * 86_400))
      throw usage("--backup-every: must be from 1h to 31d.", "The server was not started.");
    const ms = (name: "drain" | "waitForDatabase" | "backupEvery") =>
      flags[name] === undefined ? {} : { [name]: flags[name] * 1000 };
    const options = {
      ...Object.fromEntries(set),
      ...ms("drain"),
      ...ms("waitForDatabase"),
      ...ms("backupEvery"),
      autoVerify: !noAutoVerify,
      backup: !noBackup,
      version,
    } as ServeOptions;
    const { io } = ctx;
    const host: ServeHost = {
      env: serverEnv(ctx),
      pid: io.pid,
      isTTY: io.terminal.stderr,
      write: io.err,
      runCommand: runSelf(io),
      onSignal: onSignal(ctx),
    };
    const { serve } = await import("../../../server/main.ts");
    const code = await serve(options, host).catch((error: unknown) => Promise.reject(refused(error)));
    throw new ExitWith(code);
  },
});
