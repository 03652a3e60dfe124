import { describe, expect, it } from "vitest";
import { playtest } from "../helpers/cli.ts";
import { everyCommand } from "../helpers/every-command.ts";
import { newId, oneWorld, runRow } from "../helpers/walk.ts";

/** No command lets a secret out, but those made to show one, and they on standard output only. */
const world = oneWorld();

/** Keys, webhook secrets, what signs a link, a password and a game key. */
const secrets = /pt_sk_[0-9a-f]{6}|whsec_[\w+/]{6}|token=[\w.%-]{6}|correct horse|Bearer (?!token\b)\w|PLANTED/;
const keyed = [
  ...["auth token", "auth keys create", "auth keys rotate", "admin admins create"],
  ...["webhooks create", "webhooks rotate-secret", "sandbox testers create"],
];
/** What holds a slot gets its signed links; who asks for a video, its own. */
const linked = [
  ...["review url", "games builds url", "open"],
  ...["tester show", "tester claim", "tester submit", "tester report", "tester reschedule"],
];
const shows = new Set([...keyed, ...linked]);
/** With --json the server's data stays unchanged, signed links included. */
const showsAsJson = new Set([
  ...shows,
  "review transcript",
  "tester slots",
  "tester release",
  "tester unpublish",
  "sandbox mail",
]);

const ran = (path: string, flags: readonly string[]) => runRow(world, path, flags);

describe("secrets stay out of", () => {
  it.each(Object.keys(everyCommand))("%s", async (path) => {
    const debug = await ran(path, ["--debug"]);
    expect(debug.stderr).not.toMatch(secrets);
    if (!shows.has(path)) expect(debug.stdout).not.toMatch(secrets);
    if (!showsAsJson.has(path)) expect((await ran(path, ["--json"])).stdout).not.toMatch(secrets);
  });

  it.each([
    ["an order with keys", () => ["playtests", "order", world.gameId, "--keys-for-testers", "PLANTED-1", "--yes", "--debug"]],
    ["its dry run", () => ["playtests", "order", world.gameId, "--keys-for-testers", "PLANTED-1", "--yes", "--dry-run"]],
    ["an error that repeats a link", () => ["api", `games/${"a".repeat(8)}?token=PLANTED`, "--debug"]],
  ])("%s", async (_, words) => {
    const { stdout, stderr } = await playtest(words(), {
      baseUrl: world.server.baseUrl,
      key: world.owner.key,
      outside: { newId },
    });
    expect(stdout + stderr).not.toMatch(secrets);
    expect(stdout + stderr).not.toBe("");
  });

  it("nothing else: --debug shows requests and replies with headers and bodies", async () => {
    const { stderr } = await ran("games create", ["--debug"]);
    for (const line of [
      "> POST http://",
      "> authorization: …",
      "> idempotency-key: ",
      '> {"name":"Fresh"',
      "< 201 in",
      "< x-request-id: req_",
      '< {"data":',
    ])
      expect(stderr).toContain(line);
  });
});
