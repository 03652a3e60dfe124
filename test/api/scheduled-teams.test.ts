import { expect } from "vitest";
import { onBothDatabases } from "../helpers/each.ts";
import type { Person } from "../helpers/factories.ts";
import { confirm, type TeamMarket, teamMarket } from "../helpers/friends.ts";

const hour = 3_600_000;
const day = 24 * hour;

// The clock of the server stands at 2026-03-01T12:00:00Z.
const scheduledAt = "2026-03-05T12:00:00.000Z";
const later = "2026-03-06T12:00:00.000Z";
const inIndia = "Thu 2026-03-05 17:30, Asia/Kolkata (UTC+05:30)";
const laterInIndia = "Fri 2026-03-06 17:30, Asia/Kolkata (UTC+05:30)";

/** A playtest for three at a fixed time, which Ann claimed with Ben, who lives in India, and Cleo. */
async function asked(known: TeamMarket) {
  const { server, ann, ben, cleo, dana, make } = known;
  for (const { id } of [ann, ben, cleo, dana])
    await server.deps.store.write((tx) => tx.run("UPDATE users SET email_verified_at = 1 WHERE id = ?", id));
  await ben.updateProfile({ body: { timeZone: "Asia/Kolkata" } });
  const playtestId = await make({ scheduledAt });
  const body = { scheduledAt, with: [{ handle: "ben" }, { handle: "cleo" }] };
  const { slot } = await ann.claimPlaytest({ params: { id: playtestId }, body });
  return { playtestId, slotId: slot.id };
}

async function complete(known: TeamMarket) {
  const ids = await asked(known);
  for (const person of [known.ben, known.cleo]) await confirm(person, ids.slotId);
  return ids;
}

type Name = "ann" | "ben" | "cleo" | "dana";
const mailsTo = ({ server }: TeamMarket, name: Name) => server.mails.filter(({ text }) => text.startsWith(`Hello ${name},`));

/** The last mail to somebody. */
async function lastMail(known: TeamMarket, name: Name) {
  await known.server.advance(1000);
  return mailsTo(known, name).at(-1)!;
}
const noticesOf = async (person: Person, kind: string) =>
  (await person.listNotifications({ query: { limit: "100" } })).notifications.flatMap(({ type, body }) =>
    type === kind ? [body] : [],
  );
const move = ({ owner }: TeamMarket, id: string) => owner.updatePlaytest({ params: { id }, body: { scheduledAt: later } });
const answer = ({ ann }: TeamMarket, id: string, accept: boolean) => ann.rescheduleSlot({ params: { id }, body: { accept } });

