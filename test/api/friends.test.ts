import { expect } from "vitest";
import { onBothDatabases } from "../helpers/each.ts";
import { firstAdmin, type Person } from "../helpers/factories.ts";
import { befriend, nameHandle, registerWithHandle } from "../helpers/friends.ts";
import type { Reply, TestServer } from "../helpers/server.ts";

/** Lines such as `ben connected`, oldest first. */
const listOf = async (person: Person) =>
  (await person.listFriends()).friends
    .reverse()
    .map(({ handle, status, displayName }) => `${handle} ${status}${displayName === null ? "" : ` (${displayName})`}`);
const refusal = ({ status, body }: Reply) => [status, body.error.details?.[0]?.message ?? body.error.message];
const askFor = (person: Person, handle: string) => person.post("/playtester/friends", { handle });
const entryOf = async (person: Person, handle: string) =>
  (await person.listFriends()).friends.find((friend) => friend.handle === handle)!.id;
const noticesOf = async (person: Person) =>
  (await person.get("/notifications")).body.data.notifications.map((n: { title: string }) => n.title);

const day = 86_400_000;

async function people(server: TestServer) {
  return { ann: await registerWithHandle(server, "ann"), ben: await registerWithHandle(server, "ben") };
}

onBothDatabases("friends", (_serve, it) => {
  it("a request that is accepted makes both friends, and both are told", async ({ server }) => {
    const { ann, ben } = await people(server);
    await ann.requestFriend({ body: { handle: "ben" } });
    expect([await listOf(ann), await listOf(ben)]).toEqual([["ben sent"], ["ann received (ann)"]]);
    expect(await noticesOf(ben)).toEqual(["Friend request"]);
    await ben.acceptFriend({ params: { id: await entryOf(ben, "ann") } });
    expect([await listOf(ann), await listOf(ben)]).toEqual([["ben connected (ben)"], ["ann connected (ann)"]]);
    expect(await noticesOf(ann)).toEqual(["Friend request accepted"]);
  });

  it("two requests that meet make both friends, and a repeated one changes nothing", async ({ server }) => {
    const { ann, ben } = await people(server);
    await ann.requestFriend({ body: { handle: "ben" } });
    await ann.requestFriend({ body: { handle: "ben" } });
    expect(await noticesOf(ben)).toEqual(["Friend request"]);
    await ben.requestFriend({ body: { handle: "ann" } });
    expect([await listOf(ann), await listOf(ben)]).toEqual([["ben connected (ben)"], ["ann connected (ann)"]]);
  });

  it("either side ends it, or withdraws a request", async ({ server }) => {
    const { ann, ben } = await people(server);
    await ann.requestFriend({ body: { handle: "ben" } });
    const withdrawn = await ann.removeFriend({ params: { id: await entryOf(ann, "ben") } });
    expect(withdrawn).toEqual({ message: "The request was withdrawn." });
    expect([await listOf(ann), await listOf(ben)]).toEqual([[], []]);
    await befriend(ann, ben);
    const { message } = await ben.removeFriend({ params: { id: await entryOf(ben, "ann") } });
    expect([message, await listOf(ann), await listOf(ben)]).toEqual(["You are no longer friends.", [], []]);
  });

  it("a declined request looks sent to who asked, and arrives again only after 7 days", async ({ server }) => {
    const { ann, ben } = await people(server);
    const decline = async () => ben.removeFriend({ params: { id: await entryOf(ben, "ann") } });
    const sent = await ann.requestFriend({ body: { handle: "ben" } });
    expect(await decline()).toEqual({ message: "The request was declined. They were not told." });
    expect([(await ann.listFriends()).friends, await listOf(ben)]).toEqual([[sent.friend], []]);
    const again = async (after: number) => {
      await server.advance(after);
      const repeated = await ann.requestFriend({ body: { handle: "ben" } });
      return [repeated.friend.status, await listOf(ben), (await noticesOf(ben)).length];
    };
    expect(await again(0)).toEqual(["sent", [], 1]);
    // Withdrawn and sent anew, it does not arrive either.
    await ann.removeFriend({ params: { id: await entryOf(ann, "ben") } });
    expect(await again(7 * day - 1)).toEqual(["sent", [], 1]);
    expect(await again(1)).toEqual(["sent", ["ann received (ann)"], 2]);
    await decline();
    expect(await again(day)).toEqual(["sent", [], 2]);
    expect(await again(6 * day)).toEqual(["sent", ["ann received (ann)"], 3]);
  });

  it("who declined can still ask, which makes both friends", async ({ server }) => {
    const { ann, ben } = await people(server);
    await ann.requestFriend({ body: { handle: "ben" } });
    await ben.removeFriend({ params: { id: await entryOf(ben, "ann") } });
    await ben.requestFriend({ body: { handle: "ann" } });
    expect([await listOf(ann), await listOf(ben)]).toEqual([["ben connected (ben)"], ["ann connected (ann)"]]);
    // After the friendship, a request is a new one.
    await ben.removeFriend({ params: { id: await entryOf(ben, "ann") } });
    await ann.requestFriend({ body: { handle: "ben" } });
    expect(await listOf(ben)).toEqual(["ann received (ann)"]);
  });

  it("a request that is withdrawn and sent again arrives, and is told once in 7 days", async ({ server }) => {
    const { ann, ben } = await people(server);
    const seen: unknown[] = [];
    for (const after of [0, 0, 7 * day]) {
      await server.advance(after);
      await ann.requestFriend({ body: { handle: "ben" } });
      seen.push([await listOf(ben), (await noticesOf(ben)).length]);
      await ann.removeFriend({ params: { id: await entryOf(ann, "ben") } });
    }
    expect(seen).toEqual([1, 1, 2].map((told) => [["ann received (ann)"], told]));
  });

  it("a request that a block kept away makes both friends when the other one asks", async ({ server }) => {
    const { ann, ben } = await people(server);
    await ben.blockPlaytester({ body: { handle: "ann" } });
    await ann.requestFriend({ body: { handle: "ben" } });
    await ben.removeFriend({ params: { id: await entryOf(ben, "ann") } });
    await ben.requestFriend({ body: { handle: "ann" } });
    expect([await listOf(ann), await listOf(ben)]).toEqual([["ben connected (ben)"], ["ann connected (ann)"]]);
    expect(await noticesOf(ann)).toEqual(["Friend request accepted"]);
  });

  it("whoever is blocked is not told, and a request of theirs arrives only after they are unblocked", async ({ server }) => {
    const { ann, ben } = await people(server);
    await befriend(ann, ben);
    await ben.blockPlaytester({ body: { handle: "ann" } });
    expect([await listOf(ann), await listOf(ben)]).toEqual([[], ["ann blocked"]]);
    const sent = await askFor(ann, "ben");
    expect([sent.status, await listOf(ann), await listOf(ben)]).toEqual([201, ["ben sent"], ["ann blocked"]]);
    expect(await noticesOf(ben)).toEqual(["Friend request"]);
    expect(refusal(await askFor(ben, "ann"))).toEqual([
      409,
      "You blocked this playtester. Nothing was sent. Unblock them first.",
    ]);
    await ben.removeFriend({ params: { id: await entryOf(ben, "ann") } });
    await ann.requestFriend({ body: { handle: "ben" } });
    expect(await listOf(ben)).toEqual(["ann received (ann)"]);
  });

  it("a handle belongs to one playtester, and who has none cannot ask", async ({ server, playtester }) => {
    const { ann } = await people(server);
    const wrong = await playtester.patch("/playtester/profile", { handle: "Ann Lee" });
    expect([wrong.status, wrong.body.error.details[0].field]).toEqual([422, "handle"]);
    expect(refusal(await playtester.patch("/playtester/profile", { handle: "ben" }))).toEqual([
      409,
      "Another playtester has this handle. Nothing was changed. Choose another one.",
    ]);
    expect(refusal(await askFor(playtester, "ann"))).toEqual([
      409,
      "You have no handle, so they could not see who asks. Nothing was sent. Choose a handle first.",
    ]);
    expect(refusal(await askFor(ann, "nobody"))).toEqual([422, "is not the handle of a playtester"]);
    expect(refusal(await askFor(ann, "ann"))).toEqual([422, "is your own"]);
    await nameHandle(ann, "ann-lee");
    await nameHandle(playtester, "ann");
    const { profile } = await playtester.getPlaytesterProfile();
    expect(profile).toEqual({ handle: "ann", link: `${server.deps.config.baseUrl}/play/friends?add=ann`, available: true });
  });

  it("nobody's notifications name a deleted account, however the friendship or request ended", async ({ server }) => {
    const admin = await firstAdmin(server);
    const { ann, ben } = await people(server);
    const others = [];
    for (const handle of ["cleo", "dana", "eli", "finn"]) others.push(await registerWithHandle(server, handle));
    const [cleo, dana, eli, finn] = others as [Person, Person, Person, Person];
    const end = async (person: Person, handle: string) => person.removeFriend({ params: { id: await entryOf(person, handle) } });
    await befriend(ann, ben);
    await end(ben, "ann");
    await befriend(cleo, ann);
    await end(ann, "cleo");
    await ann.requestFriend({ body: { handle: "dana" } });
    await end(ann, "dana");
    await befriend(ann, eli);
    await eli.blockPlaytester({ body: { handle: "ann" } });
    await end(eli, "ann");
    await ann.requestFriend({ body: { handle: "finn" } });
    await finn.blockPlaytester({ body: { handle: "ann" } });
    expect((await admin.delete(`/admin/users/${ann.id}`)).status).toBe(200);
    const asked = "Deleted account wants to play with you.";
    const accepted = "Deleted account accepted your request.";
    const told = await Promise.all(
      [ben, cleo, dana, eli, finn].map(async (person) => (await person.listNotifications({})).notifications),
    );
    expect(told.map((all) => all.map(({ body }) => body))).toEqual([[asked], [accepted], [asked], [asked], [asked]]);
  });

  it("friends see who is available", async ({ server }) => {
    const { ann, ben } = await people(server);
    await befriend(ann, ben);
    const seen = async () => (await ann.listFriends()).friends.map(({ available }) => available);
    expect(await seen()).toEqual([true]);
    await ben.updatePlaytesterProfile({ body: { available: false } });
    expect(await seen()).toEqual([false]);
  });

  it("an entry of somebody else is not found", async ({ server, playtester }) => {
    const { ann, ben } = await people(server);
    await ann.requestFriend({ body: { handle: "ben" } });
    const id = await entryOf(ben, "ann");
    expect((await playtester.post(`/playtester/friends/${id}/accept`)).status).toBe(404);
    expect((await playtester.delete(`/playtester/friends/${id}`)).status).toBe(404);
    const own = await ann.post(`/playtester/friends/${await entryOf(ann, "ben")}/accept`);
    expect(refusal(own)).toEqual([409, "This is not a request that waits for you. Nothing was changed."]);
  });

  it("there is a maximum of entries, and a request to somebody without room does not arrive", async ({ server }) => {
    const { ann, ben } = await people(server);
    const cleo = await registerWithHandle(server, "cleo");
    server.deps.config.multiplayer.maxFriends = 1;
    await ann.requestFriend({ body: { handle: "ben" } });
    expect(refusal(await askFor(ann, "cleo"))[0]).toBe(409);
    await cleo.requestFriend({ body: { handle: "ben" } });
    expect([await listOf(cleo), await listOf(ben)]).toEqual([["ben sent"], ["ann received (ann)"]]);
  });
});
