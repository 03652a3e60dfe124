import { expect } from "vitest";
import { onBothDatabases } from "../helpers/each.ts";
import * as factories from "../helpers/factories.ts";
import {
  befriend,
  claimWith,
  confirm,
  teamMarket as market,
  registerWithHandle,
  type TeamMarket,
  teamsOn,
} from "../helpers/friends.ts";
import { signedIn } from "../helpers/portal.ts";
import type { Reply } from "../helpers/server.ts";

const hour = 3_600_000;
const slotOf = async (person: factories.Person, id: string) => (await person.getHeldSlot({ params: { id } })).slot;
/** Lines such as `ben asked 1000`. */
const teamOf = async (person: factories.Person, id: string) =>
  (await slotOf(person, id)).team!.members.map(({ handle, status, shareCents }) => `${handle} ${status} ${shareCents}`);
const offersTo = async (person: factories.Person) => (await person.listOffers()).playtests.map(({ slotsOpen }) => slotsOpen);
const refusal = ({ status, body }: Reply) => [status, body.error.details?.[0]?.message ?? body.error.message];
const team = (person: factories.Person, slotId: string, action: string, body?: unknown) =>
  person.post(`/playtester/slots/${slotId}/team/${action}`, body);
const claimOf = (person: factories.Person, playtestId: string, ...handles: string[]) =>
  person.post(`/playtester/playtests/${playtestId}/claim`, { with: handles.map((handle) => ({ handle })) });
const titlesOf = async (person: factories.Person) =>
  (await person.get("/notifications")).body.data.notifications.map(({ title }: { title: string }) => title);
const earned = async (person: factories.Person) => (await person.getEarnings()).balanceCents;

async function complete({ ann, ben, cleo, playtestId }: TeamMarket): Promise<string> {
  const slotId = await claimWith(ann, playtestId, "ben", "cleo");
  for (const person of [ben, cleo]) await confirm(person, slotId);
  return slotId;
}

async function submitted(known: TeamMarket): Promise<string> {
  const slotId = await complete(known);
  await factories.giveVideo(known.server, slotId, known.ann);
  await known.ann.submitSlot({ params: { id: slotId } });
  return slotId;
}

