import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { playtest, testFolder } from "../helpers/cli.ts";

const unit = async (...flags: string[]) => {
  const { code, stdout, stderr } = await playtest(["serve", "systemd", ...flags]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout;
};
/** The value of a setting, without Node.js and the program, which are this run's. */
const setting = (text: string, name: string) =>
  new RegExp(`^${name}=(.*)$`, "m").exec(text)?.[1]?.replace(/^\S+ \S+ serve run/, "serve run");

describe("serve systemd", () => {
  it("prints a unit for this Node.js and this program", async () => {
    const text = await unit("--public-url", "https://play.example.com");
    expect(text).toContain(
      `\nExecStart=${process.execPath} ${process.argv[1]} serve run --data /var/lib/playtest --log json --public-url`,
    );
    expect(text.split("\n").filter((line) => line.startsWith("["))).toEqual(["[Unit]", "[Service]", "[Install]"]);
  });

  it.each<[string, string[], Record<string, string | undefined>]>([
    [
      "by default",
      [],
      {
        User: "playtest",
        StateDirectory: "playtest",
        EnvironmentFile: "-/etc/playtest/environment",
        ReadWritePaths: undefined,
        ProtectSystem: "strict",
        ProtectHome: "yes",
        NoNewPrivileges: "yes",
        Restart: "on-failure",
        Type: "notify",
        TimeoutStartSec: "infinity",
        ExecReload: undefined,
        ExecStart: "serve run --data /var/lib/playtest --log json",
      },
    ],
    ["a folder elsewhere", ["--data", "/srv/playtest"], { StateDirectory: undefined, ReadWritePaths: "/srv/playtest" }],
    ["a folder in a home", ["--data", "/home/ada/play"], { ProtectHome: "read-only", ReadWritePaths: "/home/ada/play" }],
    [
      "what systemd would read in another way",
      ["--data", '/srv/a b%h$HOME"'],
      { ReadWritePaths: '"/srv/a b%%h$HOME\\""', ExecStart: 'serve run --data "/srv/a b%%h$$HOME\\"" --log json' },
    ],
    [
      "another user, port and file",
      ["--user", "www-data", "--port", "8080", "--env-file", "/etc/pt.env"],
      {
        User: "www-data",
        EnvironmentFile: "-/etc/pt.env",
        ExecStart: "serve run --data /var/lib/playtest --log json --port 8080",
      },
    ],
    [
      "a certificate",
      ["--tls-cert", "/etc/tls/cert.pem", "--tls-key", "/etc/tls/key.pem"],
      {
        ExecReload: "/bin/kill -HUP $MAINPID",
        ExecStart: "serve run --data /var/lib/playtest --log json --tls-cert /etc/tls/cert.pem --tls-key /etc/tls/key.pem",
      },
    ],
    [
      "a proxy in front",
      ["--host", "0.0.0.0", "--behind-proxy"],
      { ExecStart: "serve run --data /var/lib/playtest --log json --host 0.0.0.0 --behind-proxy" },
    ],
  ])("%s", async (_, flags, expected) => {
    const text = await unit(...flags);
    expect(Object.fromEntries(Object.keys(expected).map((name) => [name, setting(text, name)]))).toEqual(expected);
  });

  it.each<[string, string[], Record<string, string | undefined>]>([
    ["socket", [], { ListenStream: "127.0.0.1:4747", WantedBy: "sockets.target" }],
    ["socket", ["--host", "::1", "--port", "8080"], { ListenStream: "[::1]:8080" }],
    [
      "backup",
      ["--data", "/srv/playtest", "--keep", "3d"],
      {
        Type: "oneshot",
        User: "playtest",
        ReadWritePaths: "/srv/playtest",
        ExecStart: "serve backup /var/backups/playtest --keep 3d --data /srv/playtest",
      },
    ],
    ["backup-timer", ["--at", "Sun 04:00"], { OnCalendar: "Sun 04:00", Persistent: "true" }],
  ])("the unit %s with %j", async (kind, flags, expected) => {
    const text = await unit("--unit", kind, ...flags);
    const found = (name: string) => setting(text, name)?.replace(/^\S+ \S+ serve backup/, "serve backup");
    expect(Object.fromEntries(Object.keys(expected).map((name) => [name, found(name)]))).toEqual(expected);
  });

  it("gives the server more time to stop than it takes", async () => {
    expect(setting(await unit(), "TimeoutStopSec")).toBe("17");
    const folder = testFolder();
    writeFileSync(join(folder, "config.json"), JSON.stringify({ http: { drainMs: 300_500 } }));
    expect(setting(await unit("--data", folder), "TimeoutStopSec")).toBe("316");
  });

  it.each([
    [["--host", "0.0.0.0"], "pass --behind-proxy"],
    [["--user", "a\nExecStart=/bin/sh"], "is not a valid user name"],
    [["--data", "/srv/a\nExecStartPre=/bin/sh"], "has control characters, which a unit file cannot contain"],
    [["--public-url", "https://a\n"], "has control characters, which a unit file cannot contain"],
    [["--port", "0"], "--port"],
    [["--unit", "backup", "--keep", "daily"], "--keep daily is not a rule. Pass one such as 7d,4w,12m"],
    [["--tls-cert", "/etc/tls/cert.pem"], "--tls-cert and --tls-key belong together"],
    [["--unit", "backup-timer", "--at", "daily\nExecStart=/bin/sh"], "has control characters"],
  ])("refuses %j", async (flags, message) => {
    const { code, stdout, stderr } = await playtest(["serve", "systemd", ...flags]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(message);
  });
});
