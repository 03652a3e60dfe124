import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { testFolder } from "../helpers/cli.ts";
import { eachOwnerFixture } from "../helpers/owner-fixture.ts";

const fixture = eachOwnerFixture(100_000);
let folder: string;

beforeEach(() => {
  folder = testFolder();
});

function bulk(text: string, { name = "orders.csv", flags = "--yes" } = {}) {
  writeFileSync(join(folder, name), text);
  return fixture.run(`bulk ${name} --game ${fixture.gameId} ${flags}`, { cwd: folder, now: fixture.server.clock.now() });
}
const playtests = async (): Promise<{ id: string; ref: string }[]> =>
  (await fixture.owner.get(`/games/${fixture.gameId}/playtests?limit=100`)).body.data.playtests;
const balance = async () => (await fixture.owner.get("/billing/balance")).body.data.balanceCents;
const one = (text: string) => text.replace(/\s+/g, " ");
const row = (note: string, keys: string) => `ref,quantity,minutes,notes,keys\na1,2,30,${note},${keys}\n`;

describe("bulk: a row that took the place of a cancelled order", () => {
  /** Orders a row, cancels it, orders a corrected one in its place, and returns that. */
  async function replaced(): Promise<string> {
    await bulk(row("Luod", "AAA BBB"));
    await fixture.owner.post(`/playtests/${(await playtests())[0]!.id}/cancel`);
    expect((await bulk(row("Loud", "CCC DDD"))).code).toBe(0);
    return (await playtests())[0]!.id;
  }

  it("is reported as what it is, also with other game keys", async () => {
    const second = await replaced();
    for (let run = 0; run < 2; run++) {
      const ran = await bulk(row("Loud", "CCC DDD"), { flags: "--yes --json" });
      expect([ran.code, ran.stderr]).toEqual([0, ""]);
      const { orders } = JSON.parse(ran.stdout).result;
      expect(orders).toMatchObject([{ playtestId: second, status: "active", skipped: true }]);
    }
    expect([(await playtests()).length, await balance()]).toEqual([2, 97_000]);
  });

  it("stops the file when it is written again as the cancelled one was", async () => {
    const second = await replaced();
    const ran = await bulk(row("Luod", "AAA BBB"));
    const changed = `"a1" was ordered as ${second} with notesForTesters "Loud", not "Luod"`;
    expect([ran.code, one(ran.stderr), await balance()]).toEqual([2, expect.stringContaining(changed), 97_000]);
  });

  it("stops the file when its game keys were changed", async () => {
    const second = await replaced();
    const ran = await bulk(row("Loud", "CCC EEE"));
    expect([ran.code, one(ran.stderr)]).toEqual([2, expect.stringContaining(`was ordered as ${second} with other game keys`)]);
  });
});

describe("bulk: refs", () => {
  it("of an order that is not paid yet is not ordered again, and the command says so", async () => {
    const order = { quantity: 2, durationMinutes: 30, notesForTesters: "Loud", ref: "a1" };
    const path = `/games/${fixture.gameId}/playtests`;
    const { id } = (await fixture.owner.post(path, order, { "x-payment-method": "card" })).body.data.playtest;
    const ran = await bulk("ref,quantity,minutes,notes\na1,2,30,Loud\n");
    const unpaid = `"a1" was ordered as ${id}, which is not paid yet. To pay it, run \`playtest playtests pay ${id} --method METHOD\`.`;
    expect([ran.code, one(ran.stderr), (await playtests()).length]).toEqual([0, expect.stringContaining(unpaid), 1]);
  });

  it.each(["1.50", "12345678901234567890", "true", "[a, b]", "{a: b}"])("%s without quotes is refused", async (ref) => {
    const ran = await bulk(`- {ref: ${ref}, quantity: 1}\n`, { name: "a.yaml" });
    expect([ran.code, ran.stderr]).toEqual([2, expect.stringContaining("line 1: ref: must be text: write it in quotes")]);
    expect((await bulk(`- {ref: "${ref}", quantity: 1}\n`, { name: "a.yaml" })).code).toBe(0);
    expect((await playtests()).map((made) => made.ref)).toEqual([ref]);
  });
});