onBothDatabases("teams", (serve, it) => {
  it("an offer is shown to whoever has enough connected, available, eligible friends, and names them", async () => {
    const { server, ann, ben, cleo, dana } = await market(serve);
    const { playtests } = await ann.listOffers();
    const [offer] = playtests;
    expect(offer!.team).toEqual({
      friendsNeeded: 2,
      confirmWithinMinutes: 720,
      friends: ["ben", "cleo", "dana"].map((handle) => ({ handle, displayName: handle })),
    });
    expect(await offersTo(ben)).toEqual([]);
    await cleo.updatePlaytesterProfile({ body: { available: false } });
    expect(await offersTo(ann)).toEqual([1]);
    await (await factories.firstAdmin(server)).suspendUser({ params: { id: dana.id }, body: {} });
    expect(await offersTo(ann)).toEqual([]);
  });

  it("a friend who had a slot of the playtest, or holds too many, does not count", async () => {
    const known = await market(serve);
    const { server, ann, dana, make } = known;
    server.deps.config.playtesters.maxReserved = 1;
    await complete(known);
    await make({ quantity: 1 });
    expect(await offersTo(ann)).toEqual([]);
    server.deps.config.playtesters.maxReserved = 3;
    expect(await offersTo(ann)).toEqual([1]);
    expect(await offersTo(dana)).toEqual([]);
  });

  it("claim: the slot is held until everybody confirmed, and only then shows instructions, and each their own key", async () => {
    const known = await market(serve, { keysForTesters: ["K1", "K2", "K3"] });
    const { owner, ann, ben, cleo, dana, playtestId } = known;
    const slotId = await claimWith(ann, playtestId, "ben", "cleo");
    expect(await teamOf(ann, slotId)).toEqual(["ann confirmed 1000", "ben asked 1000", "cleo asked 1000"]);
    expect(await offersTo(ann)).toEqual([]);
    await confirm(ben, slotId);
    for (const person of [ann, ben, cleo]) {
      const { status, instructions, keys, deadlineAt } = await slotOf(person, slotId);
      expect([status, instructions, keys, deadlineAt]).toEqual(["open", undefined, undefined, null]);
    }
    expect((await dana.get(`/playtester/slots/${slotId}`)).status).toBe(404);
    await confirm(cleo, slotId);
    const seen = [];
    for (const person of [ann, ben, cleo]) {
      const { status, instructions, keys } = await slotOf(person, slotId);
      seen.push([status, instructions, keys]);
    }
    expect(seen).toEqual(["K1", "K2", "K3"].map((key) => ["reserved", "Press start.", [key]]));
    expect((await owner.getSlot({ params: { id: slotId } })).slot).toMatchObject({
      status: "reserved",
      playtester: { id: ann.id },
    });
    expect(await titlesOf(cleo)).toEqual(["Team complete", "Slot reserved", "Play with a friend", "Friend request"]);
  });

  it.for<[string, (known: TeamMarket) => Promise<Reply>, unknown[]]>([
    [
      "too few friends",
      ({ ann, playtestId }) => claimOf(ann, playtestId, "ben"),
      [422, "must name exactly 2 friends for 3 players, not 1"],
    ],
    ["a friend twice", ({ ann, playtestId }) => claimOf(ann, playtestId, "ben", "ben"), [422, "must not name a friend twice"]],
    [
      "somebody who is no friend",
      ({ ben, playtestId }) => claimOf(ben, playtestId, "ann", "cleo"),
      [422, "is not the handle of a friend of yours"],
    ],
    [
      "no friends",
      ({ ann, playtestId }) => ann.post(`/playtester/playtests/${playtestId}/claim`),
      [409, "This playtest is for 3 players. Nothing was claimed. Name 2 friends who will play with you."],
    ],
    [
      "friends of whom one blocked the other",
      async ({ ann, ben, playtestId }) => {
        await ben.blockPlaytester({ body: { handle: "cleo" } });
        return claimOf(ann, playtestId, "ben", "cleo");
      },
      [409, "These playtesters cannot play together. Nothing was changed. Name other friends."],
    ],
    [
      "a friend who is not available",
      async ({ ann, ben, playtestId }) => {
        await ben.updatePlaytesterProfile({ body: { available: false } });
        return claimOf(ann, playtestId, "ben", "cleo");
      },
      [409, "ben is not available at the moment. Nothing was changed."],
    ],
    [
      "more than the payout",
      ({ ann, playtestId }) =>
        ann.post(`/playtester/playtests/${playtestId}/claim`, {
          with: [{ handle: "ben", shareCents: 3001 }, { handle: "cleo" }],
        }),
      [422, "must not promise more than the payout of $30.00"],
    ],
    [
      "a playtest of one player",
      async ({ ann, make }) => claimOf(ann, await make({ playerCount: 1 }), "ben"),
      [422, "cannot be used here: this claim needs no friends"],
    ],
  ])("claim with %s is refused, and nothing is held", async ([, send, expected]) => {
    const known = await market(serve);
    expect(refusal(await send(known))).toEqual(expected);
    expect(await known.owner.getPlaytest({ params: { id: known.playtestId } })).toMatchObject({ playtest: { status: "active" } });
    expect((await known.ann.listHeldSlots()).slots).toEqual([]);
  });

  it("off: one playtester claims and brings the others, and no friends can be named", async () => {
    const known = await market(serve);
    const { server, ann, playtestId } = known;
    server.deps.config.multiplayer.friends = false;
    expect((await ann.listOffers()).playtests[0]!.team).toBeNull();
    expect(refusal(await claimOf(ann, playtestId, "ben", "cleo"))).toEqual([
      422,
      "cannot be used here: this claim needs no friends",
    ]);
    const { slot } = await ann.claimPlaytest({ params: { id: playtestId } });
    expect([slot.status, slot.team]).toEqual(["reserved", null]);
  });

  it("time limit: the slot is open again, nobody is marked, and the same team can claim it again", async () => {
    const known = await market(serve);
    const { server, ann, ben, cleo, playtestId } = known;
    const slotId = await claimWith(ann, playtestId, "ben", "cleo");
    await confirm(ben, slotId);
    server.clock.set(server.clock.now() + 12 * hour);
    expect((await team(cleo, slotId, "confirm", { shareCents: 1000 })).status).toBe(409);
    expect(await offersTo(ann)).toEqual([1]);
    await server.advance(0);
    for (const person of [ann, ben, cleo]) {
      expect((await person.get(`/playtester/slots/${slotId}`)).status).toBe(404);
      expect((await titlesOf(person))[0]).toBe("Team ended");
    }
    expect(await complete(known)).toBe(slotId);
  });

  it("the claimant withdraws before the team is complete: the slot is open again, nobody is marked", async () => {
    const known = await market(serve);
    const { ann, ben, playtestId } = known;
    const slotId = await claimWith(ann, playtestId, "ben", "cleo");
    await ann.releaseSlot({ params: { id: slotId } });
    expect([await offersTo(ann), (await titlesOf(ben))[0]]).toEqual([[1], "Team ended"]);
    expect(await complete(known)).toBe(slotId);
  });

  it("a member declines: the claimant asks another friend, for the same share and within the same time", async () => {
    const { ann, ben, cleo, dana, playtestId } = await market(serve);
    const body = { with: [{ handle: "ben", shareCents: 500 }, { handle: "cleo" }] };
    const slotId = (await ann.claimPlaytest({ params: { id: playtestId }, body })).slot.id;
    expect(await teamOf(ann, slotId)).toEqual(["ann confirmed 1250", "ben asked 500", "cleo asked 1250"]);
    await ben.declineTeam({ params: { id: slotId } });
    expect([(await titlesOf(ann))[0], (await ben.get(`/playtester/slots/${slotId}`)).status]).toEqual([
      "Team member missing",
      404,
    ]);
    await ann.replaceTeamMember({ params: { id: slotId }, body: { missing: "ben", with: "dana" } });
    await confirm(cleo, slotId);
    await confirm(dana, slotId);
    const all = ["ann confirmed 1250", "ben declined 500", "dana confirmed 500", "cleo confirmed 1250"];
    expect([await teamOf(ann, slotId), (await slotOf(dana, slotId)).status]).toEqual([all, "reserved"]);
  });

  it("a member who has not answered is replaced: they are told, nobody reads that they did not answer, and a last of each empty seat is offered", async () => {
    const { server, ann, ben, cleo, dana, playtestId } = await market(serve);
    const slotId = await claimWith(ann, playtestId, "ben", "cleo");
    const canBeReplaced = async (person: factories.Person) =>
      (await slotOf(person, slotId)).team!.members.filter((one) => one.canBeReplaced).map(({ handle }) => handle);
    await ann.replaceTeamMember({ params: { id: slotId }, body: { missing: "ben", with: "dana" } });
    expect(await teamOf(cleo, slotId)).toEqual(["ann confirmed 1000", "ben replaced 1000", "dana asked 1000", "cleo asked 1000"]);
    expect([(await titlesOf(ben))[0], (await ben.get(`/playtester/slots/${slotId}`)).status]).toEqual([
      "Another friend was asked",
      404,
    ]);
    await server.advance(0);
    const told = server.mails.filter(({ subject }) => subject === "Another friend was asked to playtest Lantern Deep");
    expect(told).toHaveLength(1);
    expect(told[0]!.text).toContain(
      "You need not answer: the playtester who named you to playtest Lantern Deep asked another friend in your place.",
    );
    expect([await canBeReplaced(ann), await canBeReplaced(dana)]).toEqual([["dana", "cleo"], []]);
    const named = (missing?: string) => team(ann, slotId, "replace", { ...(missing && { missing }), with: "ben" });
    expect(refusal(await named("eve"))).toEqual([422, "is not the handle of a member who can be replaced: dana, cleo"]);
    expect(refusal(await named())).toEqual([422, "is required, because several members can be replaced: dana, cleo"]);
    await cleo.declineTeam({ params: { id: slotId } });
    await server.advance(1000);
    await dana.declineTeam({ params: { id: slotId } });
    expect(await canBeReplaced(ann)).toEqual(["dana", "cleo"]);
    await ann.replaceTeamMember({ params: { id: slotId }, body: { missing: "dana", with: "ben" } });
    expect(await canBeReplaced(ann)).toEqual(["ben", "cleo"]);
    await confirm(ben, slotId);
    expect(await canBeReplaced(ann)).toEqual(["cleo"]);
  });

  it("an agreement that changes while the team waits: who confirmed is asked to accept it, and only then the slot is reserved", async () => {
    const { server, owner, gameId, ann, ben, cleo, playtestId } = await market(serve);
    const slotId = await claimWith(ann, playtestId, "ben", "cleo");
    await confirm(ben, slotId);
    const publish = () => server.request("PUT", `/games/${gameId}/agreement`, { key: owner.key, body: { text: "Tell nobody." } });
    const acceptConsent = (await publish()).body.data.agreement.version;
    await publish();
    await server.advance(0);
    const asked = server.mails.filter(({ subject }) => subject === "Please accept the changed agreement of Lantern Deep");
    expect([asked.length, asked.every(({ text }) => text.includes(`/play/offers/${playtestId}/agreement`))]).toEqual([2, true]);
    const mustAccept = async (person: factories.Person) => (await slotOf(person, slotId)).team!.mustAccept;
    expect(await Promise.all([ann, ben, cleo].map(mustAccept))).toEqual([true, true, true]);
    const page = (await (await signedIn(server, ann)).get(`/play/slots/${slotId}`)).html;
    expect(page).toContain("You must accept it before the slot can be reserved for your team.");
    const confirmed = () => team(cleo, slotId, "confirm", { shareCents: 1000, acceptConsent });
    expect(refusal(await confirmed())).toEqual([
      409,
      "The agreement was changed, and these members of your team have not accepted the new version yet: ann, ben. Nothing was changed. They were asked to accept it by email: confirm after that.",
    ]);
    const accept = (person: factories.Person) =>
      person.acceptAgreement({ params: { id: playtestId }, body: { version: acceptConsent } });
    await accept(ann);
    expect(refusal(await confirmed())[1]).toContain("yet: ben. Nothing was changed.");
    expect((await slotOf(ann, slotId)).instructions).toBeUndefined();
    await accept(ben);
    expect((await confirmed()).status).toBe(200);
    expect([(await slotOf(ann, slotId)).status, await mustAccept(ann)]).toEqual(["reserved", false]);
    expect((await owner.listGameConsents({ params: { id: gameId } })).consents).toHaveLength(3);
  });

  it("shares that change before the team is complete have to be confirmed again, as they are", async () => {
    const { ann, ben, cleo, playtestId, server } = await market(serve);
    const slotId = await claimWith(ann, playtestId, "ben", "cleo");
    await confirm(ben, slotId);
    const set = (person: factories.Person, shareCents: number) =>
      server.request("PUT", `/playtester/slots/${slotId}/team/shares`, {
        key: person.key,
        body: { shares: [{ handle: "ben", shareCents }] },
      });
    expect(refusal(await set(ben, 2000))).toEqual([
      409,
      "Only the playtester who claimed this slot can do that. Nothing was changed.",
    ]);
    expect((await set(ann, 2001)).status).toBe(422);
    expect((await set(ann, 100)).status).toBe(200);
    expect(await teamOf(ann, slotId)).toEqual(["ann confirmed 1900", "ben asked 100", "cleo asked 1000"]);
    expect(refusal(await team(ben, slotId, "confirm", { shareCents: 1000 }))).toEqual([
      409,
      "Your share of the payout is $1.00, not $10.00. Nothing was changed. Look at the slot again.",
    ]);
    for (const person of [ben, cleo]) await confirm(person, slotId);
    expect(refusal(await set(ann, 200))).toEqual([409, "The team is complete, so its shares are agreed. Nothing was changed."]);
  });

  it.for(["credit", "hours"])(
    "acceptance, paid with %s: each member earns their share, to the cent, and is told",
    async (asset) => {
      const known = await market(serve, { durationMinutes: 30 });
      const { server, owner, ann, ben, cleo } = known;
      if (asset === "hours") {
        await factories.giveMinutes(server, owner, 1000);
        known.playtestId = await known.make();
      }
      // $15.00 of three is $5.00 each; one cent more for Ben makes it uneven.
      const body = { with: [{ handle: "ben", shareCents: 501 }, { handle: "cleo" }] };
      const slotId = (await ann.claimPlaytest({ params: { id: known.playtestId }, body })).slot.id;
      for (const person of [ben, cleo]) await confirm(person, slotId);
      await factories.giveVideo(server, slotId, ann);
      await ann.submitSlot({ params: { id: slotId } });
      await owner.acceptSlot({ params: { id: slotId } });
      expect(await Promise.all([ann, ben, cleo].map(earned))).toEqual([500, 501, 499]);
      const shift = (by: number) =>
        server.deps.store.write((tx) =>
          tx.run("UPDATE team_members SET share_cents = share_cents + ? WHERE slot_id = ? AND seat = 1", by, slotId),
        );
      await shift(1);
      expect((await factories.ledgerFaults(server)).join()).toMatch(/was not paid 502.*the shares of its team are 1501 of 1500/s);
      await shift(-1);
      const { entries } = await ben.getEarnings();
      expect(entries.map(({ kind, amountCents, slotId: of }) => [kind, amountCents, of])).toEqual([["payout", 501, slotId]]);
      const { statement } = await cleo.getStatement({ query: { year: "2026" } });
      expect(statement).toMatchObject({ earnedCents: 499, games: [{ slots: 1, amountCents: 499 }] });
      const { notifications } = (await ben.get("/notifications")).body.data;
      expect(notifications[0].body).toBe("Your playtest of Lantern Deep was accepted and earned you $5.01.");
      const admin = await factories.firstAdmin(server);
      await server.advance(8 * 24 * hour);
      await admin.post("/admin/payouts", { userId: ben.id, amountCents: 501 });
      expect([await earned(ann), await earned(ben)]).toEqual([500, 0]);
    },
  );

  it("a public playtest: each member is paid when the video is published", async () => {
    const known = await market(serve);
    const { server, owner, ann, ben, cleo } = known;
    server.deps.config.pricing.publicPayoutCents = 901;
    known.playtestId = await known.make({ visibility: "public" });
    const slotId = await submitted(known);
    await owner.acceptSlot({ params: { id: slotId } });
    await server.advance(0);
    expect(await Promise.all([ann, ben, cleo].map(earned))).toEqual([301, 300, 300]);
    expect((await titlesOf(ben))[0]).toBe("Video published");
  });

  it("final rejection: nobody earns, all are told, and nobody can claim it again", async () => {
    const known = await market(serve, { quantity: 2 });
    const { owner, ann, ben, dana, cleo } = known;
    await befriend(ben, cleo);
    await befriend(ben, dana);
    const slotId = await submitted(known);
    await owner.rejectSlot({ params: { id: slotId }, body: { reason: "No sound." } });
    expect(await Promise.all([ann, ben].map(earned))).toEqual([0, 0]);
    expect((await titlesOf(ben))[0]).toBe("Playtest rejected");
    expect([await offersTo(ann), await offersTo(ben)]).toEqual([[], []]);
  });

  it("a rejection with a retry: the team has the new slot with its shares and keys", async () => {
    const known = await market(serve, { keysForTesters: ["K1", "K2", "K3"] });
    const { server, owner, ann, ben } = known;
    const slotId = await submitted(known);
    await owner.rejectSlot({ params: { id: slotId }, body: { allowRetry: true } });
    const { slots } = await ben.listHeldSlots();
    const retry = slots.find(({ status }) => status === "reserved")!;
    expect([retry.keys, await teamOf(ben, retry.id)]).toEqual([
      ["K2"],
      ["ann confirmed 1000", "ben confirmed 1000", "cleo confirmed 1000"],
    ]);
    await factories.giveVideo(server, retry.id, ann);
    await ann.submitSlot({ params: { id: retry.id } });
    await owner.acceptSlot({ params: { id: retry.id } });
    expect(await earned(ben)).toBe(1000);
  });

  it("who did not claim is told, and reads, who submits for the team", async () => {
    const known = await market(serve);
    const { server, owner, ann, ben } = known;
    const slotId = await complete(known);
    const page = async (id: string) => (await (await signedIn(server, ben)).get(`/play/slots/${id}`)).html;
    expect(await page(slotId)).toContain("<strong>ann submits the video by <time");
    await ann.reportSlot({ params: { id: slotId }, body: { reasonCode: "key_invalid" } });
    expect(await page(slotId)).toMatch(/The problem ann reported.*The deadline is paused until the report is answered\./s);
    await owner.unblockSlot({ params: { id: slotId }, body: {} });
    await server.advance(72 * hour - server.deps.config.playtesters.remindBeforeMs);
    await factories.giveVideo(server, slotId, ann);
    await ann.submitSlot({ params: { id: slotId } });
    await owner.rejectSlot({ params: { id: slotId }, body: { reason: "No sound.", allowRetry: true } });
    expect(await page(slotId)).toContain("Your team can try again: ann submits another video by ");
    const toldTo = async (person: factories.Person) =>
      (await person.listNotifications({ query: { limit: "100" } })).notifications
        .filter(({ type }) => ["slot.reserved", "slot.due", "slot.submitted", "slot.rejected"].includes(type))
        .map(({ title, body }) => `${title}: ${body.replace(/\d{4}-\d\d-\d\d \d\d:\d\d UTC/g, "TIME")}`)
        .sort();
    expect(await toldTo(ben)).toEqual([
      "Deadline soon: ann has to submit the playtest video of your team for Lantern Deep before TIME.",
      "Playtest rejected: Your playtest of Lantern Deep was rejected: “No sound.” ann can submit another video before TIME.",
      "Slot reserved: A slot of Lantern Deep is reserved for your team. ann submits the video before TIME.",
      "Video received: The owner of Lantern Deep received the playtest video of your team for review.",
      "Your team can try again: A slot of Lantern Deep is reserved for the next video of your team. ann submits the video before TIME.",
    ]);
    expect(await toldTo(ann)).toEqual([
      "Deadline soon: Submit your playtest video of Lantern Deep before TIME.",
      "Playtest rejected: Your playtest of Lantern Deep was rejected: “No sound.” You can submit another video before TIME.",
      "Slot reserved: You reserved a playtest slot of Lantern Deep. Submit your video before TIME.",
      "Video received: The owner of Lantern Deep received your playtest video for review.",
      "You can try again: A slot of Lantern Deep is reserved for your next video. Submit it before TIME.",
    ]);
  });

  it("a member leaves: their key is nobody's any more, and the video waits for a replacement with a key of their own", async () => {
    const known = await market(serve, { keysForTesters: ["K1", "K2", "K3"] });
    const { server, owner, ann, ben, dana, playtestId } = known;
    const slotId = await complete(known);
    await ben.leaveTeam({ params: { id: slotId } });
    expect((await ben.get(`/playtester/slots/${slotId}`)).status).toBe(404);
    await factories.giveVideo(server, slotId, ann);
    const short = [
      409,
      "The team of this slot has 2 of 3 players. Nothing was submitted. Ask another friend, and submit when they have confirmed.",
    ];
    expect(refusal(await ann.post(`/playtester/slots/${slotId}/submit`))).toEqual(short);
    expect(refusal(await server.request("POST", `/sandbox/slots/${slotId}/play`, { body: {} }))).toEqual([
      409,
      "The team of this slot has 2 of 3 players. Nothing was submitted. As the playtester who claimed it, ask another friend, and confirm as that friend. Then play the slot again.",
    ]);
    const back = await team(ann, slotId, "replace", { with: "ben" });
    expect(refusal(back)).toEqual([409, "ben cannot claim this playtest. Nothing was changed. Name another friend."]);
    await ann.replaceTeamMember({ params: { id: slotId }, body: { with: "dana" } });
    expect((await slotOf(dana, slotId)).keys).toBeUndefined();
    expect(refusal(await team(dana, slotId, "confirm", { shareCents: 1000 }))[0]).toBe(409);
    await owner.post(`/playtests/${playtestId}/keys`, { keys: ["K4"] });
    await confirm(dana, slotId);
    expect([(await slotOf(ann, slotId)).keys, (await slotOf(dana, slotId)).keys]).toEqual([["K1"], ["K4"]]);
    await ann.submitSlot({ params: { id: slotId } });
    expect(refusal(await team(dana, slotId, "leave"))[0]).toBe(409);
    await owner.acceptSlot({ params: { id: slotId } });
    expect(await Promise.all([ann, ben, dana].map(earned))).toEqual([1000, 0, 1000]);
  });

  it("of two who replace members, the first to join is told that the team is not complete yet, and then that it is, and so is its claimant", async () => {
    const known = await market(serve);
    const { server, ann, ben, cleo, dana } = known;
    const slotId = await complete(known);
    const eve = await registerWithHandle(server, "eve");
    await befriend(ann, eve);
    const replace = (missing: string, friend: string) =>
      ann.replaceTeamMember({ params: { id: slotId }, body: { missing, with: friend } });
    let seen = 0;
    /** What was mailed since the last call. */
    const mailedSince = async () => {
      await server.advance(1000);
      const mails = server.mails.slice(seen);
      seen = server.mails.length;
      return mails.filter(({ subject }) => !subject.includes("will not playtest"));
    };
    const [browser, page] = [await signedIn(server, dana), `/play/slots/${slotId}`];
    await mailedSince();
    for (const person of [ben, cleo]) await person.leaveTeam({ params: { id: slotId } });
    await replace("ben", "dana");
    const [request] = await mailedSince();
    expect(request!.text).toContain("If you do not, ann can ask another friend.");
    const joined = await browser.submit(page, `${page}/team/confirm`);
    expect(joined.location).toBe(`${page}?done=joined`);
    expect((await browser.get(joined.location!)).html).toContain("It is not complete yet: others are still missing.");
    const told = await mailedSince();
    expect(told.map(({ subject }) => subject).sort()).toEqual([
      "You joined the team of ann for Lantern Deep",
      "dana joined your team for Lantern Deep",
    ]);
    const textTo = (name: string) => told.find(({ text }) => text.startsWith(`Hello ${name},`))!.text;
    expect(textTo("ann")).toContain(
      "dana confirmed, and plays Lantern Deep with you. Your team is not complete yet. Ask another friend first. Submit the video when all have confirmed, and before ",
    );
    expect(textTo("dana")).toContain("The team is not complete yet. ann submits the video when all have confirmed, and before ");
    const noticeOf = async (person: factories.Person) => (await person.get("/notifications")).body.data.notifications[0];
    for (const [person, who] of [
      [ann, "A friend joined your team"],
      [dana, "You joined the team of ann"],
    ] as const)
      expect(await noticeOf(person)).toMatchObject({
        title: "Team not complete yet",
        body: expect.stringMatching(new RegExp(`^${who}, and your slot .* Others are still missing`)),
      });
    await replace("cleo", "eve");
    await confirm(eve, slotId);
    for (const person of [ann, dana, eve])
      expect(await noticeOf(person)).toMatchObject({
        title: "Team complete",
        body: expect.stringMatching(/^Everybody confirmed, and your slot/),
      });
  });

  it("a slot has at most two game keys for each player: then nobody else can join its team before the owner gives it new ones", async () => {
    const known = await market(serve, { playerCount: 2, keysForTesters: ["K1", "K2"] });
    const { server, owner, ann, ben, cleo, dana, playtestId } = known;
    await owner.addPlaytestKeys({ params: { id: playtestId }, body: { keys: ["K3", "K4", "K5"] } });
    const slotId = await claimWith(ann, playtestId, "ben");
    await confirm(ben, slotId);
    const taken: unknown[] = [];
    let last = ben;
    const replace = async (other: factories.Person, handle: string) => {
      await last.leaveTeam({ params: { id: slotId } });
      const asked = await team(ann, slotId, "replace", { with: handle });
      if (asked.status !== 200) return refusal(asked);
      await confirm(other, slotId);
      last = other;
      return (await slotOf(other, slotId)).keys;
    };
    taken.push(await replace(cleo, "cleo"), await replace(dana, "dana"));
    const eve = await registerWithHandle(server, "eve");
    await befriend(ann, eve);
    taken.push(await replace(eve, "eve"));
    expect(taken).toEqual([
      ["K3"],
      ["K4"],
      [
        409,
        "This slot has had 4 game keys, the most for 2 players. Nothing was changed. Whoever claimed it can report a problem, so that its owner gives it new keys, or release it.",
      ],
    ]);
    // Of the new keys, one was given to nobody.
    await ann.reportSlot({ params: { id: slotId }, body: { reasonCode: "key_invalid" } });
    await owner.unblockSlot({ params: { id: slotId }, body: { keys: ["N1", "N2"] } });
    expect((await slotOf(ann, slotId)).keys).toEqual(["N1"]);
    await ann.replaceTeamMember({ params: { id: slotId }, body: { with: "eve" } });
    await confirm(eve, slotId);
    expect([(await slotOf(ann, slotId)).keys, (await slotOf(eve, slotId)).keys]).toEqual([["N1"], ["N2"]]);
    const { unused } = await owner.listPlaytestKeys({ params: { id: playtestId }, query: {} });
    expect(unused).toBe(1);
  });

  it("a key that a replacement takes from the open slots: the owner is told, once", async () => {
    const known = await market(serve, { playerCount: 2, quantity: 2, keysForTesters: ["K1", "K2", "K3", "K4"] });
    const { owner, ann, ben, cleo, dana, playtestId } = known;
    const low = async () => (await titlesOf(owner)).filter((title: string) => title === "Game keys running out").length;
    const slotId = await claimWith(ann, playtestId, "ben");
    await confirm(ben, slotId);
    const told = [await low()];
    let last = ben;
    for (const [other, handle] of [
      [cleo, "cleo"],
      [dana, "dana"],
    ] as const) {
      await last.leaveTeam({ params: { id: slotId } });
      await ann.replaceTeamMember({ params: { id: slotId }, body: { with: handle } });
      await confirm(other, slotId);
      told.push(await low());
      last = other;
    }
    expect(told).toEqual([0, 1, 1]);
  });

  it("a replacement who does not answer in time is missing again, and the slot stays", async () => {
    const known = await market(serve);
    const { server, ann, ben, dana } = known;
    const slotId = await complete(known);
    await ben.leaveTeam({ params: { id: slotId } });
    await ann.replaceTeamMember({ params: { id: slotId }, body: { with: "dana" } });
    await server.advance(12 * hour);
    expect([(await titlesOf(ann))[0], (await slotOf(ann, slotId)).status]).toEqual(["Team member missing", "reserved"]);
    expect((await dana.get(`/playtester/slots/${slotId}`)).status).toBe(404);
    await ann.replaceTeamMember({ params: { id: slotId }, body: { with: "dana" } });
    await confirm(dana, slotId);
    expect(await teamOf(ann, slotId)).toEqual([
      "ann confirmed 1000",
      "ben left 1000",
      "dana confirmed 1000",
      "cleo confirmed 1000",
    ]);
  });

  it("the claimant releases: the slot is replaced, all are told, and nobody of the team can claim it again", async () => {
    const known = await market(serve);
    const { ann, ben } = known;
    const slotId = await complete(known);
    expect(refusal(await team(ann, slotId, "leave"))[0]).toBe(409);
    expect(refusal(await ben.post(`/playtester/slots/${slotId}/release`))[0]).toBe(409);
    await ann.releaseSlot({ params: { id: slotId } });
    expect([(await slotOf(ben, slotId)).status, (await titlesOf(ben))[0]]).toEqual(["cancelled", "Team ended"]);
    expect((await slotOf(ben, slotId)).instructions).toBeUndefined();
    expect(await offersTo(ann)).toEqual([]);
  });

  it("the deadline passes: the slot expires for all, and a replacement opens", async () => {
    const known = await market(serve);
    const { server, ben, owner, playtestId } = known;
    const slotId = await complete(known);
    await server.advance(72 * hour);
    expect([(await slotOf(ben, slotId)).status, (await titlesOf(ben))[0]]).toEqual(["expired", "Slot expired"]);
    const { slots } = await owner.listSlots({ params: { id: playtestId } });
    expect(slots.map(({ status }) => status).sort()).toEqual(["expired", "open"]);
  });

  it("the owner cancels a slot that is held for a team: the price returns, and the team has ended", async () => {
    const { server, owner, ann, ben, playtestId } = await market(serve);
    const slotId = await claimWith(ann, playtestId, "ben", "cleo");
    expect(refusal(await server.request("POST", `/sandbox/slots/${slotId}/play`, { body: {} }))).toEqual([
      409,
      "This slot is held for a team of friends who have not all confirmed. Nothing was changed. Confirm as these playtesters, or advance the clock until the time to confirm is over.",
    ]);
    const { refundedCents } = await owner.deleteSlot({ params: { id: slotId } });
    expect([refundedCents > 0, (await titlesOf(ben))[0], (await titlesOf(ann))[0]]).toEqual([true, "Team ended", "Team ended"]);
    expect((await team(ben, slotId, "confirm", { shareCents: 1000 })).status).toBe(404);
  });

  it("a reported problem: members see its end, and new keys are dealt to all", async () => {
    const known = await market(serve, { keysForTesters: ["K1", "K2", "K3"] });
    const { owner, ann, ben } = known;
    const slotId = await complete(known);
    expect((await ben.post(`/playtester/slots/${slotId}/report`, { reasonCode: "crash" })).status).toBe(409);
    await ann.reportSlot({ params: { id: slotId }, body: { reasonCode: "key_invalid" } });
    await owner.unblockSlot({ params: { id: slotId }, body: { keys: ["N1", "N2", "N3"] } });
    expect([(await slotOf(ben, slotId)).keys, (await titlesOf(ben))[0]]).toEqual([["N2"], "Problem answered"]);
    const lastBody = async (person: factories.Person) => (await person.listNotifications()).notifications[0]!.body;
    const answered = "Continue your playtest of Lantern Deep before the new deadline.";
    expect([await lastBody(ann), await lastBody(ben)]).toEqual([
      `${answered} You have a new game key.`,
      `${answered} Your team has new game keys.`,
    ]);
  });

  /** A complete team whose claimant reported a problem, after Ben left it and Dana was asked in his place. */
  async function blocked(known: TeamMarket): Promise<string> {
    const { ann, ben } = known;
    const slotId = await complete(known);
    await ben.leaveTeam({ params: { id: slotId } });
    await ann.reportSlot({ params: { id: slotId }, body: { reasonCode: "crash" } });
    await ann.replaceTeamMember({ params: { id: slotId }, body: { with: "dana" } });
    return slotId;
  }

  it.for<[string, (known: TeamMarket, slotId: string) => Promise<unknown>, string, string]>([
    [
      "answered",
      ({ owner }, id) => owner.unblockSlot({ params: { id }, body: { message: "Fixed." } }),
      "Continue your playtest of Lantern Deep",
      "The problem that ann reported with Lantern Deep was answered, and the slot is your team's again.",
    ],
    [
      "cancelled",
      ({ owner }, id) => owner.deleteSlot({ params: { id } }),
      "Your slot of Lantern Deep was cancelled",
      "The owner of Lantern Deep cancelled the slot of your team because of the problem that ann reported.",
    ],
    [
      "not answered in time",
      ({ server }) => server.advance(14 * 24 * hour),
      "Your slot of Lantern Deep was cancelled",
      "The problem that ann reported with Lantern Deep was not answered in time, so the slot of your team was cancelled.",
    ],
  ])("a reported problem that is %s: all who play are mailed, each once", async ([, end, subject, text]) => {
    const known = await market(serve);
    const { server, ann, dana } = known;
    server.deps.config.multiplayer.confirmWithinMs = 20 * 24 * hour;
    const slotId = await blocked(known);
    await end(known, slotId);
    await server.advance(0);
    const mails = server.mails.filter((mail) => mail.subject === subject);
    expect(mails.map(({ to }) => to).sort()).toEqual(["playtester2@example.com", "playtester4@example.com"]);
    expect(mails.find(({ to }) => to === "playtester4@example.com")!.text).toContain(text);
    const isOver = subject.endsWith("cancelled");
    expect((await teamOf(ann, slotId))[2]).toBe(`dana ${isOver ? "expired" : "asked"} 1000`);
    expect((await titlesOf(dana))[0]).toBe(isOver ? "Team ended" : "Play with a friend");
  });

  it("a slot that expires ends what a friend was asked; who ends the friendship later declines nothing", async () => {
    const known = await market(serve, { quantity: 2 });
    const { server, owner, ann, dana } = known;
    server.deps.config.multiplayer.confirmWithinMs = 20 * 24 * hour;
    const slotId = await blocked(known);
    await owner.unblockSlot({ params: { id: slotId }, body: {} });
    await server.advance(0);
    server.clock.set(server.clock.now() + 72 * hour);
    const { friends } = await dana.listFriends();
    await dana.removeFriend({ params: { id: friends[0]!.id } });
    await server.advance(0);
    expect((await teamOf(ann, slotId))[2]).toBe("dana expired 1000");
    expect((await titlesOf(dana))[0]).toBe("Team ended");
    // That Ben left.
    expect((await titlesOf(ann)).filter((title: string) => title === "Team member missing")).toHaveLength(1);
  });

  it("a seat that is filled again has the share of whoever had it last, and all of them are paid", async () => {
    const known = await market(serve);
    const { server, owner, ann, ben, cleo, dana, playtestId } = known;
    const slotId = await claimWith(ann, playtestId, "ben", "cleo");
    await team(ben, slotId, "decline");
    await ann.replaceTeamMember({ params: { id: slotId }, body: { with: "dana" } });
    const shares = { shares: [{ handle: "dana", shareCents: 1500 }] };
    await server.request("PUT", `/playtester/slots/${slotId}/team/shares`, { key: ann.key, body: shares });
    await team(dana, slotId, "decline");
    await ann.replaceTeamMember({ params: { id: slotId }, body: { with: "ben" } });
    for (const person of [ben, cleo]) await confirm(person, slotId);
    await factories.giveVideo(server, slotId, ann);
    await ann.submitSlot({ params: { id: slotId } });
    await owner.acceptSlot({ params: { id: slotId } });
    expect(await Promise.all([ann, ben, cleo].map(earned))).toEqual([500, 1500, 1000]);
  });

  it("a claimant holds one slot of a playtest for a team", async () => {
    const { ann, make } = await market(serve);
    const playtestId = await make({ quantity: 2 });
    await claimWith(ann, playtestId, "ben", "cleo");
    expect(refusal(await claimOf(ann, playtestId, "ben", "cleo"))[0]).toBe(409);
  });

  it("a fixed time that is cancelled late while a member is missing: the others are paid, and each is told their share", async () => {
    const { server, owner, ann, ben, cleo, make } = await market(serve);
    const scheduledAt = new Date(server.clock.now() + 24 * hour).toISOString();
    const playtestId = await make({ scheduledAt });
    const named = [{ handle: "ben" }, { handle: "cleo" }];
    const { slot } = await ann.claimPlaytest({ params: { id: playtestId }, body: { scheduledAt, with: named } });
    for (const person of [ben, cleo]) await confirm(person, slot.id);
    await ben.leaveTeam({ params: { id: slot.id } });
    await server.advance(13 * hour);
    await owner.deleteSlot({ params: { id: slot.id } });
    expect(await Promise.all([ann, ben, cleo].map(earned))).toEqual([2000, 0, 1000]);
    const toldTo = async (person: factories.Person) =>
      (await person.listNotifications({})).notifications.filter(({ type }) => type === "slot.cancelled").map(({ body }) => body);
    expect(await toldTo(ann)).toEqual([expect.stringContaining("$20.00")]);
    expect(await toldTo(cleo)).toEqual([expect.stringContaining("$10.00")]);
  });

  it("a team that has not confirmed ends when the slots of its playtest close", async () => {
    const { server, ann, ben, make } = await market(serve);
    const scheduledAt = new Date(server.clock.now() + 14 * hour).toISOString();
    const playtestId = await make({ scheduledAt });
    await server.advance(10 * hour);
    const named = [{ handle: "ben" }, { handle: "cleo" }];
    const { slot } = await ann.claimPlaytest({ params: { id: playtestId }, body: { scheduledAt, with: named } });
    expect(slot.team!.confirmBy).toBe(scheduledAt);
    await server.advance(4 * hour);
    expect((await team(ben, slot.id, "confirm", { shareCents: 1000 })).status).not.toBe(200);
    const { notifications } = await ben.listNotifications({});
    expect(notifications[0]).toMatchObject({
      title: "Team ended",
      body: expect.stringContaining("closed before everybody confirmed"),
    });
  });

  it("a suspended member: cannot confirm, can be replaced, and the last to confirm learns who is missing", async () => {
    const known = await market(serve);
    const { server, ann, ben, cleo, dana, playtestId } = known;
    const admin = await factories.firstAdmin(server);
    const slotId = await claimWith(ann, playtestId, "ben", "cleo");
    await confirm(ben, slotId);
    await admin.suspendUser({ params: { id: ben.id }, body: {} });
    expect(refusal(await team(cleo, slotId, "confirm", { shareCents: 1000 }))).toEqual([
      409,
      "ben cannot claim this playtest any more. Nothing was changed. The team needs another member.",
    ]);
    await ann.replaceTeamMember({ params: { id: slotId }, body: { missing: "ben", with: "dana" } });
    for (const person of [cleo, dana]) await confirm(person, slotId);
    expect((await slotOf(dana, slotId)).status).toBe("reserved");
  });

  it("a friend who ends the friendship or blocks has declined; a complete team stays", async () => {
    const known = await market(serve);
    const { ann, ben, cleo, playtestId, make } = known;
    const slotId = await claimWith(ann, playtestId, "ben", "cleo");
    const { friends } = await ben.listFriends();
    await ben.removeFriend({ params: { id: friends[0]!.id } });
    await cleo.blockPlaytester({ body: { handle: "ann" } });
    expect(await teamOf(ann, slotId)).toEqual(["ann confirmed 1000", "ben declined 1000", "cleo declined 1000"]);
    await ann.releaseSlot({ params: { id: slotId } });
    await befriend(ann, ben);
    const other = await claimWith(ann, await make({ playerCount: 2 }), "ben");
    await confirm(ben, other);
    await ben.blockPlaytester({ body: { handle: "ann" } });
    expect(await teamOf(ben, other)).toEqual(["ann confirmed 1000", "ben confirmed 1000"]);
  });

  it("a member whose account is deleted declines, and the claimant is told and can ask another friend", async () => {
    const { server, ann, ben, cleo, dana, playtestId } = await market(serve);
    const slotId = await claimWith(ann, playtestId, "ben", "cleo");
    await confirm(ben, slotId);
    await ben.deleteAccount({ body: { password: "correct horse" } });
    await (await factories.firstAdmin(server)).deleteUser({ params: { id: cleo.id } });
    const { notifications } = await ann.listNotifications({ query: {} });
    expect(notifications.slice(0, 2).map(({ title, body }) => `${title}: ${body}`)).toEqual(
      Array(2).fill(
        "Team member missing: Deleted account declined to play. Ask another friend to playtest Lantern Deep with you.",
      ),
    );
    await server.advance(0);
    const absent = server.mails.filter(({ subject }) => subject.includes("will not playtest"));
    expect(absent.map(({ subject }) => subject)).toEqual(
      Array(2).fill("Deleted account will not playtest Lantern Deep with you"),
    );
    for (const { text } of absent) expect(text).toContain("\n\nDeleted account declined to play. Ask another friend");
    expect(await teamOf(ann, slotId)).toEqual(["ann confirmed 1000", "null declined 1000", "null declined 1000"]);
    await ann.replaceTeamMember({ params: { id: slotId }, body: { with: "dana" } });
    expect(await teamOf(dana, slotId)).toContain("dana asked 1000");
  });

  it("a claimant whose account is deleted ends the team, and the others are told; the slot is open again", async () => {
    const { ann, ben, cleo, dana, playtestId } = await market(serve);
    for (const other of [ben, cleo]) await befriend(dana, other);
    const slotId = await claimWith(ann, playtestId, "ben", "cleo");
    await confirm(ben, slotId);
    await ann.deleteAccount({ body: { password: "correct horse" } });
    for (const person of [ben, cleo]) {
      expect((await titlesOf(person))[0]).toBe("Team ended");
      expect((await person.get(`/playtester/slots/${slotId}`)).status).toBe(404);
    }
    expect(await claimWith(dana, playtestId, "ben", "cleo")).toBe(slotId);
  });

  it("a disputed payment holds the share of each member", async () => {
    const server = await serve({ config: teamsOn });
    server.deps.config.payouts.holdDays = 7;
    const owner = await factories.registerOwner(server, "Olive");
    const { paymentId } = (await owner.post("/billing/credit", { amountCents: 20_000 })).body.data;
    await server.request("POST", `/sandbox/payments/${paymentId}/complete`, { body: { outcome: "paid" } });
    const [ann, ben] = [await registerWithHandle(server, "ann"), await registerWithHandle(server, "ben")];
    await befriend(ann, ben);
    const slotId = await claimWith(
      ann,
      await factories.order(owner, await factories.createGame(owner), { playerCount: 2 }),
      "ben",
    );
    await confirm(ben, slotId);
    await factories.giveVideo(server, slotId, ann);
    await ann.submitSlot({ params: { id: slotId } });
    await owner.acceptSlot({ params: { id: slotId } });
    const held = async (person: factories.Person) => {
      const { balanceCents, heldCents, disputedCents } = await person.getEarnings();
      return [balanceCents, heldCents, disputedCents];
    };
    expect([await held(ann), await held(ben)]).toEqual([
      [1000, 1000, 0],
      [1000, 1000, 0],
    ]);
    await (await factories.firstAdmin(server)).chargebackPayment({ params: { id: paymentId } });
    for (const person of [ann, ben]) expect(await held(person)).toEqual([1000, 0, 1000]);
  });

  it("two teams that claim the only slot at once: one holds it, the other is refused", async () => {
    const { server, ann, ben, cleo, dana, make } = await market(serve);
    const erik = await registerWithHandle(server, "erik");
    await befriend(cleo, erik);
    const playtestId = await make({ playerCount: 2 });
    const replies = await Promise.all([claimOf(ann, playtestId, "ben"), claimOf(cleo, playtestId, "erik")]);
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 409]);
    const held = await Promise.all([ann, ben, cleo, dana, erik].map(async (one) => (await one.listHeldSlots()).slots.length));
    expect(held.reduce((sum, n) => sum + n)).toBe(2);
  });

  it("the last two confirm at once: the slot is reserved once, and each has a key", async () => {
    const known = await market(serve, { keysForTesters: ["K1", "K2", "K3"] });
    const { owner, ann, ben, cleo, playtestId } = known;
    const slotId = await claimWith(ann, playtestId, "ben", "cleo");
    const replies = await Promise.all([ben, cleo].map((one) => team(one, slotId, "confirm", { shareCents: 1000 })));
    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    const keys = await Promise.all([ann, ben, cleo].map(async (one) => (await slotOf(one, slotId)).keys));
    expect(keys).toEqual([["K1"], ["K2"], ["K3"]]);
    const { notifications } = (await owner.get("/notifications")).body.data;
    expect(notifications.filter(({ type }: { type: string }) => type === "slot.reserved")).toHaveLength(1);
  });

  it("a team that waits counts as a slot held, for the claimant and for who confirmed", async () => {
    const known = await market(serve);
    const { server, ann, ben, cleo, dana, make } = known;
    server.deps.config.playtesters.maxReserved = 1;
    const two = [await make({ playerCount: 2 }), await make({ playerCount: 2 })];
    const slotId = await claimWith(ann, two[0]!, "ben");
    expect(refusal(await claimOf(ann, two[1]!, "cleo"))).toEqual([
      409,
      "You already hold 1 slot, the maximum. Submit or release one first. Nothing was claimed.",
    ]);
    await confirm(ben, slotId);
    await befriend(cleo, ben);
    expect(refusal(await claimOf(cleo, two[1]!, "ben"))[1]).toBe(
      "ben cannot claim this playtest. Nothing was changed. Name another friend.",
    );
    expect((await dana.listOffers()).playtests).toEqual([]);
  });

  it("deletion of a member's account: refused while their slot is unfinished; a request counts as declined", async () => {
    const known = await market(serve);
    const { ann, ben, cleo, dana, make } = known;
    const slotId = await complete(known);
    const remove = (person: factories.Person) => person.post("/auth/delete-account", { password: "correct horse" });
    const refused = await remove(ben);
    expect(refusal(refused)[0]).toBe(409);
    expect(refused.text).toContain("1 slot of friends not finished: leave their teams, or wait until they are reviewed.");
    await cleo.leaveTeam({ params: { id: slotId } });
    expect((await remove(cleo)).status).toBe(200);
    const asked = await claimWith(ann, await make({ playerCount: 2 }), "dana");
    expect((await remove(dana)).status).toBe(200);
    const { team: left } = await slotOf(ann, asked);
    expect(left!.members.map(({ displayName, status }) => `${displayName} ${status}`)).toEqual([
      "ann confirmed",
      "Deleted account declined",
    ]);
    expect((await ann.listFriends()).friends.map(({ handle }) => handle)).toEqual(["ben"]);
  });
});
