import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { playtest, testFolder } from "../helpers/cli.ts";
import { registerOwner } from "../helpers/factories.ts";
import { freePort } from "../helpers/free-port.ts";
import { startTestServer, type TestServer } from "../helpers/server.ts";
import { drivers, type TestStore } from "../helpers/store.ts";

const token = "a-token-for-the-metrics";
let store: TestStore;
let server: TestServer;
let port: number;

beforeAll(async () => {
  port = await freePort();
  store = await drivers[0]!.open();
  server = await startTestServer({ store, config: ({ metrics }) => Object.assign(metrics, { token, port }) });
  await registerOwner(server);
});
afterAll(async () => {
  await server.close();
  await store.remove();
});

const now = Date.now();
const enter = "\u001b[?1049h\u001b[?25l";
const leave = "\u001b[?25h\u001b[?1049l";

it.each([["--once"], []])("prints one frame without a terminal (%s)", async (...argv) => {
  const { code, stdout } = await playtest(["serve", "top", "--base-url", server.baseUrl, "--token", token, ...argv], { now });
  expect(code).toBe(0);
  expect(stdout).toContain(`${server.baseUrl}/metrics  `);
  expect(stdout).toMatch(/SLOWEST OPERATIONS +PER SECOND +MEAN MS +P95 MS\n(.*\n)*registerApiKey /);
  expect(stdout).not.toContain("\u001b");
});

it("takes an address without a scheme, as every command does", async () => {
  const address = server.baseUrl.replace("http://", "");
  const { code, stdout } = await playtest(["serve", "top", "--base-url", address, "--token", token], { now });
  expect([code, stdout]).toEqual([0, expect.stringContaining(`${server.baseUrl}/metrics  `)]);
});

it("prints a frame as JSON", async () => {
  const { code, stdout } = await playtest(["serve", "top", "--base-url", server.baseUrl, "--token", token, "--json"], {
    now,
    tty: true,
  });
  expect(code).toBe(0);
  const frame = JSON.parse(stdout);
  expect(frame.diskFreeBytes).toBeGreaterThan(0);
  expect(frame.operations.map(({ operation }: { operation: string }) => operation)).toContain("registerApiKey");
});

it("finds the port and the token in the configuration of a server on this machine, whatever server other commands use", async () => {
  const data = testFolder();
  writeFileSync(join(data, "config.json"), JSON.stringify({ metrics: { port, token } }), { mode: 0o600 });
  const { code, stdout } = await playtest(["serve", "top", "--data", data], { baseUrl: "http://other.invalid", now });
  expect([code, stdout]).toEqual([0, expect.stringContaining(`http://127.0.0.1:${port}/metrics  `)]);
});

it("on a terminal draws a frame every two seconds, and leaves the terminal as it was after Ctrl-C", async () => {
  const waits: number[] = [];
  const sleep = async (ms: number, signal?: AbortSignal) => {
    signal?.throwIfAborted();
    waits.push(ms);
  };
  const { code, stdout } = await playtest(["serve", "top", "--base-url", server.baseUrl, "--token", token], {
    ...{ now, tty: true, outside: { sleep } },
    onOutput(text, process) {
      if (text.split("\u001b[H").length === 4) process.signal("SIGINT");
    },
  });
  expect(code).toBe(130);
  expect(stdout.startsWith(enter)).toBe(true);
  expect(stdout.endsWith(leave)).toBe(true);
  expect([stdout.split("\u001b[H").length - 1, waits]).toEqual([3, [2000, 2000]]);
});

it.each([
  ["a wrong token", ["--token", "not-the-token"], /answered with status 401.* Pass the token of the setting metrics\.token/],
  ["no metrics", [], /answered with status 404.* Set metrics\.token or metrics\.port in the configuration/],
])("says what to do about %s", async (name, argv, text) => {
  const other = name === "no metrics" ? await startOther() : undefined;
  const { baseUrl } = other?.server ?? server;
  const { code, stderr } = await playtest(["serve", "top", "--base-url", baseUrl, ...argv], { now });
  expect([code, stderr.replace(/\s+/g, " ")]).toEqual([1, expect.stringMatching(text)]);
  await other?.close();
});

async function startOther() {
  const without = await drivers[0]!.open();
  const plain = await startTestServer({ store: without });
  return { server: plain, close: () => plain.close().then(() => without.remove()) };
}
