import type { ServeOptions } from "../../../server/config/serve-options.ts";
import type { ServeHost } from "../../../server/main.ts";
import type { Context } from "../../cli/define.ts";
import { define, flag } from "../../cli/define.ts";
import { type Flag, parseInteger } from "../../cli/flags.ts";
import { version } from "../../cli/version.ts";
import { ExitWith, Interrupted, usage } from "../../errors.ts";
import { refused } from "./refused.ts";

const rateLimit: Flag<number | "off" | undefined> = {
  kind: "value",
  summary: "Requests a minute and key, or off",
  value: "N|off",
  parse: (text, label) => (text === "off" ? "off" : parseInteger(text, label, 1, 1_000_000)),
};

/** Tells the server of a signal by the names it knows. */
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
  summary: "Run a server of your own",
  description:
    "Listens on this machine only unless --host says otherwise, and keeps its data in the user's data folder. " +
    "SIGTERM and Ctrl-C finish what is in flight and end it with 0. With --exec it serves until that command ends, whose exit code is the result; " +
    "the command finds PLAYTEST_BASE_URL and, when seeded, PLAYTEST_API_KEY in its environment. " +
    "PLAYTEST_DATABASE_URL, PLAYTEST_SECRET_KEY, PLAYTEST_SMTP_URL, PLAYTEST_MAIL_FROM and PLAYTEST_TRUSTED_PROXIES set what belongs to the machine.",
  risk: "local",
  args: {},
  flags: {
    port: flag.integer("Port to listen on; 0 takes any free one (default 4747)", { min: 0, max: 65_535, value: "PORT" }),
    host: flag.text("Address to listen on (default 127.0.0.1)", { value: "ADDRESS" }),
    data: flag.text("Folder for database, videos and builds", { value: "DIR" }),
    databaseUrl: flag.text("postgres://… instead of the SQLite file", { value: "URL" }),
    config: flag.text("Configuration file (default config.json in the data folder)", { value: "FILE" }),
    publicUrl: flag.text("Address clients use, where it differs", { value: "URL" }),
    behindProxy: flag.toggle("A proxy in front speaks TLS: allows other addresses than this machine's"),
    ephemeral: flag.toggle("Keep nothing: a temporary folder, removed at the end"),
    sandbox: flag.toggle("For trying out: no real money, a clock that can be moved, simulated playtesters"),
    noAutoVerify: flag.toggle("In a sandbox, let new accounts verify their e-mail address themselves"),
    seed: flag.choice(["demo"], "Fill a new database: an owner with credit and a game, three playtesters"),
    readyFile: flag.text("Write address, process id and keys here once requests are accepted", { value: "FILE" }),
    exec: flag.text("Run a command against the server, then stop; its exit code is the result", { value: "COMMAND" }),
    rateLimit,
    log: flag.choice(["text", "json"], "Form of the log (default text on a terminal)"),
    logLevel: flag.choice(["debug", "info", "warn", "error"], "What is logged (default info)"),
  },
  examples: [
    "playtest serve",
    "playtest serve --seed demo --ephemeral --port 0",
    "playtest serve --seed demo --ephemeral --port 0 --exec 'npm test'",
    "playtest serve --host 0.0.0.0 --behind-proxy --public-url https://playtest.example.com --data /var/lib/playtest",
  ],
  async run({ flags }, ctx) {
    const { noAutoVerify, ...given } = flags;
    if (noAutoVerify && !flags.sandbox && !flags.seed)
      throw usage("--no-auto-verify is for a sandbox.", "Add --sandbox or --seed demo.");
    const set = Object.entries(given).filter(([, value]) => value !== undefined);
    const options = { ...Object.fromEntries(set), autoVerify: !noAutoVerify, version } as ServeOptions;
    const { io } = ctx;
    const host: ServeHost = {
      env: { ...io.env },
      pid: io.pid,
      isTTY: io.terminal.stderr,
      write: io.err,
      onSignal: onSignal(ctx),
    };
    const { serve } = await import("../../../server/main.ts");
    const code = await serve(options, host).catch((error: unknown) => Promise.reject(refused(error)));
    throw new ExitWith(code);
  },
});
