import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isInstalled } from "../helpers/builds.ts";
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
      ["--user", "www-data", "--port", "8080", "--environment-file", "/etc/pt.env"],
      {
        User: "www-data",
        EnvironmentFile: "-/etc/pt.env",
        ExecStart: "serve run --data /var/lib/playtest --log json --port 8080",
        CapabilityBoundingSet: "",
        PrivateUsers: "yes",
      },
    ],
    ["the former name of a flag", ["--env-file", "/etc/pt.env"], { EnvironmentFile: "-/etc/pt.env" }],
    [
      "an environment file whose path systemd would take for a pattern, and never for quoted",
      ["--environment-file", "/etc/jöb *?[1]%h/a\\b"],
      { EnvironmentFile: "-/etc/jöb \\*\\?\\[1]%%h/a\\\\b" },
    ],
    ["the home of root", ["--data", "/root"], { ProtectHome: "read-only", ReadWritePaths: "/root" }],
    [
      "a certificate in a home",
      ["--tls-cert", "/etc/tls/cert.pem", "--tls-key", "/home/ada/key.pem"],
      { ProtectHome: "read-only", ReadWritePaths: undefined },
    ],
    [
      "files in a home that the service does not read",
      ["--backups", "/root/b", "--environment-file", "/root/e"],
      { ProtectHome: "yes" },
    ],
    [
      "a port that only root may use",
      ["--port", "443"],
      { CapabilityBoundingSet: "CAP_NET_BIND_SERVICE", AmbientCapabilities: "CAP_NET_BIND_SERVICE", PrivateUsers: undefined },
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
    ["socket", ["--host", "localhost"], { ListenStream: "127.0.0.1:4747" }],
    ["backup", ["--backups", "/root/backups"], { ProtectHome: "read-only", ReadWritePaths: "-/root/backups" }],
    ["backup", ["--port", "443"], { ProtectHome: "yes", CapabilityBoundingSet: "", PrivateUsers: "yes" }],
    ["backup-timer", ["--at", "Sun 04:00"], { OnCalendar: "Sun 04:00", Persistent: "true" }],
  ])("the unit %s with %j", async (kind, flags, expected) => {
    const text = await unit("--unit", kind, ...flags);
    const found = (name: string) => setting(text, name)?.replace(/^\S+ \S+ serve backup/, "serve backup");
    expect(Object.fromEntries(Object.keys(expected).map((name) => [name, found(name)]))).toEqual(expected);
  });

  it("counts folders of backups in a home that settings name, and a port of the metrics that only root may use", async () => {
    const config = join(testFolder(), "config.json");
    writeFileSync(config, JSON.stringify({ metrics: { port: 900 }, backup: { to: "/home/ada/backups" } }));
    const text = await unit("--config", config);
    expect(setting(text, "ProtectHome")).toBe("read-only");
    expect(setting(text, "AmbientCapabilities")).toBe("CAP_NET_BIND_SERVICE");
  });

  const odd = '/srv/ä b"c\\d%h$e*';
  const units: [string, string, string[]][] = [
    ["service", "playtest.service", ["--port", "443", "--tls-cert", odd, "--tls-key", odd]],
    ["socket", "playtest.socket", ["--host", "localhost"]],
    ["backup", "playtest-backup.service", []],
    ["backup-timer", "playtest-backup.timer", []],
  ];
  it.runIf(isInstalled("systemd-analyze"))("prints units that systemd takes, with paths of any characters", async () => {
    const folder = testFolder();
    mkdirSync(folder, { recursive: true });
    for (const [kind, name, flags] of units) {
      const where = ["--data", odd, "--environment-file", odd, "--backups", `${odd}/backups`];
      writeFileSync(join(folder, name), await unit("--unit", kind, ...where, ...flags));
    }
    for (const [, name] of units) {
      const { status, stderr } = spawnSync("systemd-analyze", ["verify", join(folder, name)], { encoding: "utf8" });
      expect({ name, status, stderr }).toEqual({ name, status: 0, stderr: "" });
    }
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
    [["--unit", "socket", "--host", "play.lan", "--behind-proxy"], "Pass the IP address that it stands for"],
    [["--unit", "backup", "--keep", "daily"], "--keep daily is not a rule. Pass one such as 7d,4w,12m"],
    [["--tls-cert", "/etc/tls/cert.pem"], "--tls-cert and --tls-key belong together"],
    [["--unit", "backup-timer", "--at", "daily\nExecStart=/bin/sh"], "has control characters"],
  ])("refuses %j", async (flags, message) => {
    const { code, stdout, stderr } = await playtest(["serve", "systemd", ...flags]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(message);
  });
});
