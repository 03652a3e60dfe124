import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { migrations } from "../../server/database/migrate.ts";
import { openStore } from "../../server/database/open.ts";
import { version } from "../../src/cli/version.ts";
import { playtest } from "../helpers/cli.ts";
import { personWith } from "../helpers/factories.ts";
import { freePort } from "../helpers/free-port.ts";
import { type FreshDatabase, freshDatabase } from "../helpers/postgres.ts";
import { sql } from "../helpers/postgres-server.ts";
import { killLeftovers, readyFile, spawnPlaytest } from "../helpers/process.ts";
import { insertDeadJob } from "../helpers/raw-rows.ts";
import { nodeAt } from "../helpers/server.ts";
import { freshFolder } from "../helpers/store.ts";
import { leaveAll, sitDown } from "../helpers/terminal.ts";

// Each test starts processes, which on a busy machine take their time.
let folder: string;
let servers = 0;
beforeEach(() => {
  folder = freshFolder();
});
afterEach(killLeftovers);
afterEach(leaveAll);

const serve = (...argv: string[]) => spawnPlaytest(folder, ["serve", ...argv]);
const run = (...argv: string[]) => serve(...argv).ended;

const allApplied = `Applied ${migrations.length} migrations: ${migrations.map(({ name }) => name).join(", ")}.`;

/** A server on a free port with its data in the test's folder. */
async function serving(...argv: string[]) {
  const file = join(folder, `ready-${++servers}.json`);
  const server = serve("--port", "0", "--data", folder, "--ready-file", file, ...argv);
  return { server, ready: await readyFile(file) };
}

