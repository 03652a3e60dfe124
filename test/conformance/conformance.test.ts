import { execFile, spawn } from "node:child_process";
import type { Server } from "node:http";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { registerOwner } from "../helpers/factories.ts";
import { freePort } from "../helpers/free-port.ts";
import { decide, leadsTo, oauthOf } from "../helpers/oauth.ts";
import { signedIn } from "../helpers/portal.ts";
import { startTestServer, type TestServer } from "../helpers/server.ts";
import { freshFolder, sqlite } from "../helpers/store.ts";
import { installNode, npm } from "../node-version.mjs";
import { notApplicable, reasonFor } from "./not-applicable.ts";
import { type Served, serveMcp } from "./server.ts";

/** The suite needs a newer Node.js than the product. */
const nodeMajor = 22;
const suite = "@modelcontextprotocol/conformance@0.2.0-alpha.12";
const revisions = ["2025-11-25", "2026-07-28"] as const;

let node: string;
let program: string;
beforeAll(() => {
  const folder = freshFolder();
  node = join(installNode(nodeMajor, join(folder, "node")), "node");
  npm(["install", "--no-save", "--prefix", folder, suite], { cwd: folder });
  program = join(folder, "node_modules/@modelcontextprotocol/conformance/dist/index.js");
});

const running: { server: TestServer; mcp: Server }[] = [];
afterEach(async () => {
  for (const { server, mcp } of running.splice(0)) {
    mcp.closeAllConnections();
    await new Promise((resolve) => mcp.close(resolve));
    await server.close();
  }
});

/** What came of each scenario that a revision requires. */
async function outcomes(served: Served, revision: string): Promise<Map<string, { passed: number; failed: number }>> {
  const server = await startTestServer({ store: await sqlite.open() });
  const owner = await registerOwner(server);
  const { url, server: mcp } = await serveMcp(server, owner.key, served);
  running.push({ server, mcp });
  const args = [program, "server", "--url", url, "--requirements", revision, "--timeout", "20000"];
  // It ends with 1 when a scenario failed: what failed is for the test to judge.
  const { stdout } = await promisify(execFile)(node, args, { cwd: freshFolder() }).catch((error: { stdout: string }) => error);
  const rows = [...stdout.matchAll(/^[✓✗] ([\w-]+): (\d+) passed, (\d+) failed$/gm)];
  return new Map(rows.map(([, name, passed, failed]) => [name!, { passed: Number(passed), failed: Number(failed) }]));
}

const failing = (found: Awaited<ReturnType<typeof outcomes>>) =>
  [...found].filter(([, { failed }]) => failed > 0).map(([name]) => name);

describe.each(revisions)("the conformance suite, %s", (revision) => {
  it("passes behind the HTTP and authentication layer, with the fixtures that it calls by name", async () => {
    const found = await outcomes("fixtures", revision);
    expect(found.size).toBeGreaterThan(25);
    expect(failing(found).filter((name) => reasonFor(name) === undefined)).toEqual([]);
  });

  it("passes with the tools of the product, where it asks for no fixture", async () => {
    const found = await outcomes("product", revision);
    const general = [
      "server-initialize",
      "ping",
      "tools-list",
      "resources-list",
      "prompts-list",
      "dns-rebinding-protection",
      "server-sse-multiple-streams",
      "sep-2164-resource-not-found",
      "caching",
      "http-header-validation",
      "input-required-result-unsupported-methods",
    ].filter((name) => found.has(name));
    expect(general.length).toBeGreaterThan(6);
    expect(failing(found).filter((name) => general.includes(name))).toEqual([]);
  });
});

/** The scenarios for authorization servers need somebody who decides in a browser. The others about authorization are for clients. */
it("the conformance suite passes for the authorization server", async () => {
  const server = await startTestServer({ store: await sqlite.open() });
  const owner = await registerOwner(server);
  const port = await freePort();
  const clientId = await oauthOf(server).clientId({ redirect_uris: [`http://127.0.0.1:${port}/callback`] });
  const given = { url: server.baseUrl, "client-id": clientId, resource: `${server.baseUrl}/mcp`, port: String(port) };
  const flags = Object.entries(given).flatMap(([name, value]) => [`--${name}`, value]);
  const suiteRun = spawn(node, [program, "authorization", ...flags], { cwd: freshFolder() });
  const ended = new Promise((resolve) => suiteRun.once("close", resolve));
  let output = "";
  for await (const chunk of suiteRun.stdout) {
    output += chunk;
    const [, path] = /^http\S+(\/oauth\/authorize\S+)$/m.exec(output) ?? [];
    if (path === undefined || output.includes("decided")) continue;
    output += "decided\n";
    const done = await decide(await signedIn(server, owner, "/studio"), path);
    expect((await fetch(leadsTo(done)!)).status).toBe(200);
  }
  await ended;
  await server.close();
  const rows = [...output.matchAll(/^([✓✗]) ([\w-]+): (\d+) passed, (\d+) failed/gm)].map(([, , name, , failed]) => [
    name,
    failed,
  ]);
  expect([rows, output]).toEqual([
    [
      ["authorization-server-metadata-endpoint", "0"],
      ["authorization-code-grant", "0"],
    ],
    expect.stringContaining("decided"),
  ]);
});

it("what does not apply is in the suite and does not pass, so that no reason goes stale", async () => {
  const notPassing = new Set<string>();
  for (const revision of revisions)
    for (const [name, { passed, failed }] of await outcomes("fixtures", revision))
      if (failed > 0 || passed === 0) notPassing.add(name);
  expect(Object.keys(notApplicable).filter((start) => ![...notPassing].some((name) => name.startsWith(start)))).toEqual([]);
});
