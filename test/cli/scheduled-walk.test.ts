import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { testFolder } from "../helpers/cli.ts";
import { registerPlaytester, videoBytes } from "../helpers/factories.ts";
import { teamsOn } from "../helpers/friends.ts";
import { eachOwnerFixture } from "../helpers/owner-fixture.ts";

const fixture = eachOwnerFixture();
const hour = 3_600_000;

// The clock of the server stands at 2026-03-01T12:00:00Z. Clocks go forward on 8 March in New York and on 29 March in Berlin.
const at = "2026-03-30T16:00:00.000Z";
const shown = {
  berlin: "Mon 2026-03-30 18:00, Europe/Berlin (UTC+02:00)",
  newYork: "Mon 2026-03-30 12:00, America/New_York (UTC-04:00)",
  kolkata: "Mon 2026-03-30 21:30, Asia/Kolkata (UTC+05:30)",
};

/** The lines of a fact sheet, by name. */
const factsOf = (stdout: string) => Object.fromEntries(stdout.split("\n").map((line) => line.split("\t") as [string, string]));

it("a playtest for two at a fixed time goes from the order to the payout by command, in three time zones", async () => {
  const { server, gameId } = fixture;
  teamsOn(server.deps.config);
  const [ann, ben] = [await registerPlaytester(server, "Ann"), await registerPlaytester(server, "Ben")];
  for (const { id } of [fixture.owner, ann, ben])
    await server.deps.store.write((tx) => tx.run("UPDATE users SET email_verified_at = 1 WHERE id = ?", id));
  const folder = testFolder();
  writeFileSync(join(folder, "session.mp4"), videoBytes(300_000));

  /** Runs a command as somebody. Fails when it does not end with 0. */
  const as =
    (key: string) =>
    async (line: string): Promise<Record<string, string | undefined>> => {
      const words = line.match(/"[^"]*"|\S+/g)!.map((word) => word.replaceAll('"', ""));
      const { code, stdout, stderr } = await fixture.run(words, { key, cwd: folder });
      expect([line, code, stderr]).toEqual([line, 0, stderr]);
      return { ...factsOf(stdout), said: stderr, printed: stdout };
    };
  const [owner, asAnn, asBen] = [as(fixture.owner.key), as(ann.key), as(ben.key)];
  /** The newest email to somebody. */
  const mailTo = async (name: string) => {
    await server.advance(1000);
    return server.mails.filter(({ text }) => text.startsWith(`Hello ${name},`)).at(-1)!;
  };

  await owner("auth profile update --time-zone Europe/Berlin");
  await asAnn("auth profile update --time-zone America/New_York");
  await asBen("auth profile update --time-zone Asia/Kolkata");
  await asAnn("tester friends profile --handle ann");
  await asBen("tester friends profile --handle ben");
  await asBen("tester friends add ann");
  await asAnn("tester friends accept ben");

  const ordered = await owner(`playtests order ${gameId} --player-count 2 --at "2026-03-30 18:00" --yes`);
  expect(ordered.said).toContain(`It is played at ${shown.berlin}.`);
  const id = ordered.playtest!;

  const offer = await asAnn(`tester offer ${id}`);
  expect(offer).toMatchObject({ "played at": expect.stringContaining("Mon 2026-03-30 16:00, UTC"), "friends to name": "1" });
  const claimed = await asAnn(`tester claim ${id} --with ben --at 2026-03-30T12:00-04:00`);
  expect(claimed.said).toContain("It is reserved when all of them have confirmed.");
  const slot = claimed.id!;
  expect((await mailTo("Ben")).text).toContain(`It is played at ${shown.kolkata}.`);
  await asBen(`tester team confirm ${slot} --share 10.00 --at ${at}`);
  expect((await mailTo("Ann")).text).toContain(`You play together at ${shown.newYork}.`);
  expect((await mailTo("Ben")).text).toContain(`You play together at ${shown.kolkata}.`);
  expect((await owner(`playtests show ${id}`)).printed).toContain("Mon 2026-03-30 16:00, UTC");

  const moved = await owner(`playtests update ${id} --at "2026-03-31 18:00"`);
  expect(moved.said).toContain("Tue 2026-03-31 18:00, Europe/Berlin (UTC+02:00)");
  expect((await mailTo("Ann")).text).toContain("Tue 2026-03-31 12:00, America/New_York (UTC-04:00)");
  const proposed = await asAnn(`tester show ${slot}`);
  expect(proposed["other time"]).toContain("Tue 2026-03-31 16:00, UTC");
  const wrong = await fixture.run(["tester", "reschedule", slot, "--accept", "--at", "2026-04-01T12:00-04:00"], { key: ann.key });
  expect([wrong.code, wrong.stderr]).toEqual([
    6,
    expect.stringContaining("The owner now proposes another time: 2026-03-31T16:00"),
  ]);
  const accepted = await asAnn(`tester reschedule ${slot} --accept --at 2026-03-31T12:00-04:00`);
  expect(accepted.said).toContain("You play at Tue 2026-03-31 12:00, America/New_York (UTC-04:00).");

  const begins = Date.parse(at) + 24 * hour;
  await server.advance(begins - 24 * hour - server.clock.now());
  expect((await mailTo("Ben")).subject).toContain("begins at Tue 2026-03-31 21:30, Asia/Kolkata (UTC+05:30)");
  const early = await fixture.run(["tester", "submit", "session.mp4", slot, "--yes"], { key: ann.key, cwd: folder });
  expect([early.code, early.stderr]).toEqual([6, expect.stringContaining("Nothing was submitted. Play then")]);
  await server.advance(begins + hour - server.clock.now());
  await asAnn(`tester submit session.mp4 ${slot} --yes`);
  await owner(`review accept ${slot} --yes`);
  for (const one of [asAnn, asBen]) {
    const earned = await one("tester earnings");
    expect([earned.printed, earned.said].join("")).toContain("$10.00");
    expect((await one(`tester show ${slot}`)).status).toBe("accepted");
  }
  expect((await owner(`playtests show ${id}`)).status).toBe("completed");
});