onBothDatabases("team of a playtest at a fixed time", (serve, it) => {
  it("is asked with the time in the zone of each, and has to repeat it", async () => {
    const known = await teamMarket(serve);
    const { ben, cleo } = known;
    const { slotId } = await asked(known);
    expect((await lastMail(known, "ben")).text).toContain(`It is played at ${inIndia}.`);
    expect(await noticesOf(ben, "team.requested")).toEqual([expect.stringContaining(`with you at ${inIndia} for $10.00.`)]);
    for (const given of [{}, { scheduledAt: later }]) {
      const { status, body } = await ben.post(`/playtester/slots/${slotId}/team/confirm`, { shareCents: 1000, ...given });
      expect([status, body.error.message]).toEqual([
        409,
        expect.stringContaining(`fixed time: ${scheduledAt}. Nothing was changed.`),
      ]);
    }
    for (const person of [ben, cleo]) await confirm(person, slotId);
    const { text, calendar } = await lastMail(known, "ben");
    expect(text).toContain(`You play together at ${inIndia}.\n\nThe attached calendar file has the time of the playtest.`);
    expect(calendar).toContain("DTSTART:20260305T120000Z");
    expect(await noticesOf(ben, "team.confirmed")).toEqual([expect.stringContaining(`You play at ${inIndia}.`)]);
  });

  it("is reminded 24 hours and one hour before, each with a calendar file, and whoever left is not", async () => {
    const known = await teamMarket(serve);
    const { server, ben, cleo } = known;
    const { slotId } = await complete(known);
    const remindersTo = (name: Name) => mailsTo(known, name).filter(({ subject }) => subject.includes("begins at"));
    const counts = () => (["ann", "ben", "cleo"] as const).map((name) => remindersTo(name).length);
    await server.advance(3 * day);
    expect(counts()).toEqual([1, 1, 1]);
    const { subject, text, calendar } = remindersTo("ben")[0]!;
    expect(subject).toContain(`begins at ${inIndia}`);
    expect(text).toContain("ann submits the video before Sun 2026-03-08 17:30, Asia/Kolkata (UTC+05:30).");
    expect(text).toContain("If you cannot play then, leave the team now, so that another friend can take your place.");
    expect(calendar).toContain("DTSTART:20260305T120000Z");
    expect(remindersTo("ann")[0]!.text).toContain("Submit your video before Sun 2026-03-08 12:00, UTC.");
    await cleo.leaveTeam({ params: { id: slotId } });
    await server.advance(day);
    expect(counts()).toEqual([2, 2, 1]);
    expect(await noticesOf(ben, "slot.starting")).toHaveLength(2);
  });

  it("is told of another time that is proposed, and of the answer, which the claimant gives", async () => {
    const known = await teamMarket(serve);
    const { ben } = known;
    const { playtestId, slotId } = await complete(known);
    await move(known, playtestId);
    const proposal = await lastMail(known, "ben");
    expect(proposal.text).toContain(`proposes to play at ${laterInIndia} instead of ${inIndia}.`);
    expect(proposal.text).toContain("ann, who claimed the slot, answers for your team by Wed 2026-03-04 17:30");
    expect((await lastMail(known, "ann")).text).toContain("Accept or decline by Wed 2026-03-04 12:00, UTC.");
    expect(await noticesOf(ben, "slot.move_proposed")).toEqual([expect.stringContaining("ann answers for your team by")]);
    expect((await ben.post(`/playtester/slots/${slotId}/reschedule`, { accept: true })).status).toBe(409);
    await answer(known, slotId, true);
    const agreed = await lastMail(known, "ben");
    expect(agreed.text).toContain(`ann agreed for your team to playtest Lantern Deep at ${laterInIndia}.`);
    expect(agreed.calendar).toContain("DTSTART:20260306T120000Z");
    expect(await noticesOf(ben, "slot.move_answered")).toEqual([`You play Lantern Deep at ${laterInIndia}.`]);
  });

  it("is told when the other time is taken back, each in their zone", async () => {
    const known = await teamMarket(serve);
    const { playtestId } = await complete(known);
    await move(known, playtestId);
    await known.owner.updatePlaytest({ params: { id: playtestId }, body: { scheduledAt } });
    for (const name of ["ann", "ben", "cleo"] as const) {
      const { subject, text } = await lastMail(known, name);
      const [stays, other] =
        name === "ben" ? [inIndia, laterInIndia] : ["Thu 2026-03-05 12:00, UTC", "Fri 2026-03-06 12:00, UTC"];
      expect(subject).toBe(`Your playtest of Lantern Deep stays at ${stays}`);
      expect(text).toContain(`took back the proposal to play at ${other}.`);
      expect(await noticesOf(known[name], "slot.move_answered")).toEqual([
        expect.stringContaining(`You play Lantern Deep at ${stays}.`),
      ]);
    }
  });

  it.for([true, false])(
    "whose claimant does not accept another time is released without a mark (answered: %s)",
    async (isAnswered) => {
      const known = await teamMarket(serve);
      const { server, ann, ben } = known;
      const { playtestId, slotId } = await complete(known);
      await move(known, playtestId);
      if (isAnswered) await answer(known, slotId, false);
      else await server.advance(3 * day);
      const { subject, text } = await lastMail(known, "ben");
      expect([subject, text]).toEqual([
        "Your team for Lantern Deep ended",
        expect.stringContaining("The owner proposed another time, and the playtester who claimed the slot did not accept it."),
      ]);
      expect(await noticesOf(ben, "slot.move_answered")).toEqual([]);
      const body = { scheduledAt: later, with: [{ handle: "ben" }, { handle: "cleo" }] };
      expect((await ann.post(`/playtester/playtests/${playtestId}/claim`, body)).status).toBe(201);
    },
  );

  it("is told once that the owner cancelled it late, each of their own share", async () => {
    const known = await teamMarket(serve);
    const { server, owner, ann, ben, cleo } = known;
    const { playtestId, slotId } = await complete(known);
    await server.advance(4 * day - 11 * hour);
    const before = server.mails.length;
    await owner.cancelPlaytest({ params: { id: playtestId } });
    await server.advance(1000);
    const told = server.mails.slice(before).map(({ subject, text }) => [/^Hello ([a-z]+),/.exec(text)?.[1], subject]);
    expect(told.sort()).toEqual(["ann", "ben", "cleo"].map((name) => [name, "Your playtest of Lantern Deep was cancelled"]));
    for (const person of [ann, ben, cleo]) {
      const { lost, team } = (await person.getHeldSlot({ params: { id: slotId } })).slot;
      expect(lost).toEqual({ why: "cancelled", earnedCents: team!.yourShareCents });
      expect(await noticesOf(person, "team.ended")).toEqual([]);
    }
  });

  it("a friend who is asked in the place of another one is told of the new time, and confirms that one", async () => {
    const known = await teamMarket(serve);
    const { ann, cleo, dana } = known;
    const { playtestId, slotId } = await complete(known);
    await cleo.leaveTeam({ params: { id: slotId } });
    await ann.replaceTeamMember({ params: { id: slotId }, body: { missing: "cleo", with: "dana" } });
    await move(known, playtestId);
    await answer(known, slotId, true);
    expect(await noticesOf(dana, "slot.move_answered")).toHaveLength(1);
    const confirmAt = (at: string) =>
      dana.post(`/playtester/slots/${slotId}/team/confirm`, { shareCents: 1000, scheduledAt: at });
    expect((await confirmAt(scheduledAt)).status).toBe(409);
    expect((await confirmAt(later)).status).toBe(200);
  });

  it("who is asked may take another slot at that time, and then cannot join", async () => {
    const known = await teamMarket(serve);
    const { ann, ben, cleo, dana, make } = known;
    const { slotId } = await complete(known);
    await cleo.leaveTeam({ params: { id: slotId } });
    await ann.replaceTeamMember({ params: { id: slotId }, body: { missing: "cleo", with: "dana" } });
    const alone = await make({ playerCount: 1, quantity: 2, scheduledAt });
    const claimAlone = (person: Person) => person.post(`/playtester/playtests/${alone}/claim`, { scheduledAt });
    expect((await claimAlone(dana)).status).toBe(201);
    const joined = await dana.post(`/playtester/slots/${slotId}/team/confirm`, { shareCents: 1000, scheduledAt });
    expect([joined.status, joined.body.error.message]).toEqual([409, expect.stringContaining("or one at that time")]);
    expect((await claimAlone(ben)).body.error.message).toContain(`You have a slot at ${scheduledAt} already`);
  });

  it("that becomes complete while a problem is reported has no deadline until it is answered", async () => {
    const known = await teamMarket(serve);
    const { ann, cleo, dana, owner } = known;
    const { slotId } = await complete(known);
    await ann.reportSlot({ params: { id: slotId }, body: { reasonCode: "crash" } });
    await cleo.leaveTeam({ params: { id: slotId } });
    await ann.replaceTeamMember({ params: { id: slotId }, body: { missing: "cleo", with: "dana" } });
    await confirm(dana, slotId);
    const { text } = await lastMail(known, "dana");
    expect(text).toContain("The deadline is paused until the problem that was reported with the game is answered.");
    expect(await noticesOf(dana, "team.confirmed")).toEqual([expect.stringContaining("Its deadline is paused until")]);
    const told = await known.server.deps.store.read((q) =>
      q.all<{ data: string }>("SELECT data FROM events WHERE kind = 'team.confirmed' ORDER BY created_at DESC, id DESC LIMIT 1"),
    );
    expect(JSON.parse(told[0]!.data).deadlineAt).toBeNull();
    await owner.unblockSlot({ params: { id: slotId } });
    expect((await owner.getSlot({ params: { id: slotId } })).slot.deadlineAt).toBe("2026-03-08T12:00:00.000Z");
  });
});