describe("serve run", () => {
  it("serves until SIGTERM, then ends with 0 and leaves the port", async () => {
    const { server, ready } = await serving("--sandbox");
    expect(ready.pid).toBe(server.child.pid);
    expect((await fetch(`${ready.baseUrl}/api/v1/info/server`)).status).toBe(200);
    server.child.kill("SIGTERM");
    const { code, stdout, stderr } = await server.ended;
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
    expect(stderr).toContain(`serves ${ready.baseUrl}\n  mode      SANDBOX`);
    await expect(fetch(ready.baseUrl)).rejects.toThrow();
  });

  it("keeps its data from one run to the next, and is not disturbed by a second server on it", async () => {
    const first = await serving();
    expect(first.ready.adminKey).toMatch(/^pt_sk_/);
    const second = await run("--port", "0", "--data", folder);
    expect(second.code).toBe(1);
    expect(second.stderr).toContain(`is in use by another playtest server (process ${first.ready.pid})`);
    expect(second.stderr).not.toContain("    at ");
    first.server.child.kill("SIGINT");
    expect((await first.server.ended).code).toBe(0);
    const third = await serving();
    const headers = { authorization: `Bearer ${first.ready.adminKey}` };
    expect((await fetch(`${third.ready.baseUrl}/api/v1/auth/me`, { headers })).status).toBe(200);
  });

  it("rotates its key while it runs, and starts again with the new one only", async () => {
    const first = await serving();
    const [key, next] = [join(folder, "instance.key"), join(folder, "instance.key.next")];
    const before = readFileSync(key, "utf8");
    const rotated = await run("rotate-key", "--data", folder, "--yes", "--json");
    expect([rotated.code, JSON.parse(rotated.stdout).result.keyFile]).toEqual([0, key]);
    expect([readFileSync(key, "utf8") === before, existsSync(next)]).toEqual([false, false]);
    const headers = { authorization: `Bearer ${first.ready.adminKey}` };
    expect((await fetch(`${first.ready.baseUrl}/api/v1/auth/me`, { headers })).status).toBe(200);
    first.server.child.kill("SIGINT");
    expect((await first.server.ended).code).toBe(0);
    const old = await spawnPlaytest(folder, ["serve", "--port", "0", "--data", folder], { PLAYTEST_SECRET_KEY: before.trim() })
      .ended;
    expect([old.code, old.stderr]).toEqual([2, expect.stringContaining("unset PLAYTEST_SECRET_KEY")]);
    expect((await serving()).ready.adminKey).toBe(null);
  });

  it("rotation of its key ends the links and cursors given out before, and no API key", async () => {
    const { ready } = await serving("--seed", "demo");
    const owner = personWith(nodeAt(ready.baseUrl), ready.ownerKey!, "");
    const { data, meta } = (await owner.get("/submissions?limit=1")).body;
    const { downloadUrl } = (await owner.get(`/slots/${data.submissions[0].slot.id}/download-url`)).body.data;
    const next = `/submissions?limit=1&cursor=${encodeURIComponent(meta.cursor)}`;
    const statuses = async () => [(await fetch(downloadUrl)).status, (await owner.get(next)).status];
    expect(await statuses()).toEqual([200, 200]);
    expect((await run("rotate-key", "--data", folder, "--yes")).stdout).toContain("Rotated the instance key.");
    expect(await statuses()).toEqual([403, 422]);
    expect((await owner.get("/submissions?limit=1")).status).toBe(200);
  });

  it("refuses the data of a live server with --sandbox, and says what to do", async () => {
    const { server } = await serving();
    server.child.kill("SIGINT");
    await server.ended;
    const { code, stderr } = await run("--port", "0", "--data", folder, "--sandbox");
    expect([code, stderr]).toEqual([2, expect.stringContaining("Start it without --sandbox and --seed")]);
  });

  it("runs a command against a seeded server and ends with its exit code", async () => {
    const command = `node -e 'fetch(process.env.PLAYTEST_BASE_URL + "/api/v1/billing/balance", { headers: { authorization: "Bearer " + process.env.PLAYTEST_API_KEY } }).then((r) => r.json()).then((r) => { console.log(r.data.balanceCents); process.exit(7); })'`;
    const { code, stdout, stderr } = await run("--ephemeral", "--port", "0", "--seed", "minimal", "--exec", command);
    expect({ code, stdout }).toEqual({ code: 7, stdout: "50000\n" });
    expect(stderr).not.toContain("pt_sk_");
    const temporary = /data {6}(\S+) \(--ephemeral, deleted on exit\)/.exec(stderr)?.[1];
    expect(existsSync(temporary!)).toBe(false);
  });

  it("keeps the administrator's key out of its log: it is in a file that only its user can read", async () => {
    const file = join(folder, "admin-key");
    symlinkSync("elsewhere", file);
    const { child, ended } = serve("--port", "0", "--data", folder);
    await once(child.stderr!, "data");
    await vi.waitUntil(() => existsSync(file), { timeout: 60_000 });
    child.kill("SIGINT");
    const { stdout, stderr } = await ended;
    expect(stdout + stderr).not.toContain("pt_sk_");
    expect(stderr).toContain(`admin     its API key is in ${file}`);
    expect(readFileSync(file, "utf8")).toMatch(/^pt_sk_[0-9a-f]{32}\n$/);
    expect([statSync(file).mode & 0o777, existsSync(join(folder, "elsewhere"))]).toEqual([0o600, false]);
  });

  it("shows the administrator's key on a terminal", async () => {
    const terminal = sitDown(folder, ["serve", "--port", "0", "--data", folder], {});
    // A terminal drops what it has not shown yet at Ctrl-C.
    await terminal.see("Press Ctrl-C to stop.", "\u0003");
    await terminal.ended;
    expect(terminal.shown).toMatch(/admin {5}pt_sk_[0-9a-f]{32} /);
    expect(terminal.shown).toMatch(
      /Next, in another terminal:\s+playtest auth register --base-url http:\S+\s+No email is sent.*\s+playtest login --with-key --profile admin --base-url http:\S+\s+playtest admin users verify EMAIL/,
    );
    expect(existsSync(join(folder, "admin-key"))).toBe(false);
  });

  it.each([
    [
      "invite",
      /Nobody can register here\. Next, in another terminal, as the administrator:\s+playtest login --with-key --profile admin --base-url http:\S+\s+playtest admin invite people\.csv --profile admin\s+No email is sent, so forward the links in the folder above\./,
    ],
    [
      "closed",
      /New accounts are not accepted\. The administrator signs in with:\s+playtest login --with-key --profile admin --base-url http:\S+\s+Press Ctrl-C/,
    ],
  ])("names no command that is refused where registration is %s", async (registration, steps) => {
    const env = { PLAYTEST_REGISTRATION: registration };
    const terminal = sitDown(folder, ["serve", "--port", "0", "--data", folder], env);
    await terminal.see("Press Ctrl-C to stop.", "\u0003");
    await terminal.ended;
    expect(terminal.shown).toMatch(steps);
    expect(terminal.shown).not.toContain("auth register");
  });

  it("writes its ready file for its user alone, whatever was there before", async () => {
    const ready = join(folder, `ready-${servers + 1}.json`);
    writeFileSync(join(folder, "others"), "", { mode: 0o644 });
    symlinkSync("others", `${ready}.part`);
    await serving();
    expect([statSync(ready).mode & 0o777, readFileSync(join(folder, "others"), "utf8")]).toEqual([0o600, ""]);
  });

  it("shows the key of the demo's owner", async () => {
    const { child } = serve("--ephemeral", "--port", "0", "--seed", "minimal");
    let shown = "";
    for await (const chunk of child.stderr!) {
      shown += chunk;
      if (shown.includes("(its API key)")) break;
    }
    const [, key = ""] = /owner {5}(pt_sk_\w+)/.exec(shown)!;
    const headers = { authorization: `Bearer ${key}` };
    const reply = await fetch(`${/serves (\S+)/.exec(shown)![1]}/api/v1/billing/balance`, { headers });
    expect(await reply.json()).toMatchObject({ data: { balanceCents: 50_000 } });
  });

  it.each([
    [["--host", "0.0.0.0", "--port", "0"], 2, "pass --behind-proxy"],
    [["--host", "0.0.0.0", "--port", "0", "--behind-proxy", "--sandbox"], 2, "can listen only on this machine"],
    [["--ephemeral", "--data", "x"], 2, "--ephemeral and --data cannot be used together"],
    [["--port", "70000"], 2, "--port: must be from 0 to 65535, not 70000"],
    [["--rate-limit", "many"], 2, "--rate-limit"],
    [["--no-auto-verify"], 2, "--no-auto-verify works only in sandbox mode"],
    [["--seed", "demos"], 2, "--seed"],
    [["--database-url", "mysql://x"], 1, "does not start with postgres://"],
    [["now"], 2, "now"],
  ])("refuses %j", async (argv, code, message) => {
    const ended = await playtest(["serve", ...argv]);
    expect(ended.code).toBe(code);
    expect(ended.stderr).toContain(message);
    expect(ended.stderr).not.toContain("    at ");
  });

  it("refuses a standby for reads where the database is SQLite", async () => {
    const config = join(folder, "read-url.json");
    writeFileSync(config, JSON.stringify({ database: { readUrl: "postgres://localhost/copy" } }));
    const { code, stderr } = await run("--data", join(folder, "own"), "--config", config);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr:
        "error: database.readUrl is set, but SQLite has no standby. The server was not started. Remove the setting, or name the PostgreSQL database with --database-url.\n",
    });
  });

  it("says what runs on a port that is in use, and creates nothing", async () => {
    const { ready } = await serving();
    const port = new URL(ready.baseUrl).port;
    const dataDir = join(folder, "other");
    const refused = (running: string, at: string) => ({
      code: 1,
      stderr: `error: Port ${at} is in use: ${running} listens there. Nothing was started or created. Choose another port with --port, or any free one with --port 0.\n`,
    });
    const taken = await run("--data", dataDir, "--port", port);
    expect({ code: taken.code, stderr: taken.stderr }).toEqual(
      refused(`a playtest server (version ${version}, ${ready.baseUrl})`, port),
    );
    expect(existsSync(dataDir)).toBe(false);

    const other = createServer((_request, response) => response.end("hello")).listen(0, "127.0.0.1");
    await once(other, "listening");
    const otherPort = String((other.address() as AddressInfo).port);
    const { code, stderr } = await run("--data", dataDir, "--port", otherPort);
    other.close();
    expect({ code, stderr }).toEqual(refused("another program", otherPort));
    expect(existsSync(dataDir)).toBe(false);
  });

  it.each(["127.0.0.1", "0.0.0.0"])("refuses the server's own port for the metrics (%s), and creates nothing", async (host) => {
    const port = await freePort();
    const config = join(folder, "metrics.json");
    writeFileSync(config, JSON.stringify({ metrics: { port, host } }));
    const dataDir = join(folder, "other");
    const { code, stderr } = await run("--data", dataDir, "--port", String(port), "--config", config);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining(
        `metrics.port is ${port}, on which the server itself listens. Nothing was started or created.`,
      ),
    });
    expect(existsSync(dataDir)).toBe(false);
  });

  it.each([
    [{}, "in use: another program listens there. Nothing was started or created. Choose another port with metrics.port.\n"],
    [
      { host: "192.0.2.1" },
      "this machine does not have the address. Nothing was started or created. Give metrics.host an address of this machine, or leave it out.\n",
    ],
  ])("refuses a port of the metrics that cannot be used (%j), and creates nothing", async (metrics, message) => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    const config = join(folder, "metrics.json");
    writeFileSync(config, JSON.stringify({ metrics: { port, ...metrics } }));
    const dataDir = join(folder, "other");
    const { code, stderr } = await run("--data", dataDir, "--port", "0", "--config", config);
    other.close();
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(message) });
    expect(existsSync(dataDir)).toBe(false);
  });

  it("refuses a port of the metrics that is its own", async () => {
    const port = await freePort();
    const config = join(folder, "metrics.json");
    writeFileSync(config, JSON.stringify({ metrics: { port } }));
    const dataDir = join(folder, "other");
    const { code, stderr } = await run("--data", dataDir, "--port", `${port}`, "--config", config);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("on which the server itself listens") });
    expect(existsSync(dataDir)).toBe(false);
  });

  it("lets new accounts of a sandbox verify themselves with --no-auto-verify", async () => {
    const { ready } = await serving("--sandbox", "--no-auto-verify");
    const body = JSON.stringify({ email: "a@example.com", password: "correct horse", role: "game_owner" });
    const headers = { "content-type": "application/json" };
    const reply = await fetch(`${ready.baseUrl}/api/v1/auth/register/api-key`, { method: "POST", headers, body });
    expect(await reply.json()).toMatchObject({ data: { user: { emailVerified: false } } });
  });
});

