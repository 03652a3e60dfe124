import { expect } from "vitest";
import { faultsAt } from "../../server/playtests/publications/store.ts";
import { onBothDatabases } from "../helpers/each.ts";
import * as factories from "../helpers/factories.ts";
import { befriend, claimWith, confirm, registerWithHandle, teamsOn } from "../helpers/friends.ts";
import { Platform } from "../helpers/platform.ts";
import { signedIn } from "../helpers/portal.ts";

const payoutCents = 300;
type Serve = Parameters<Parameters<typeof onBothDatabases>[1]>[0];

/** A server that publishes on a platform and pays for public playtests. */
async function scene(serve: Serve) {
  const server = await serve({
    config(config) {
      teamsOn(config);
      config.publishing.to = "youtube";
      config.pricing.publicPayoutCents = payoutCents;
    },
  });
  const platform = new Platform();
  server.deps.publishers.youtube = platform;
  const owner = await factories.registerOwner(server, "Olive");
  const tester = await factories.registerPlaytester(server, "Tess");
  await server.deps.store.write((tx) => tx.run("UPDATE users SET email_verified_at = 1 WHERE id = ?", owner.id));
  const gameId = await factories.createGame(owner);
  const make = (more: Record<string, unknown> = {}) => factories.order(owner, gameId, { visibility: "public", ...more });
  const claimed = async (playtestId: string) => (await tester.claimPlaytest({ params: { id: playtestId } })).slot.id;
  return { server, platform, owner, tester, gameId, make, claimed };
}
type Scene = Awaited<ReturnType<typeof scene>>;

const withdraw = (person: factories.Person, slotId: string, reason?: string) =>
  person.post(`/playtester/slots/${slotId}/unpublish`, reason === undefined ? {} : { reason });
const earned = async (person: factories.Person) => (await person.getEarnings()).balanceCents;

async function submit({ server, tester }: Scene, slotId: string): Promise<void> {
  await factories.giveVideo(server, slotId, tester);
  await tester.submitSlot({ params: { id: slotId } });
}

/** A free trial that an admin approved, with a submission. */
async function trial(known: Scene) {
  const admin = await factories.firstAdmin(known.server);
  const playtestId = await known.make({ isFreePublicTrial: true });
  await admin.post(`/admin/playtests/${playtestId}/approve`);
  const slotId = await known.claimed(playtestId);
  await submit(known, slotId);
  return { admin, slotId };
}

/** The slot was accepted and paid, and nothing of its video was published anywhere. */
async function expectUnpublished({ server, platform, owner }: Scene, slotId: string): Promise<void> {
  await server.advance(0);
  const { slot } = await owner.getSlot({ params: { id: slotId } });
  expect([slot.status, slot.publishedUrl, slot.publication?.state]).toEqual(["accepted", null, "removed"]);
  expect([platform.calls, platform.videos.size]).toEqual([[], 0]);
  expect((await server.request("GET", `//watch/${slotId}`)).status).toBe(410);
  expect((await server.request("GET", "//watch")).text).not.toContain(slotId);
  expect(await server.deps.store.read((q) => faultsAt(q, server.clock.now()))).toEqual([]);
  expect(await factories.ledgerFaults(server)).toEqual([]);
}

