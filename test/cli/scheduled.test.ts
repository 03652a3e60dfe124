import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type RunOptions, testFolder } from "../helpers/cli.ts";
import { registerPlaytester } from "../helpers/factories.ts";
import { startHosted } from "../helpers/hosted.ts";
import { eachOwnerFixture } from "../helpers/owner-fixture.ts";

const fixture = eachOwnerFixture();
const day = 24 * 3_600_000;

// The clock of the server stands at 2026-03-01T12:00:00Z.
const order = (...words: string[]) => ["playtests", "order", fixture.gameId, "--yes", ...words];
const scheduledOf = async () =>
  (await fixture.owner.listPlaytests({ params: { gameId: fixture.gameId } })).playtests.map(({ scheduledAt }) => scheduledAt);
const asTester = async () => {
  const person = await registerPlaytester(fixture.server);
  const run = (words: string[], options: RunOptions = {}) => fixture.run(words, { ...options, key: person.key });
  return { person, run };
};

describe("playtests order --at", () => {
  it.each([
    { name: "a zone", words: ["--at", "2026-03-05 18:00", "--time-zone", "Europe/Berlin"], at: "2026-03-05T17:00:00.000Z" },
    {
      name: "a zone of half an hour",
      words: ["--at", "2026-03-05 18:00", "--time-zone", "Asia/Kolkata"],
      at: "2026-03-05T12:30:00.000Z",
    },
    { name: "summer time", words: ["--at", "2026-03-29 18:00", "--time-zone", "Europe/Berlin"], at: "2026-03-29T16:00:00.000Z" },
    { name: "an offset", words: ["--at", "2026-03-05T18:00-08:00"], at: "2026-03-06T02:00:00.000Z" },
    {
      name: "an offset beside a zone",
      words: ["--at", "2026-03-05T18:00Z", "--time-zone", "Asia/Tokyo"],
      at: "2026-03-05T18:00:00.000Z",
    },
  ])("with $name", async ({ words, at }) => {
    const { code, stderr } = await fixture.run(order(...words));
    expect([code, stderr]).toEqual([0, expect.stringContaining("It is played at ")]);
    expect(await scheduledOf()).toEqual([at]);
  });

  it("in the zone of the profile, and says it", async () => {
    await fixture.run("auth profile update --time-zone America/New_York");
    const { stderr } = await fixture.run(order("--at", "2026-03-08 18:00"));
    expect(stderr).toContain("It is played at Sun 2026-03-08 18:00, America/New_York (UTC-04:00).");
    expect(await scheduledOf()).toEqual(["2026-03-08T22:00:00.000Z"]);
  });

  it.each([
    { name: "no zone", words: ["--at", "2026-03-05 18:00"], says: "has no time zone, and none is set in your profile" },
    {
      name: "a zone that is none",
      words: ["--at", "2026-03-05 18:00", "--time-zone", "Berlin"],
      says: '"Berlin" is not a time zone',
    },
    {
      name: "a time that is skipped",
      words: ["--at", "2026-03-29 02:30", "--time-zone", "Europe/Berlin"],
      says: "does not exist in Europe/Berlin, where clocks go forward then: the next is 2026-03-29T03:30+02:00",
    },
    { name: "another text", words: ["--at", "tomorrow"], says: "is not a date and time" },
    { name: "a day that does not exist", words: ["--at", "2026-02-30T10:00Z"], says: "is no date and time that exists" },
  ])("is refused for $name", async ({ words, says }) => {
    const { code, stderr } = await fixture.run(order(...words));
    expect([code, stderr]).toEqual([2, expect.stringContaining(says)]);
    expect(await scheduledOf()).toEqual([]);
  });

  it("is refused by the server outside of 12 hours to 90 days", async () => {
    const { code, stderr } = await fixture.run(order("--at", "2026-03-01T20:00Z"));
    expect([code, stderr]).toEqual([2, expect.stringContaining("must be 12 hours to 90 days from now")]);
    expect(await scheduledOf()).toEqual([]);
  });

  it("reads the field of an order file in the same way", async () => {
    const cwd = testFolder();
    writeFileSync(join(cwd, "order.yaml"), "quantity: 2\nscheduledAt: 2026-03-05 18:00\n");
    await fixture.run(order("-f", join(cwd, "order.yaml"), "--time-zone", "Europe/Berlin"));
    expect(await scheduledOf()).toEqual(["2026-03-05T17:00:00.000Z"]);
  });

  it("shows the time in lists", async () => {
    const id = await fixture.order({ scheduledAt: "2026-03-05T17:00:00Z" });
    const [list, show, slots] = await Promise.all(
      [`playtests list ${fixture.gameId}`, `playtests show ${id}`, `playtests slots ${id}`].map((line) =>
        fixture.run(line, { tty: true, columns: 200 }),
      ),
    );
    for (const { stdout } of [list!, show!, slots!]) expect(stdout).toContain("Thu 2026-03-05 17:00, UTC");
  });

  it("a server without fixed times gets no request for it", async () => {
    const hosted = await startHosted(fixture.server.baseUrl);
    try {
      for (const words of [
        ["playtests", "order"],
        ["playtests", "quote"],
      ]) {
        const { code, stderr } = await fixture.run([...words, fixture.gameId, "--at", "2026-03-05T18:00Z"], {
          baseUrl: hosted.baseUrl,
        });
        expect([code, stderr]).toEqual([
          3,
          expect.stringContaining("This server has no playtests at a fixed time. Nothing was ordered."),
        ]);
      }
      const cwd = testFolder();
      writeFileSync(join(cwd, "orders.csv"), "quantity,scheduledAt\n1,2026-03-05T18:00Z\n");
      const words = ["playtests", "bulk", "orders.csv", "--yes", "--game", fixture.gameId];
      expect((await fixture.run(words, { cwd, baseUrl: hosted.baseUrl })).code).toBe(3);
      const id = await fixture.order({ scheduledAt: "2026-03-05T17:00:00Z" });
      const update = ["playtests", "update", id, "--at", "2026-03-06T18:00Z"];
      expect((await fixture.run(update, { baseUrl: hosted.baseUrl })).code).toBe(3);
      expect([hosted.beyond, hosted.seen.filter(({ method }) => method !== "GET")]).toEqual([[], []]);
    } finally {
      await hosted.close();
    }
  });
});

