import type { UnitKind } from "../../../server/operations/systemd.ts";
import { define, flag } from "../../cli/define.ts";
import { config } from "./location-flags.ts";
import { refused } from "./refused.ts";

/** As the parser and the help want them, without loading the server. */
const kinds = ["service", "socket", "backup", "backup-timer"] as const satisfies readonly UnitKind[];

export const systemd = define({
  name: "systemd",
  summary: "Print hardened systemd unit files",
  description:
    "The service restarts a server that gives no sign of life for a minute. With the socket, connections wait while the server restarts. " +
    "The backup runs daily. The units use this installation of Node.js and playtest. Put secrets, such as PLAYTEST_SMTP_URL, PLAYTEST_STRIPE_SECRET_KEY and " +
    "PLAYTEST_DATABASE_URL, in the environment file: one NAME=value per line, mode 0600.",
  risk: "local",
  args: {},
  flags: {
    unit: flag.choice(kinds, "Unit to print (default service)"),
    data: flag.text("Directory for the database, videos and builds (default /var/lib/playtest)", { value: "DIR" }),
    port: flag.integer("Port to listen on (default 4747)", { min: 1, max: 65_535, value: "PORT" }),
    host: flag.text("Address to listen on (default 127.0.0.1)", { value: "ADDRESS" }),
    publicUrl: flag.text("Public address of the server, if it differs", { value: "URL" }),
    behindProxy: flag.toggle("A TLS proxy is in front: allow a --host of the network, and take client addresses from the proxy"),
    config,
    tlsCert: flag.text("Speak TLS with this certificate and its chain", { value: "FILE" }),
    tlsKey: flag.text("Private key of the certificate", { value: "FILE" }),
    user: flag.text("User to run the server as (default playtest)", { value: "NAME" }),
    environmentFile: flag.text("Environment file (default /etc/playtest/environment)", { value: "FILE" }),
    // Node.js itself takes this one, wherever it stands, and ends where there is no such file.
    envFile: flag.text("Environment file", { value: "FILE", hidden: true }),
    backups: flag.text("Folder of the backups (default /var/backups/playtest)", { value: "DIR" }),
    keep: flag.text("Backups to keep, as `serve backup` has it (default 7d,4w,12m)", { value: "RULE" }),
    at: flag.text("When to back up, as systemd.time(7) has it (default 03:30)", { value: "TIME" }),
  },
  examples: [
    "playtest serve systemd --behind-proxy --public-url https://playtest.example.com | sudo tee /etc/systemd/system/playtest.service",
    "playtest serve systemd --data /srv/playtest --port 8080 --user www-data",
    "playtest serve systemd --unit socket | sudo tee /etc/systemd/system/playtest.socket",
    "playtest serve systemd --unit backup-timer --at 04:00 | sudo tee /etc/systemd/system/playtest-backup.timer",
  ],
  async run({ flags }, ctx) {
    const { unitFile, thisProgram } = await import("../../../server/operations/systemd.ts");
    const { unit: kind = "service", envFile, ...given } = flags;
    const set = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    const folders = { data: "/var/lib/playtest", backups: "/var/backups/playtest" };
    const environmentFile = envFile ?? "/etc/playtest/environment";
    const defaults = { ...folders, environmentFile, user: "playtest", keep: "7d,4w,12m", at: "03:30" };
    try {
      const unit = await unitFile(kind, { ...defaults, ...set }, thisProgram());
      return ctx.verbatim(unit.trimEnd(), { result: { unit } });
    } catch (error) {
      throw refused(error);
    }
  },
});
