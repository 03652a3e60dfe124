import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { playtest } from "../helpers/cli.ts";
import { everyCommand } from "../helpers/every-command.ts";
import { type Hosted, type Miss, startHosted } from "../helpers/hosted.ts";
import { newId, oneWorld, runRow } from "../helpers/walk.ts";

/** Every command against a server without any extension. */
const world = oneWorld();
const gates = {} as Record<Miss, Hosted>;
beforeAll(async () => {
  for (const how of ["json", "html"] as const) gates[how] = await startHosted(world.server.baseUrl, how);
});
afterAll(async () => {
  for (const gate of Object.values(gates)) await gate.close();
});

const ran = (path: string, how: Miss, flags: readonly string[] = []) =>
  runRow(world, path, flags, { baseUrl: gates[how].baseUrl });

/** What only this project's server has; everything else works without. */
const beyond =
  /^(?!admin categories list$)((admin|approvals|tester|sandbox|billing budgets|auth keys|auth factor|auth passkeys|auth profile|auth password|auth sessions) |(auth password|auth email|auth sign-out-everywhere|auth confirm|auth export|auth delete|billing credit x402 prove|billing spend|billing invoices list|billing details show|billing details set|auth resend-verification|games builds url|review unblock|review cancel|games push|notifications settings|playtests pay|playtests cancel|playtests cancel-slot|playtests keys list|playtests keys add|chat block|chat unblock|games agreement|games consents|review publication|review unpublish|review notes edit|review notes delete|review share|review shares|review unshare|review clip|review clips list|review clips delete|review reel|review still|review still delete|review search|review highlights|findings (show|add|drop|merge|split|undo|update|close|delete|file|sync|trackers|connect|disconnect))$|webhooks (redeliver|trigger)$)/;

describe.each(["json", "html"] as const)("on a server without extensions that answers unknown routes with %s:", (how) => {
  it.each(Object.keys(everyCommand))("%s", async (path) => {
    const { code, stdout, stderr, expected } = await ran(path, how);
    expect(stdout).not.toMatch(/undefined|NaN|\[object Object\]/);
    // Nothing that is not specified was sent, and no key to the host that keeps the files.
    expect([gates[how].beyond.splice(0), gates[how].files.keysSeen]).toEqual([[], []]);
    // Its row asks for the past of the event stream.
    if (path === "webhooks listen")
      return expect([code, stderr]).toEqual([3, expect.stringContaining("requires an event stream")]);
    if (!beyond.test(path)) return expect([code, stderr]).toEqual([expected, expect.not.stringMatching(/does not support|bug/)]);
    expect([code, stdout]).toEqual([3, ""]);
    const [message, hint] = stderr.split("\n");
    expect(message).toMatch(
      /^error: (This server does not (support [A-Z]|host builds)|http:\S+ is not a sandbox\. Nothing was done\.$)/,
    );
    expect(hint).toMatch(/^[A-Z].*\.$/);
  });

  it("--json prints a code, a status and a hint", async () => {
    const { code, stdout, stderr } = await ran("auth keys list", how, ["--json"]);
    expect([code, stdout, JSON.parse(stderr)]).toEqual([
      3,
      "",
      expect.objectContaining({ code: "NOT_OFFERED", httpStatus: 404, exitCode: 3, retryable: false, hint: expect.any(String) }),
    ]);
  });

  it("a missing resource of a core route is not found, not unsupported", async () => {
    const gone = ["games", "show", "019ca945-0a00-7706-9c06-a611624d0000"];
    const { code, stderr } = await playtest(gone, { baseUrl: gates[how].baseUrl, key: world.owner.key });
    expect([code, stderr]).toEqual([3, expect.stringMatching(/^error: (?!This server)/)]);
  });
});

describe("on a server without quotes, orders use the price of an earlier one:", () => {
  it.each([
    ["5 slots", ["--quantity", "5"], { totalCents: 10_000, playtestMinutesNeeded: 300, wouldPayWith: "credit", missingCents: 0 }],
    ["public", ["--visibility", "public"], { totalCents: 0, wouldPayWith: "free" }],
  ])("%s", async (_, flags, expected) => {
    const words = ["playtests", "quote", world.gameId, ...flags];
    const { stdout, stderr } = await playtest([...words, "--json"], { baseUrl: gates.json.baseUrl, key: world.owner.key });
    expect(JSON.parse(stdout)).toMatchObject(expected);
    expect(stderr.includes("The price is that of an earlier order of the same length")).toBe(expected.totalCents > 0);
    const quoted = await playtest([...words, "--json"], { baseUrl: world.server.baseUrl, key: world.owner.key });
    expect(JSON.parse(quoted.stdout)).toMatchObject(expected);
  });

  it("say that it is unknown where there is no earlier one", async () => {
    const words = ["playtests", "quote", world.gameId, "--player-count", "3", "--duration-minutes", "30", "--json"];
    const { stdout, stderr } = await playtest(words, { baseUrl: gates.json.baseUrl, key: world.owner.key });
    expect(JSON.parse(stdout)).toMatchObject({
      totalCents: null,
      costPerSlotCents: null,
      missingCents: null,
      wouldPayWith: null,
    });
    expect(stderr).toContain("no earlier order of the same length and number of players was found to go by");
  });

  it.each([
    ["39", 7, "cost of $40.00 exceeds --max-cost $39.00"],
    ["40", 0, "The price is that of an earlier order"],
  ])("games push --order --max-cost %s", async (most, code, said) => {
    const words = ["games", "push", "https://example.com/new.zip", world.gameId, "--order", "-", "--max-cost", most];
    const { baseUrl } = gates.json;
    const ended = await playtest(words, { baseUrl, key: world.owner.key, stdin: "quantity: 2\n", outside: { newId } });
    expect([ended.code, ended.stderr]).toEqual([code, expect.stringContaining(said)]);
    expect(ended.stdout.includes("for $40.00: active")).toBe(code === 0);
  });
});

describe("a missing resource on a server with extensions", () => {
  it("is reported as not found, not as an unsupported route", async () => {
    const words = ["playtests", "cancel", "019ca945-0a00-7706-9c06-a611624d0000", "--yes"];
    const { code, stderr } = await playtest(words, { baseUrl: world.server.baseUrl, key: world.owner.key });
    expect([code, stderr]).toEqual([3, expect.not.stringContaining("offer")]);
  });
});

it("webhooks listen: polls for events if the server has no event stream", async () => {
  const key = world.owner.key;
  const { code, stdout, stderr } = await playtest(["webhooks", "listen", "--count", "1"], {
    key,
    baseUrl: gates.json.baseUrl,
    outside: { newId, sleep: async () => void (await world.submitted()) },
  });
  expect([code, stderr, stdout.trim().split("\n").length]).toEqual([0, expect.stringContaining("polling"), 1]);
  expect(stdout).toContain("slot.submitted");
});