describe("playtests bulk with a column scheduledAt", () => {
  const bulk = (text: string, ...words: string[]) => {
    const cwd = testFolder();
    writeFileSync(join(cwd, "orders.csv"), text);
    return fixture.run(["playtests", "bulk", "orders.csv", "--yes", "--game", fixture.gameId, ...words], { cwd });
  };

  it("orders each row at its time", async () => {
    const ended = await bulk(
      "quantity,scheduledAt\n1,2026-03-05 18:00\n2,2026-03-06T18:00Z\n1,\n",
      "--time-zone",
      "Europe/Berlin",
    );
    expect(ended.code).toBe(0);
    expect((await scheduledOf()).sort()).toEqual(["2026-03-05T17:00:00.000Z", "2026-03-06T18:00:00.000Z", null]);
  });

  it("names the line of a time that cannot be read", async () => {
    const { code, stderr } = await bulk("quantity,at\n1,2026-03-29 02:30\n", "--time-zone", "Europe/Berlin");
    expect([code, stderr]).toEqual([2, expect.stringMatching(/line 2: scheduledAt.*does not exist in Europe\/Berlin/)]);
    expect(await scheduledOf()).toEqual([]);
  });
});

describe("a session by command", () => {
  const at = "2026-03-05T17:00:00.000Z";

  it("is claimed with its time, which is shown in the playtester's zone", async () => {
    const id = await fixture.order({ scheduledAt: at });
    const { run } = await asTester();
    await run(["auth", "profile", "update", "--time-zone", "Asia/Kolkata"]);
    const refused = await run(["tester", "claim", id]);
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining(
        "This playtest is at a fixed time: Thu 2026-03-05 22:30, Asia/Kolkata (UTC+05:30). Nothing was changed.",
      ),
    ]);
    expect(refused.stderr).toContain(`pass --at ${at}`);
    const claimed = await run(["tester", "claim", id, "--at", at]);
    expect([claimed.code, claimed.stdout]).toEqual([0, expect.stringContaining("Thu 2026-03-05 17:00, UTC")]);
    expect(claimed.stderr).toContain("You have claimed a slot, which is played at Thu 2026-03-05 17:00, UTC.");
  });

  it("is moved by the owner, and accepted or declined by its playtesters", async () => {
    const id = await fixture.order({ scheduledAt: at, quantity: 2 });
    const [one, other] = [await asTester(), await asTester()];
    const claim = async ({ person }: typeof one) =>
      (await person.claimPlaytest({ params: { id }, body: { scheduledAt: at } })).slot.id;
    const [accepted, declined] = [await claim(one), await claim(other)];
    const noTime = await fixture.run([
      "playtests",
      "update",
      id,
      "--notes-for-testers",
      "Hello.",
      "--time-zone",
      "Europe/Berlin",
    ]);
    expect([noTime.code, noTime.stderr]).toEqual([2, expect.stringContaining("--time-zone requires --at. Nothing was changed.")]);
    const moved = await fixture.run(["playtests", "update", id, "--at", "2026-03-06 18:00", "--time-zone", "Europe/Berlin"]);
    expect([moved.code, moved.stderr]).toEqual([
      0,
      expect.stringContaining("Open slots are now at Fri 2026-03-06 18:00, Europe/Berlin (UTC+01:00)."),
    ]);
    expect((await fixture.run(`playtests slots ${id}`, { tty: true, columns: 200 })).stdout).toContain(
      "Fri 2026-03-06 17:00, UTC",
    );
    expect((await one.run(["tester", "reschedule", accepted])).stderr).toContain("Pass either --accept or --decline.");
    const yes = await one.run(["tester", "reschedule", accepted, "--accept"]);
    expect([yes.code, yes.stderr]).toEqual([0, expect.stringContaining("You play at Fri 2026-03-06 17:00, UTC.")]);
    const no = await other.run(["tester", "reschedule", declined, "--decline"]);
    expect([no.code, no.stderr]).toEqual([0, expect.stringContaining("The slot was released.")]);
    const { slots } = (await fixture.owner.getPlaytest({ params: { id } })).playtest;
    expect(slots).toMatchObject({ reserved: 1, open: 1, cancelled: 1 });
  });

  it("is cancelled with its claimed slots", async () => {
    const id = await fixture.order({ scheduledAt: at, quantity: 2 });
    const { person } = await asTester();
    await person.claimPlaytest({ params: { id }, body: { scheduledAt: at } });
    await fixture.server.advance(4 * day);
    expect((await fixture.json(`playtests cancel ${id} --yes`)).refundedCents).toBe(2000);
    expect((await person.getEarnings({})).balanceCents).toBe(1000);
  });
});