describe("serve run says in its log", () => {
  /** Stops a server as Ctrl-C does, without a grace period. */
  const last = ({ child, ended }: ReturnType<typeof serve>) => {
    child.kill("SIGINT");
    return ended;
  };

  it("that it lost PostgreSQL for a moment", async () => {
    const database = await freshDatabase();
    const { server } = await serving("--database-url", database.url);
    const lost = "A PostgreSQL connection was lost. The next query opens another.";
    let said = "";
    for (const stream of [server.child.stdout!, server.child.stderr!]) stream.on("data", (chunk) => (said += chunk));
    const others =
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()";
    await sql(database.url, others);
    await vi.waitUntil(() => said.includes(lost), { timeout: 60_000 });
    expect((await last(server)).code).toBe(0);
    await database.drop();
  });

  it("that all clients of an https address count as one, unless a proxy is said to be in front or named", async () => {
    const said = async (env: Record<string, string>, ...flags: string[]) => {
      const file = join(folder, `ready-${++servers}.json`);
      const options = ["--port", "0", "--data", folder, "--ready-file", file, "--public-url", "https://p.example", ...flags];
      const server = spawnPlaytest(folder, ["serve", "run", ...options], env);
      await readyFile(file);
      const { stdout, stderr } = await last(server);
      return stdout + stderr;
    };
    const warning = "all clients share one rate limit";
    expect(await said({})).toContain(warning);
    expect(await said({}, "--behind-proxy")).not.toContain(warning);
    expect(await said({ PLAYTEST_TRUSTED_PROXIES: "127.0.0.1" })).not.toContain(warning);
  });
});

