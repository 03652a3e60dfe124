import { define, flag } from "../../cli/define.ts";
import { refused } from "./refused.ts";

export const systemd = define({
  name: "systemd",
  summary: "Print a hardened systemd unit file",
  description:
    "The unit uses this installation of Node.js and playtest. Put secrets, such as PLAYTEST_SMTP_URL, PLAYTEST_STRIPE_SECRET_KEY and " +
    "PLAYTEST_DATABASE_URL, in the environment file: one NAME=value per line, mode 0600.",
  risk: "local",
  args: {},
  flags: {
    data: flag.text("Directory for the database, videos and builds (default /var/lib/playtest)", { value: "DIR" }),
    port: flag.integer("Port to listen on (default 4747)", { min: 1, max: 65_535, value: "PORT" }),
    host: flag.text("Address to listen on (default 127.0.0.1)", { value: "ADDRESS" }),
    publicUrl: flag.text("Public address of the server, if it differs", { value: "URL" }),
    behindProxy: flag.toggle("A TLS proxy is in front: allow a --host of the network, and take client addresses from the proxy"),
    config: flag.text("Configuration file (default: config.json in the data directory)", { value: "FILE" }),
    user: flag.text("User to run the server as (default playtest)", { value: "NAME" }),
    envFile: flag.text("Environment file (default /etc/playtest/environment)", { value: "FILE" }),
  },
  examples: [
    "playtest serve systemd --behind-proxy --public-url https://playtest.example.com | sudo tee /etc/systemd/system/playtest.service",
    "playtest serve systemd --data /srv/playtest --port 8080 --user www-data",
  ],
  async run({ flags }, ctx) {
    const { unitFile, thisProgram } = await import("../../../server/operations/systemd.ts");
    const set = Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined));
    const defaults = { data: "/var/lib/playtest", user: "playtest", envFile: "/etc/playtest/environment" };
    try {
      const unit = await unitFile({ ...defaults, ...set }, thisProgram());
      return ctx.verbatim(unit.trimEnd(), { result: { unit } });
    } catch (error) {
      throw refused(error);
    }
  },
});