onBothDatabases("consent that is withdrawn before the video is accepted", (serve, it) => {
  it.for<[string, (known: Scene, slotId: string) => Promise<unknown>]>([
    ["before a video is submitted", async (known, slotId) => withdraw(known.tester, slotId, "My voice.")],
    [
      "while a problem is reported",
      async ({ tester, owner }, slotId) => {
        await tester.reportSlot({ params: { id: slotId }, body: { reasonCode: "crash" } });
        await withdraw(tester, slotId, "My voice.");
        await owner.unblockSlot({ params: { id: slotId } });
      },
    ],
    [
      "after the submission",
      async (known, slotId) => {
        await submit(known, slotId);
        await withdraw(known.tester, slotId, "My voice.");
      },
    ],
  ])("%s: the owner is told, and the accepted video is paid and not published", async ([, act]) => {
    const known = await scene(serve);
    const { server, owner, tester, make, claimed } = known;
    const slotId = await claimed(await make());
    await act(known, slotId);
    const { consentWithdrawnAt, status } = (await tester.getHeldSlot({ params: { id: slotId } })).slot;
    expect(consentWithdrawnAt).toBe("2026-03-01T12:00:00.000Z");
    if (status === "reserved") await submit(known, slotId);
    const { notifications } = await owner.listNotifications({});
    expect(notifications.filter(({ type }) => type === "slot.consent_withdrawn").map(({ body }) => body)).toEqual([
      "Tess withdrew the consent to publish the video of Lantern Deep. It will not be published; you review it as usual.",
    ]);
    await server.advance(1000);
    const mail = server.mails.find(({ subject }) => subject === "Tess does not want a video of Lantern Deep to be published")!;
    expect(mail.text).toContain("My voice.");
    const { message } = await owner.acceptSlot({ params: { id: slotId } });
    expect(message).toBe(
      "Submission accepted. The video is not published, because the consent to that was withdrawn. The playtester earned $3.00.",
    );
    await expectUnpublished(known, slotId);
    expect(await earned(tester)).toBe(payoutCents);
    const { publication, publicationConsent } = (await owner.getSlot({ params: { id: slotId } })).slot;
    expect(publication!.reason).toBe("The playtester withdrew the consent to publish it. The reason: My voice.");
    expect(publicationConsent!.withdrawnAt).toBe(consentWithdrawnAt);
    expect((await tester.listNotifications({})).notifications[0]!.body).toContain("earned you $3.00");
  });

  it("of a free trial: it is paid when an admin approved it, and not published", async () => {
    const known = await scene(serve);
    const { owner, tester } = known;
    const { admin, slotId } = await trial(known);
    await owner.acceptSlot({ params: { id: slotId } });
    expect((await withdraw(tester, slotId)).status).toBe(200);
    expect([(await owner.getSlot({ params: { id: slotId } })).slot.status, await earned(tester)]).toEqual(["publishing", 0]);
    expect((await admin.post(`/admin/slots/${slotId}/approve`)).status).toBe(200);
    await expectUnpublished(known, slotId);
    expect(await earned(tester)).toBe(payoutCents);
  });

  it("of a free trial before the owner accepts: nobody is told that it will be published", async () => {
    const known = await scene(serve);
    const { server, owner, tester } = known;
    const { admin, slotId } = await trial(known);
    await withdraw(tester, slotId);
    const review = async () => (await (await signedIn(server, owner, "/studio")).get(`/studio/slots/${slotId}`)).html;
    expect(await review()).toContain("<strong>$3.00</strong> when an administrator has approved the video.");
    expect(await review()).not.toContain("Accept and pay");
    const { message } = await owner.acceptSlot({ params: { id: slotId } });
    expect(message).toBe(
      "Submission accepted. The video is not published, because the consent to that was withdrawn. The playtester is paid after an admin approves it.",
    );
    expect((await tester.listNotifications({})).notifications[0]!.body).toBe(
      "Your playtest of Lantern Deep was accepted. You earn $3.00 when an administrator has approved it.",
    );
    await server.advance(0);
    const letter = server.mails.find(({ subject }) => subject === "Your playtest of Lantern Deep was accepted")!;
    expect(letter.text).toContain("You earn $3.00 when an administrator has approved the video. It is not published.");
    await admin.post(`/admin/slots/${slotId}/approve`);
    expect(await earned(tester)).toBe(payoutCents);
  });

  it("by a member of a team: it is not published, and everybody is paid", async () => {
    const known = await scene(serve);
    const { server, owner, tester, make } = known;
    await tester.updatePlaytesterProfile({ body: { handle: "tess" } });
    const [ben, cleo] = [await registerWithHandle(server, "ben"), await registerWithHandle(server, "cleo")];
    for (const friend of [ben, cleo]) await befriend(tester, friend);
    const slotId = await claimWith(tester, await make({ playerCount: 2 }), "ben");
    expect((await withdraw(ben, slotId)).status).toBe(409);
    await confirm(ben, slotId);
    expect((await withdraw(cleo, slotId)).status).toBe(404);
    expect((await withdraw(ben, slotId)).status).toBe(200);
    await submit(known, slotId);
    await owner.acceptSlot({ params: { id: slotId } });
    await expectUnpublished(known, slotId);
    expect([await earned(tester), await earned(ben)]).toEqual([150, 150]);
  });

  it("a member of a team deletes their account: the video is public no longer, and shares do not show it", async () => {
    const known = await scene(serve);
    const { server, owner, tester, platform, make } = known;
    // Whoever has earnings cannot delete their account.
    server.deps.config.pricing.publicPayoutCents = 0;
    await tester.updatePlaytesterProfile({ body: { handle: "tess" } });
    const ben = await registerWithHandle(server, "ben");
    await befriend(tester, ben);
    const playtestId = await make({ playerCount: 2 });
    const slotId = await claimWith(tester, playtestId, "ben");
    await confirm(ben, slotId);
    await submit(known, slotId);
    await owner.acceptSlot({ params: { id: slotId } });
    await server.advance(0);
    const { url } = (await owner.post(`/slots/${slotId}/shares`, {})).body.data.share;
    const shared = async () => (await server.request("GET", `/${new URL(url).pathname}`)).status;
    expect([platform.videos.size, await shared()]).toEqual([1, 200]);
    expect((await ben.post("/auth/delete-account", { password: "correct horse" })).status).toBe(200);
    await server.advance(0);
    expect([platform.videos.size, await shared()]).toEqual([0, 404]);
    expect((await server.request("GET", `//watch/${slotId}`)).status).toBe(410);
  });

  it("a team whose members did not consent to the same: the video is on the server's own page", async () => {
    const known = await scene(serve);
    const { server, owner, tester, platform, make } = known;
    await tester.updatePlaytesterProfile({ body: { handle: "tess" } });
    const ben = await registerWithHandle(server, "ben");
    await befriend(tester, ben);
    server.deps.config.publishing.to = "own";
    const slotId = await claimWith(tester, await make({ playerCount: 2 }), "ben");
    server.deps.config.publishing.to = "youtube";
    await confirm(ben, slotId);
    await submit(known, slotId);
    await owner.acceptSlot({ params: { id: slotId } });
    await server.advance(0);
    expect([platform.calls, (await server.request("GET", `//watch/${slotId}`)).status]).toEqual([[], 200]);
  });

  it("stays withdrawn for another attempt, and is refused twice, after the end and for a private playtest", async () => {
    const known = await scene(serve);
    const { owner, server, tester, make, claimed } = known;
    const slotId = await claimed(await make());
    await submit(known, slotId);
    await withdraw(tester, slotId);
    expect((await withdraw(tester, slotId)).body.error.message).toBe(
      "You have withdrawn your consent already. Nothing was changed.",
    );
    await owner.rejectSlot({ params: { id: slotId }, body: { allowRetry: true } });
    const unpublished = "The video of this slot is not published. Nothing was changed.";
    expect((await withdraw(tester, slotId)).body.error.message).toBe(unpublished);
    const { slots } = await tester.listHeldSlots({ query: { state: "active" } });
    const retry = slots[0]!.id;
    await submit(known, retry);
    await owner.acceptSlot({ params: { id: retry } });
    await expectUnpublished(known, retry);
    await factories.giveCredit(server, owner, 100_000);
    const secret = await claimed(await make({ visibility: "private" }));
    expect((await withdraw(tester, secret)).body.error.message).toBe(unpublished);
  });

  it("at the same time as it is accepted: it is paid once, and nobody can watch it in the end", async () => {
    const known = await scene(serve);
    const { server, owner, tester, make, claimed, platform } = known;
    const slotId = await claimed(await make());
    await submit(known, slotId);
    const replies = await Promise.all([withdraw(tester, slotId), owner.post(`/slots/${slotId}/accept`)]);
    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    await server.advance(60_000);
    const { slot } = await owner.getSlot({ params: { id: slotId } });
    expect([slot.status, slot.publishedUrl, slot.publication!.state]).toEqual(["accepted", null, "removed"]);
    expect([platform.videos.size, await earned(tester)]).toEqual([0, payoutCents]);
  });

  it("in the portal: the page says what follows, and then that the video will not be public", async () => {
    const known = await scene(serve);
    const { server, owner, tester, make, claimed } = known;
    const slotId = await claimed(await make());
    const tess = await signedIn(server, tester);
    const page = `/play/slots/${slotId}`;
    const before = (await tess.get(page)).html;
    expect(before).toContain("your video will be public");
    expect(before).toContain("the video is not published then. If the owner accepts it, you are paid as usual.");
    const done = await tess.submit(page, `${page}/unpublish`, { why: "My voice." });
    const after = (await tess.get(done.location!)).html;
    expect(after).toContain("You withdrew your consent. The video is not published.");
    expect(after).toContain("your video will not be public");
    expect(after).not.toContain("Withdraw from publication");
    await submit(known, slotId);
    const olive = await signedIn(server, owner, "/studio");
    const review = (await olive.get(`/studio/slots/${slotId}`)).html;
    expect(review).toContain("not published: the consent to it was withdrawn");
    expect(review).toContain("Accept and pay $3.00");
  });
});