it("serve starts with the command of the Dockerfile", async () => {
  const text = readFileSync(new URL("../../Dockerfile", import.meta.url), "utf8");
  const words = JSON.parse(/^CMD (.+)$/m.exec(text)![1]!) as string[];
  const data = freshFolder();
  // A container has private addresses only, which is more than a test may expect of its machine.
  const here = words.map((word) => ({ "0.0.0.0": "127.0.0.1", "/data": data })[word] ?? word);
  const { code, stderr } = await spawnPlaytest(data, [...here, "--port", "0", "--exec", "true"]).ended;
  expect([words[0], code, stderr]).toEqual(["serve", 0, expect.not.stringContaining("error")]);
});

it("the health check of the Dockerfile succeeds while a server answers, and fails without one", async () => {
  const text = readFileSync(new URL("../../Dockerfile", import.meta.url), "utf8");
  const [command, ...args] = JSON.parse(/^HEALTHCHECK .* CMD (.+)$/m.exec(text)![1]!) as string[];
  const port = await freePort();
  const check = () => {
    const child = spawn(
      command!,
      args.map((word) => word.replace("4747", `${port}`)),
    );
    return once(child, "exit").then(([code]) => code);
  };
  expect(await check()).toBe(1);
  const server = createServer((_, response) => response.end("ok")).listen(port, "127.0.0.1");
  await once(server, "listening");
  expect(await check()).toBe(0);
  server.close();
});

