import { execFile } from "node:child_process";
import type { Server } from "node:http";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { registerOwner } from "../helpers/factories.ts";
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

it("what does not apply is still in the suite, so that no reason goes stale", async () => {
  const names = new Set<string>();
  for (const revision of revisions) for (const name of (await outcomes("fixtures", revision)).keys()) names.add(name);
  expect(Object.keys(notApplicable).filter((start) => ![...names].some((name) => name.startsWith(start)))).toEqual([]);
});
