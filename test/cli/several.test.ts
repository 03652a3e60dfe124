import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { main } from "../../src/main.ts";
import { FakeProcess, testFolder } from "../helpers/cli.ts";
import { play, registerPlaytester } from "../helpers/factories.ts";
import { type Hosted, startHosted } from "../helpers/hosted.ts";
import { eachOwnerFixture } from "../helpers/owner-fixture.ts";

/** Commands on several items, when the connection fails after some of them are done. */

const fixture = eachOwnerFixture();
let gate: Hosted;
let slots: [string, string, string];

beforeEach(async () => {
  gate = await startHosted(fixture.server.baseUrl);
  gate.extend();
  const submitted = async (name: string) =>
    play(fixture.server, await registerPlaytester(fixture.server, name), await fixture.order());
  slots = [await submitted("Ann"), await submitted("Bo"), await submitted("Cy")];
  gate.hooks.interfere = ({ method, path }) => (method === "POST" && path.includes(slots[1]) ? { lose: true } : undefined);
});

afterEach(() => gate.close());

const run = (flags: string, options = {}) =>
  fixture.run(`review accept ${slots.join(" ")} --yes --retries 0 ${flags}`.trim(), { baseUrl: gate.baseUrl, ...options });

describe("a reply that is lost after others arrived", () => {
  it("ends the command with its own error, and shows as JSON what was done", async () => {
    const [first, second, third] = slots;
    const { code, stdout, stderr } = await run("--json");
    expect([code, JSON.parse(stdout).result]).toEqual([
      12,
      {
        accepted: [expect.objectContaining({ id: first, payoutCents: 1_000 })],
        failed: [{ id: second, code: "OUTCOME_UNKNOWN", message: expect.stringContaining(second), exitCode: 12 }],
        payoutCents: 1_000,
      },
    ]);
    expect(stderr).toContain(`Not tried: ${third}.`);
    expect(stderr).toContain("--idempotency-key");
  });

  it.each([
    ["--csv", /^id,playtester,payout\r\n.*,Ann,\$10\.00\r\n$/],
    ["--tsv", /^id\tplaytester\tpayout\n.*\tAnn\t\$10\.00\n$/],
    ["--template {playtester}", /^Ann\n$/],
    ["--ndjson", /"type":"item".*\n.*"type":"warning".*\n.*"type":"result","accepted":\[\{/],
    ["", /^.*\tAnn\t\$10\.00\n$/],
  ])("shows what was done with %s", async (flags, shown) => {
    const { code, stdout } = await run(flags);
    expect([code, stdout]).toEqual([12, expect.stringMatching(shown)]);
  });

  it.each([
    ["--json", /^\{"result":\{"accepted":\[\{/],
    ["--ndjson", /"type":"item".*\n.*"type":"warning".*\n.*"type":"result","accepted":\[\{/],
    ["--csv", /,Ann,\$10\.00\r\n$/],
  ])("keeps the file that %s -o names", async (flags, shown) => {
    const file = join(testFolder(), "result");
    const { code } = await run(`${flags} -o ${file}`);
    expect([code, readFileSync(file, "utf8")]).toEqual([12, expect.stringMatching(shown)]);
  });

  it("tells a person what was done, and the error once", async () => {
    const { code, stdout, stderr } = await run("", { tty: true });
    expect([code, stdout]).toEqual([12, expect.stringMatching(/^Accepted .* and paid Ann \$10\.00\.\n$/)]);
    expect(stderr.match(/its\s+response\s+was\s+lost/g)).toHaveLength(1);
  });
});

it("an interrupt shows what was done before it", async () => {
  const env = { HOME: testFolder(), PLAYTEST_BASE_URL: gate.baseUrl, PLAYTEST_API_KEY: fixture.owner.key };
  const fake = new FakeProcess({ env, cwd: "/" });
  gate.hooks.interfere = ({ method, path }) => {
    if (method === "GET" && path.includes(slots[1])) fake.signal("SIGINT");
    return undefined;
  };
  let count = 0;
  const code = await main(["review", "accept", ...slots, "--yes", "--json"], fake, { newId: () => `key-${++count}` });
  expect(code).toBe(130);
  expect(JSON.parse(fake.stdout.text).result).toMatchObject({ accepted: [{ id: slots[0] }], failed: [] });
  expect(fake.stderr.text).toContain(`Not finished, and perhaps done: ${slots[1]}.`);
});