describe("serve with a configuration that is not valid", () => {
  it("does not start, and lists every error", async () => {
    writeFileSync(join(folder, "config.json"), '{"jobs":{"leaseMs":-5},"pricing":{"baseCents":{"60":-100}},"uplods":{}}');
    const { code, stderr } = await playtest(["serve", "run", "--port", "0", "--data", folder]);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `error: The server cannot start: its configuration has 3 errors.
  pricing.baseCents.60 is -100. It must be a whole number from 0 to 1000000 (US cents).
  jobs.leaseMs is -5. It must be a whole number from 2000 to 3600000 (milliseconds).
  Unknown setting uplods. Did you mean uploads?
Correct ${folder}/config.json. \`playtest serve config\` describes every setting.
`,
    });
    expect(readdirSync(folder)).toEqual(["config.json"]);
  });

  it("is reported by serve doctor", async () => {
    await playtest(["serve", "migrate", "--data", folder]);
    writeFileSync(join(folder, "config.json"), '{"jobs":{"leaseMs":-5}}', { mode: 0o600 });
    const { code, stdout, stderr } = await playtest(["serve", "doctor", "--data", folder]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringContaining("configuration\tfailed\tnot valid\n") });
    expect(stderr).toContain("jobs.leaseMs is -5.");
  });
});

