import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { stringify } from "yaml";
import { alertRules } from "../../server/operations/dashboards/alerts.ts";
import { dashboardExpressions, grafanaDashboard } from "../../server/operations/dashboards/grafana.ts";
import { commandCalled, named } from "../../src/cli/find.ts";
import { tree } from "../../src/cli/tree.ts";
import { isInstalled } from "../helpers/builds.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { createGame, giveCredit, order, registerOwner, registerPlaytester } from "../helpers/factories.ts";
import { freePort } from "../helpers/free-port.ts";
import { insertRow } from "../helpers/raw-rows.ts";
import { freshFolder } from "../helpers/store.ts";

/** The program where this machine has it: without it, its tests are left out. */
const installed = (program: string) => (isInstalled(program) ? [program] : []);

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** Prometheus with our rules, of which those do not wait that would for minutes, and what it says of them. A second server is down. */
async function startPrometheus(target: number) {
  const folder = freshFolder();
  mkdirSync(folder, { recursive: true });
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const rules = file("rules.yml", alertRules().replace(/for: \d+m/g, "for: 0s"));
  const often = { scrape_interval: "500ms", scrape_timeout: "500ms", evaluation_interval: "500ms" };
  const missing = `127.0.0.1:${await freePort()}`;
  const scraped = { job_name: "playtest", static_configs: [{ targets: [`127.0.0.1:${target}`, missing] }] };
  const config = file("prometheus.yml", stringify({ global: often, rule_files: [rules], scrape_configs: [scraped] }));
  const port = await freePort();
  const where = [`--web.listen-address=127.0.0.1:${port}`, `--storage.tsdb.path=${join(folder, "data")}`];
  const child = spawn("prometheus", [`--config.file=${config}`, ...where, "--log.level=error"], { stdio: "ignore" });
  stops.push(async () => {
    child.kill("SIGKILL");
    await once(child, "exit");
  });
  const ask = async (path: string) => (await (await fetch(`http://127.0.0.1:${port}/api/v1/${path}`)).json()) as Answer;
  return {
    query: (expression: string) => ask(`query?query=${encodeURIComponent(expression)}`),
    // A pending one may be true and of no concern: another test may fill the disk at this moment.
    firing: async () =>
      (await ask("alerts")).data.alerts!.filter(({ state }) => state === "firing").map(({ labels }) => labels.alertname),
  };
}

interface Answer {
  status: string;
  error?: string;
  data: { alerts?: { labels: { alertname: string }; state: string }[]; result: unknown[] };
}

/** As Grafana asks: with a time and the name that its variables have. */
const filledIn = (expression: string) => expression.replaceAll("$__rate_interval", "1m").replaceAll("$job", "playtest");

const patience = { timeout: 30_000, interval: 200 };

onBothDatabases("alert rules and the dashboard", (serve) => {
  async function watched() {
    const port = await freePort();
    const server = await serve({
      config: (config) => {
        config.metrics.port = port;
        Object.assign(config.backup, { to: freshFolder(), everyMs: 86_400_000, keep: "7d" });
      },
      backUp: async () => ({ file: "/backups/one", bytes: 10, newBytes: 10, removed: [], missing: [] }),
    });
    return { server, port };
  }

  it("use metrics that the server has", async () => {
    const { server, port } = await watched();
    await registerPlaytester(server);
    await server.advance(0);
    const known = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    const text = `${alertRules()}${dashboardExpressions.join("\n")}`;
    const used = [...new Set(text.match(/\b(playtest|process|nodejs)_\w+/g))].map((name) => name.replace(/_(bucket|count)$/, ""));
    expect(used.filter((name) => !known.includes(`\n# TYPE ${name} `))).toEqual([]);
    expect(used.length).toBeGreaterThan(12);
  });

  it.each(installed("prometheus"))("%s tells what is wrong, and nothing before", async () => {
    const { server, port } = await watched();
    const owner = await registerOwner(server);
    await giveCredit(server, owner, 100_00);
    await order(owner, await createGame(owner));
    for (let count = 0; count < 2; count++) await registerPlaytester(server);
    const prometheus = await startPrometheus(port);
    await vi.waitFor(async () => {
      const { data } = await prometheus.query('rate(playtest_requests_total{operation="createGame"}[1m])');
      expect(data.result).toHaveLength(1);
    }, patience);
    const down = "PlaytestDown";
    await vi.waitFor(async () => expect(await prometheus.firing()).toEqual([down]), patience);
    for (const expression of dashboardExpressions) {
      const { status, error } = await prometheus.query(filledIn(expression));
      expect({ expression, status, error }).toEqual({ expression, status: "success", error: undefined });
    }

    await server.advance(0);
    for (const email of ["game_owner1@example.com", "playtester2@example.com", "playtester3@example.com"]) {
      server.refusals.set(email, new Error("451 try later"));
      await server.request("POST", "/auth/password-reset", { body: { email } });
    }
    await server.advance(0);
    const now = server.clock.now();
    const job = {
      id: "dead",
      unique_key: "dead",
      kind: "send-mail",
      payload: "{}",
      run_at: now,
      created_at: now,
      attempts: 25,
      lease_until: 0,
    };
    await server.deps.store.write((tx) => insertRow(tx, "jobs", { ...job, state: "dead", last_error: "Error: gone" }));
    const expected = [down, "PlaytestJobsFailed", "PlaytestMailWaits"];
    await vi.waitFor(async () => expect((await prometheus.firing()).sort()).toEqual(expected), patience);
  });
});