describe("serve config", () => {
  const config = (...argv: string[]) => playtest(["serve", "config", ...argv]);

  it("describes every setting, a line each", async () => {
    const { code, stdout } = await config();
    expect({ code, lines: stdout.split("\n").filter((line) => line.startsWith("mail.")) }).toEqual({
      code: 0,
      lines: [
        'mail.from\t"playtest <no-reply@localhost>"\tan email address, alone or as Name <address>\t\tPLAYTEST_MAIL_FROM\tSender of every email.',
        "mail.smtpUrl\tnull\tan smtp:// or smtps:// URL, or null\t\tPLAYTEST_SMTP_URL\tSMTP server that sends the email, with its user and password. Null: emails are written to the directory outbox.",
        "mail.digestHour\t8\t0 to 23\thours\t\tHour of the day, UTC, at which the daily emails are sent.",
        "mail.perPersonPerHour\t20\t1 to 10000\temails\t\tEmails about events that a person gets in an hour. Further ones are collected into one email. Emails about the security of an account are not counted.",
        "mail.unreadAfterMs\t600000 (10 min)\t0 to 604800000 (7 d)\tmilliseconds\t\tHow long a message is unread before an email mentions it. Until it is read, no other does.",
      ],
    });
  });

  it("describes them on a terminal by section", async () => {
    const { stdout } = await playtest(["serve", "config"], { tty: true, columns: 80 });
    expect(stdout).toContain(`
BACKGROUND JOBS

  jobs.leaseMs
      How long after a server process died another process on the same
      PostgreSQL database takes over its background jobs.
      Default: 45000 (45 s)
      Allowed: 2000 (2 s) to 3600000 (1 h) milliseconds
`);
    expect(stdout.split("\n").filter((line) => line.length > 80)).toEqual([]);
  });

  it("prints an example that the server accepts, and a JSON Schema", async () => {
    writeFileSync(join(folder, "config.json"), (await config("--example")).stdout);
    expect((await config("--data", folder)).code).toBe(0);
    const { properties } = JSON.parse((await config("--schema")).stdout);
    expect(Object.keys(properties)).toEqual(expect.arrayContaining(["$schema", "jobs", "strict"]));
    expect((await config("--example", "--schema")).stderr).toContain("--schema and --example cannot be used together.");
  });

  it("prints the values in effect with where they come from, and no secret", async () => {
    const file = join(folder, "own.json");
    writeFileSync(file, '{"jobs":{"leaseMs":5000},"crypto":{"base":{"rpcUrl":"https://node.example/hidden"}}}');
    const env = { PLAYTEST_SMTP_URL: "smtp://user:hidden@mail.example.com", PLAYTEST_SECRET_KEY: "hidden" };
    const { stdout } = await playtest(["serve", "config", "--config", file, "--data", folder, "--json"], { env });
    const rows: { setting: string; value: unknown; source: string }[] = JSON.parse(stdout).result;
    const found = rows.filter(({ source }) => source !== "default").map(({ setting, value, source }) => [setting, value, source]);
    expect(found).toEqual([
      ["--data", folder, "--data"],
      ["PLAYTEST_SECRET_KEY", "set (not shown)", "PLAYTEST_SECRET_KEY"],
      ["crypto.base.rpcUrl", "set (not shown)", file],
      ["mail.smtpUrl", "set (not shown)", "PLAYTEST_SMTP_URL"],
      ["jobs.leaseMs", 5000, file],
    ]);
    expect(stdout).not.toContain("hidden");
    const { stdout: text } = await playtest(["serve", "config", "--config", file], { tty: true });
    expect(text).toContain(`      Value: 5000 (5 s) (${file})\n      Default: 45000 (45 s)\n`);
  });

  it("lists the errors of a file that is not valid", async () => {
    writeFileSync(join(folder, "config.json"), '{"jobs":{"leasMs":5000}}');
    const { code, stderr } = await config("--data", folder);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("Did you mean jobs.leaseMs?") });
  });
});

describe("serve with both --data and DATABASE_URL", () => {
  let database: FreshDatabase;
  let shown: string;
  beforeEach(async () => {
    database = await freshDatabase({ empty: true });
    shown = database.url.replace(/:[^:@/]+@/, ":***@");
  });
  afterEach(() => database.drop());
  const withDatabase = (...argv: string[]) =>
    playtest(["serve", ...argv], { env: { DATABASE_URL: database.url, PLAYTEST_SECRET_KEY: "5".repeat(64) } });
  const lines = (dataDir: string) => `Database: PostgreSQL ${shown} (DATABASE_URL)\nData directory: ${dataDir} (--data)\n`;

  it("run, migrate, doctor, backup, export, restore, import and config use that PostgreSQL database and that directory", async () => {
    expect((await withDatabase("migrate", "--data", folder)).stdout).toBe(`${lines(folder)}${allApplied}\n`);
    const served = await withDatabase("run", "--port", "0", "--data", folder, "--exec", "true");
    expect(served.stderr).toContain(`  database  PostgreSQL ${shown} (DATABASE_URL)\n  data      ${folder} (--data)\n`);
    const doctor = await withDatabase("doctor", "--data", folder);
    expect(doctor.stdout).toContain(`database\tok\tPostgreSQL ${shown} (DATABASE_URL)\ndata_directory\tok\t${folder} (--data)\n`);
    const [first, second] = JSON.parse((await withDatabase("config", "--data", folder, "--json")).stdout).result;
    expect([first.value, second.value, second.source]).toEqual([folder, `PostgreSQL ${shown}`, "DATABASE_URL"]);

    const backups: string[] = [];
    for (const verb of ["backup", "export"]) {
      const file = join(freshFolder(), `${verb}.tar`);
      const { code, stdout } = await withDatabase(verb, file, "--data", folder);
      expect({ verb, code, stdout }).toEqual({ verb, code: 0, stdout: expect.stringContaining(lines(folder)) });
      backups.push(file);
    }
    for (const [verb, ...flags] of [["restore", "--yes"], ["import"]] as const) {
      await database.drop();
      database = await freshDatabase({ empty: true });
      shown = database.url.replace(/:[^:@/]+@/, ":***@");
      const target = freshFolder();
      const { code, stdout } = await withDatabase(verb, backups[0]!, "--data", target, ...flags);
      expect({ verb, code, stdout }).toEqual({ verb, code: 0, stdout: expect.stringContaining(lines(target)) });
      expect(existsSync(join(target, "playtest.db"))).toBe(false);
    }
    expect(existsSync(join(folder, "playtest.db"))).toBe(false);
  });

  it("uses SQLite with an empty --database-url", async () => {
    const { stdout } = await withDatabase("migrate", "--data", folder, "--database-url", "");
    expect(stdout).toContain(`Database: SQLite ${folder}/playtest.db (--database-url)\n`);
    expect((await withDatabase("doctor", "--data", folder, "--database-url", "")).code).toBe(0);
  });

  it("names the variable whose URL is of another kind of database", async () => {
    const { code, stderr } = await playtest(["serve", "doctor", "--data", folder], {
      env: { DATABASE_URL: "mysql://root:hidden@db" },
    });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        'error: The database URL from DATABASE_URL does not start with postgres://. Nothing was opened. To use SQLite in the data directory, pass --database-url "".\n',
    });
  });
});

describe("serve doctor and migrate", () => {
  it("examines the database of a running server without disturbing it", async () => {
    const { server } = await serving();
    const { code, stdout } = await run("doctor", "--ledger", "--data", folder);
    const lines = stdout.trimEnd().split("\n");
    expect({ code, failed: lines.filter((line) => !line.includes("\tok\t")) }).toEqual({ code: 0, failed: [] });
    expect(lines.filter((line) => line.startsWith("ledger_"))).toHaveLength(14);
    expect(server.child.exitCode).toBe(null);
  });

  it("finds files that others can read, and closes them with --fix", async () => {
    expect((await run("migrate", "--data", folder)).stdout).toBe(
      `Database: SQLite ${folder}/playtest.db (default)\nData directory: ${folder} (--data)\n${allApplied}\n`,
    );
    const again = await run("migrate", "--data", folder, "--json");
    expect(JSON.parse(again.stdout).result).toEqual({
      applied: [],
      copy: null,
      location: { database: `SQLite ${folder}/playtest.db`, databaseFrom: "default", dataDir: folder, dataDirFrom: "--data" },
    });
    chmodSync(join(folder, "playtest.db"), 0o644);
    const found = await run("doctor", "--data", folder);
    expect(found.code).toBe(1);
    expect(found.stdout).toContain(`file_modes\tfailed\tother users can access ${join(folder, "playtest.db")}`);
    expect(found.stderr).toBe("error: 1 check failed: file_modes.\n");
    expect((await run("doctor", "--data", folder, "--fix")).code).toBe(0);
    expect((await run("doctor", "--data", folder)).code).toBe(0);
  });

  it("finds background jobs that failed for good, and requeues them with --fix", async () => {
    await run("migrate", "--data", folder);
    const store = await openStore({ dataDir: folder });
    await store.write((tx) => insertDeadJob(tx, "send-mail", "Error: no route"));
    await store.close();
    const found = await run("doctor", "--data", folder);
    expect(found).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("jobs\tfailed\t1 × send-mail failed (Error: no route)"),
    });
    expect((await run("doctor", "--data", folder, "--fix")).stdout).toContain("fixed\tok\trequeued 1 failed job\n");
    expect(await run("doctor", "--data", folder)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("jobs\tok\tno failed jobs"),
    });
  });

  it("does not make a database where there is none", async () => {
    const { code, stderr } = await run("doctor", "--data", folder);
    expect({ code, stderr, files: readdirSync(folder) }).toEqual({
      code: 2,
      stderr: `error: No playtest database found in ${folder}. Nothing was changed. Pass the data directory with --data.\n`,
      files: [],
    });
  });
});