describe("an alert", () => {
  it("names commands that there are", () => {
    const names = named(tree.commands);
    const commands = [...alertRules().matchAll(/`playtest ([^`]+)`/g)].map(([, words]) => words!.replace(/ --.*/, ""));
    expect(commands.length).toBeGreaterThan(8);
    expect(commands.filter((words) => !words.startsWith("help ") && !commandCalled(names, words))).toEqual([]);
  });

  /** What a server looks like when something is wrong, minute by minute, and when an alert is raised. */
  const risen = [
    ["PlaytestDown", { 'up{job="playtest"}': "1 1 0x10" }, 3, 5],
    ["PlaytestDiskFull", { playtest_disk_free_bytes: "60e9 4e9x10" }, 1, 3],
    ["PlaytestDiskFills", { playtest_disk_free_bytes: "60e9-20e6x480" }, 0, 440],
    ["PlaytestJobsLate", { 'playtest_jobs_due_seconds{kind="pay"}': "0+60x40" }, 20, 22],
    [
      "PlaytestErrors",
      { 'playtest_requests_total{status="200"}': "0+100x20", 'playtest_requests_total{status="500"}': "0+2x20" },
      4,
      12,
    ],
    [
      "PlaytestSlow",
      {
        'playtest_request_seconds_bucket{operation="getGame",le="2.5"}': "0+0x60",
        'playtest_request_seconds_bucket{operation="getGame",le="10"}': "0+5x60",
        'playtest_request_seconds_bucket{operation="getGame",le="+Inf"}': "0+5x60",
      },
      10,
      30,
    ],
    ["PlaytestWebhooksWait", { 'playtest_webhook_deliveries_waiting{state="pending"}': "0 1001x30" }, 10, 20],
    ["PlaytestBackupFails", { playtest_backup_failing: "0 1x60" }, 20, 40],
    ["PlaytestMailWaits", { playtest_mails_retried_recipients: "2x60 3x60" }, 60, 95],
    ["PlaytestMailRetried", { playtest_mails_retried_recipients: "0x10 1x300" }, 240, 255],
    ["PlaytestMailFailed", { 'playtest_mails_undelivered{state="failed"}': "0 1x10" }, 3, 8],
    ["PlaytestPaymentWithoutOrder", { playtest_ledger_suspense_cents: "500x90" }, 30, 70],
    [
      "PlaytestEventLoopBlocked",
      {
        'nodejs_eventloop_lag_p99_seconds{job="playtest"}': "0x10 0.6x30",
        'nodejs_eventloop_lag_p99_seconds{job="another"}': "0.6x60",
      },
      15,
      25,
    ],
  ] as const;
  it.each(isInstalled("promtool") ? risen : [])("%s is raised when it lasts", (name, series, quiet, raised) => {
    const folder = freshFolder();
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "rules.yml"), alertRules());
    const input = Object.entries(series).map(([of, values]) => ({ series: of, values }));
    const at = (minute: number, count: number) => ({
      expr: `count(ALERTS{alertname="${name}", alertstate="firing"}) or vector(0)`,
      eval_time: `${minute}m`,
      exp_samples: [{ labels: "{}", value: count }],
    });
    const test = { interval: "1m", input_series: input, promql_expr_test: [at(quiet, 0), at(raised, 1)] };
    writeFileSync(join(folder, "test.yml"), stringify({ rule_files: ["rules.yml"], evaluation_interval: "1m", tests: [test] }));
    const { status, stdout, stderr } = spawnSync("promtool", ["test", "rules", join(folder, "test.yml")], { encoding: "utf8" });
    expect({ status, stdout, stderr }).toMatchObject({ status: 0 });
  });

  it.each(installed("promtool"))("is written as Prometheus wants it, by %s", (promtool) => {
    const file = join(freshFolder(), "rules.yml");
    writeFileSync(file, alertRules());
    const { status, stdout, stderr } = spawnSync(promtool, ["check", "rules", "--lint-fatal", file], { encoding: "utf8" });
    expect({ status, stderr, stdout }).toMatchObject({ status: 0, stdout: expect.stringContaining("14 rules found") });
  });
});

describe("the dashboard", () => {
  it("asks for metrics that other programs have too of its own job only", () => {
    const shared = dashboardExpressions.filter((expression) => /\b(up|process_|nodejs_)/.test(expression));
    expect(shared.length).toBeGreaterThan(3);
    expect(shared.filter((expression) => !expression.includes('{job="$job"}'))).toEqual([]);
  });

  it("has panels beside each other, with ids of their own", () => {
    const { panels } = JSON.parse(grafanaDashboard("playtest")) as {
      panels: { id: number; gridPos: { x: number; y: number } }[];
    };
    const places = panels.map(({ gridPos: { x, y } }) => `${x} ${y}`);
    expect([new Set(places).size, new Set(panels.map(({ id }) => id)).size]).toEqual([panels.length, panels.length]);
  });
});
