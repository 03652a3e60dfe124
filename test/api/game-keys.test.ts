import { expect } from "vitest";
import { ensureAdmin } from "../../server/accounts/service.ts";
import { onBothDatabases } from "../helpers/each.ts";
import * as factories from "../helpers/factories.ts";
import type { Reply, TestServer } from "../helpers/server.ts";

const hour = 3_600_000;

async function market(server: TestServer) {
  const owner = await factories.registerOwner(server, "Olive");
  await factories.giveCredit(server, owner, 100_000);
  const gameId = await factories.createGame(owner);
  const testers = [];
  for (const name of ["Ann", "Ben", "Cleo"]) testers.push(await factories.registerPlaytester(server, name));
  const [ann, ben, cleo] = testers as [factories.Person, factories.Person, factories.Person];
  return { owner, gameId, ann, ben, cleo };
}

const keysSeen = async (person: factories.Person, slotId: string) =>
  (await person.getHeldSlot({ params: { id: slotId } })).slot.keys as string[] | undefined;
const claimOf = (person: factories.Person, playtestId: string) => person.post(`/playtester/playtests/${playtestId}/claim`);
const offersTo = async (person: factories.Person) =>
  ((await person.listOffers()).playtests as { id: string; slotsOpen: number }[]).map(({ id, slotsOpen }) => [id, slotsOpen]);
const keyList = async (owner: factories.Person, id: string, query = "") =>
  (await owner.get(`/playtests/${id}/keys${query}`)).body.data;
const rowsOf = async (owner: factories.Person, id: string) =>
  (await keyList(owner, id, "?reveal=true")).keys.map(({ key, status }: { key: string; status: string }) => `${key} ${status}`);
const refusal = ({ status, body }: Reply) => [status, body.error.details?.[0] ?? body.error.message];
const noneLeft = "No game keys are left for this playtest. Nothing was changed. Its slots open again when the owner adds keys.";

const endings: [string, (server: TestServer, person: factories.Person, slotId: string) => Promise<unknown>][] = [
  ["expired", (server) => server.advance(24 * hour)],
  ["released", (_, person, slotId) => person.post(`/playtester/slots/${slotId}/release`)],
  [
    "released while blocked for its key",
    async (_, person, slotId) => {
      await person.reportSlot({ params: { id: slotId }, body: { reasonCode: "key_invalid" } });
      await person.releaseSlot({ params: { id: slotId } });
    },
  ],
];

onBothDatabases("game keys", (serve, it) => {
  it.each(endings)("slot that was %s: its key is retired, and the slot is hidden until the owner adds one", async (_, end) => {
    const server = await serve();
    const { owner, gameId, ann, ben } = await market(server);
    const id = await factories.order(owner, gameId, { keysForTesters: ["AAAA-BBBB"] });
    const slotId = await factories.claim(ann, id);
    expect(await keysSeen(ann, slotId)).toEqual(["AAAA-BBBB"]);
    await end(server, ann, slotId);
    expect(await keysSeen(ann, slotId)).toBeUndefined();
    expect(await offersTo(ben)).toEqual([]);
    expect(refusal(await claimOf(ben, id))).toEqual([409, noneLeft]);
    expect((await owner.getDashboardStats()).playtestsLackingKeys).toBe(1);

    const added = await owner.post(`/playtests/${id}/keys`, { keys: ["CCCC-DDDD"] });
    expect([added.status, added.body.data]).toEqual([200, { added: 1, unused: 1, needed: 1 }]);
    expect((await owner.getDashboardStats()).playtestsLackingKeys).toBe(0);
    expect(await offersTo(ben)).toEqual([[id, 1]]);
    expect(await keysSeen(ben, await factories.claim(ben, id))).toEqual(["CCCC-DDDD"]);
    expect(await rowsOf(owner, id)).toEqual(["AAAA-BBBB retired", "CCCC-DDDD given"]);
  });

  it("running out: the owner gets an event, a notification and an email, once", async ({ server }) => {
    const { owner, gameId, ann, ben, cleo } = await market(server);
    const id = await factories.order(owner, gameId, { quantity: 2, keysForTesters: ["K-1", "K-2"] });
    await owner.addPlaytestKeys({ params: { id }, body: { keys: ["K-3"] } });
    const slots = [await factories.claim(ann, id), await factories.claim(ben, id)];
    const eventsOf = async () =>
      (await owner.get("/events?limit=100")).body.data.events.filter(
        ({ event }: { event: string }) => event === "playtest.keys_low",
      );
    // One spare key is left for it.
    await ann.post(`/playtester/slots/${slots[0]}/release`);
    expect([await eventsOf(), await offersTo(cleo)]).toEqual([[], [[id, 1]]]);
    await ben.post(`/playtester/slots/${slots[1]}/release`);
    expect((await eventsOf()).map(({ data }: { data: object }) => data)).toEqual([
      { playtestId: id, gameId, unused: 1, needed: 2 },
    ]);
    expect(await offersTo(cleo)).toEqual([[id, 1]]);
    // One key fewer: they were too few before.
    await cleo.releaseSlot({ params: { id: await factories.claim(cleo, id) } });
    expect([await eventsOf(), await offersTo(cleo)]).toMatchObject([[{}], []]);
    const { notifications } = await owner.listNotifications({ query: { limit: 100 } });
    expect(notifications.filter(({ type }: { type: string }) => type === "playtest.keys_low")).toMatchObject([
      {
        title: "Game keys running out",
        body: "The open slots of a playtest of Lantern Deep need more game keys (1 of 2 left). Add keys so that playtesters can claim them.",
      },
    ]);
    await server.advance(0);
    const [mail, ...more] = server.mails.filter(({ subject }) => subject.startsWith("Game keys are running out"));
    expect([mail!.to, more]).toEqual(["game_owner1@example.com", []]);
    expect(mail!.text).toContain("The open slots need 2 keys, and 1 is left.");
    expect(mail!.text).toContain(
      `Add keys on the page of the playtest.\n\nSee the playtest:\n${server.baseUrl}/studio/playtests/${id}\n`,
    );
    expect([mail!.text, mail!.html, JSON.stringify(await eventsOf())].join()).not.toMatch(/K-[123]/);
  });

  it("several players: a slot takes one key for each, and a part of them is not handed out", async ({ server }) => {
    const { owner, gameId, ann, ben } = await market(server);
    const id = await factories.order(owner, gameId, { playerCount: 2, keysForTesters: ["K-1", "K-2"] });
    await ann.releaseSlot({ params: { id: await factories.claim(ann, id) } });
    expect(await owner.addPlaytestKeys({ params: { id }, body: { keys: ["K-3"] } })).toEqual({ added: 1, unused: 1, needed: 2 });
    expect([await offersTo(ben), (await claimOf(ben, id)).status]).toEqual([[], 409]);
    await owner.addPlaytestKeys({ params: { id }, body: { keys: ["K-4", "K-5"] } });
    expect(await keysSeen(ben, await factories.claim(ben, id))).toEqual(["K-3", "K-4"]);
  });

  it("claims at the same time: no two playtesters get the same key", async ({ server }) => {
    const { owner, gameId } = await market(server);
    const id = await factories.order(owner, gameId, { quantity: 3, keysForTesters: ["K-1", "K-2", "K-3"] });
    const people = await Promise.all(Array.from({ length: 8 }, () => factories.registerPlaytester(server)));
    const won = (await Promise.all(people.map((person) => claimOf(person, id)))).filter(({ status }) => status === 201);
    expect(won.flatMap(({ body }) => body.data.slot.keys).sort()).toEqual(["K-1", "K-2", "K-3"]);
  });

  it("approval: refused without keys, and the application stays pending", async ({ server }) => {
    const { owner, gameId, ann, ben } = await market(server);
    const id = await factories.order(owner, gameId, { selectionMode: "manual", keysForTesters: ["K-1"] });
    const apply = async (person: factories.Person) => (await person.applyToPlaytest({ params: { id } })).application.id as string;
    const [first, second] = [await apply(ann), await apply(ben)];
    // A second application can be approved only after the first slot is free again.
    const { assignedSlotId } = (await owner.post(`/playtest-applications/${first}/approve`)).body.data;
    await ann.releaseSlot({ params: { id: assignedSlotId } });
    expect((await owner.post(`/playtest-applications/${second}/approve`)).status).toBe(409);
    const { applications } = await owner.listApplications({ params: { id } });
    expect(applications.find((one: { id: string }) => one.id === second)!.status).toBe("auto_rejected");
  });

  it("retry: the same playtester keeps the key", async ({ server }) => {
    const { owner, gameId, ann } = await market(server);
    const id = await factories.order(owner, gameId, { keysForTesters: ["K-1"] });
    const slotId = await factories.play(server, ann, id);
    await owner.post(`/slots/${slotId}/reject`, { reason: "No voice.", allowRetry: true });
    const [retry] = (await ann.listHeldSlots()).slots;
    expect([retry!.status, retry!.keys]).toEqual(["reserved", ["K-1"]]);
  });

  it("unblocked with a new key: the playtester sees the new one, and the old one is retired", async ({ server }) => {
    const { owner, gameId, ann } = await market(server);
    const id = await factories.order(owner, gameId, { keysForTesters: ["K-OLD"] });
    const slotId = await factories.claim(ann, id);
    await ann.reportSlot({ params: { id: slotId }, body: { reasonCode: "key_invalid" } });
    await server.advance(0);
    const asked = server.mails.find(({ subject }) => subject === "Ann reported a problem with Lantern Deep")!;
    expect(asked.text).toContain("unblock the slot and give it a new game key");
    const unblock = (keys: string[]) => owner.post(`/slots/${slotId}/unblock`, { keys, message: "Sorry!" });
    expect(refusal(await unblock(["K-A", "K-B"]))).toEqual([
      422,
      { field: "keys", message: "must hold exactly 1, one for each player, not 2" },
    ]);
    expect(refusal(await unblock(["K-OLD"]))).toEqual([
      422,
      { field: "keys.0", message: "is a key that this playtest already has or had" },
    ]);
    expect((await unblock(["K-NEW"])).body.data.slot.status).toBe("reserved");
    expect(await keysSeen(ann, slotId)).toEqual(["K-NEW"]);
    expect(await rowsOf(owner, id)).toEqual(["K-OLD retired", "K-NEW given"]);
    await server.advance(0);
    const told = server.mails.find(({ subject }) => subject === "Continue your playtest of Lantern Deep")!;
    expect(told.text).toContain("You have a new game key: see the slot.");
    expect(told.text).not.toContain("K-NEW");
  });

  it("unblocked with a key in a playtest without keys: its other slots stay open to everybody", async ({ server }) => {
    const { owner, gameId, ann, ben } = await market(server);
    const id = await factories.order(owner, gameId, { quantity: 2 });
    const slotId = await factories.claim(ann, id);
    await ann.reportSlot({ params: { id: slotId }, body: { reasonCode: "build_unavailable" } });
    await owner.post(`/slots/${slotId}/unblock`, { keys: ["K-1"] });
    expect(await keysSeen(ann, slotId)).toEqual(["K-1"]);
    expect(await keysSeen(ben, await factories.claim(ben, id))).toEqual([]);
  });

  it("list: shows whole keys only when asked", async ({ server }) => {
    const { owner, gameId, ann } = await market(server);
    const id = await factories.order(owner, gameId, {
      quantity: 3,
      keysForTesters: ["AAAA-BBBB-1111", "CCCC-DDDD-2222", "short"],
    });
    const slotId = await factories.claim(ann, id);
    const given = { key: "…1111", status: "given", slotId, retiredAt: null };
    const unused = { status: "unused", slotId: null, retiredAt: null };
    expect(await keyList(owner, id)).toEqual({
      keys: [given, { ...unused, key: "…2222" }, { ...unused, key: "…" }],
      unused: 2,
      needed: 2,
    });
    expect((await keyList(owner, id, "?reveal=true")).keys[1]).toEqual({ ...unused, key: "CCCC-DDDD-2222" });
    expect((await keyList(owner, id, "?reveal=1&limit=1")).keys).toEqual([given]);
  });

  it("add: refuses keys that are there, and a playtest that is not active", async ({ server }) => {
    const { owner, gameId, ann } = await market(server);
    const id = await factories.order(owner, gameId, { quantity: 2, keysForTesters: ["K-1", "K-2"] });
    const add = (keys: string[], to = id) => owner.post(`/playtests/${to}/keys`, { keys });
    const known = "is a key that this playtest already has or had";
    expect(refusal(await add(["K-3", "K-1"]))).toEqual([422, { field: "keys.1", message: known }]);
    expect(refusal(await add(["K-3", "K-3"]))).toEqual([422, { field: "keys", message: "must not hold the same key twice" }]);
    expect(await rowsOf(owner, id)).toEqual(["K-1 unused", "K-2 unused"]);
    const plain = await factories.order(owner, gameId, { quantity: 2 });
    expect(refusal(await add(["K-1"], plain))).toEqual([
      422,
      {
        field: "keys",
        message:
          "must hold at least 2 keys, one for each player of each open slot: from then on a slot is claimed only with its keys",
      },
    ]);
    expect((await add(["K-1", "K-2"], plain)).body.data).toEqual({ added: 2, unused: 2, needed: 2 });
    expect(await keysSeen(ann, await factories.claim(ann, plain))).toEqual(["K-1"]);
    await owner.cancelPlaytest({ params: { id } });
    expect(refusal(await add(["K-3"]))).toEqual([
      409,
      "Only an active playtest takes keys. This one is cancelled. Nothing was added.",
    ]);
  });

  it("keys: in no log line and no stored reply", async ({ server }) => {
    const { owner, gameId, ann } = await market(server);
    const id = await factories.order(owner, gameId, { keysForTesters: ["PLANTED-ONE"] });
    await owner.addPlaytestKeys({ params: { id }, body: { keys: ["PLANTED-TWO"] }, headers: { "idempotency-key": "once" } });
    await owner.listPlaytestKeys({ params: { id }, query: { reveal: "true" } });
    const slotId = await factories.claim(ann, id);
    await ann.reportSlot({ params: { id: slotId }, body: { reasonCode: "key_invalid" } });
    await owner.post(`/slots/${slotId}/unblock`, { keys: ["PLANTED-THREE"] }, { "idempotency-key": "twice" });
    const stored = await server.deps.store.read((q) => q.all("SELECT * FROM idempotency"));
    const kept = await server.deps.store.read((q) => q.all("SELECT * FROM playtest_keys"));
    expect(JSON.stringify([stored, kept, server.lines])).not.toContain("PLANTED");
  });

  it("admin: lists the problems of all owners that wait for an answer", async ({ server }) => {
    const admin = factories.personWith(server, (await ensureAdmin(server.deps))!, "");
    const { owner, gameId, ann, ben } = await market(server);
    const other = await factories.registerOwner(server, "Otto");
    await factories.giveCredit(server, other, 2000);
    const slots = [
      await factories.claim(ann, await factories.order(owner, gameId)),
      await factories.claim(ben, await factories.order(other, await factories.createGame(other, { name: "Tide" }))),
    ];
    await ann.post(`/playtester/slots/${slots[0]}/report`, { reasonCode: "crash", notes: "Black screen." });
    await server.advance(1000);
    await ben.post(`/playtester/slots/${slots[1]}/report`, { reasonCode: "key_invalid" });
    const list = async (query = "") => (await admin.get(`/admin/problems${query}`)).body;
    const { data } = await list();
    expect(data.problems).toMatchObject([
      {
        slotId: slots[1],
        gameName: "Tide",
        owner: { displayName: "Otto" },
        playtester: { displayName: "Ben" },
        reasonCode: "key_invalid",
      },
      { slotId: slots[0], gameId, owner: { displayName: "Olive" }, playtester: { displayName: "Ann" }, notes: "Black screen." },
    ]);
    const first = await list("?limit=1");
    expect((await list(`?limit=1&cursor=${first.meta.cursor}`)).data.problems[0].slotId).toBe(slots[0]);
    await admin.post(`/slots/${slots[1]}/unblock`, { keys: ["K-NEW"] });
    expect((await list()).data.problems.map(({ slotId }: { slotId: string }) => slotId)).toEqual([slots[0]]);
    expect((await owner.get("/admin/problems")).status).toBe(403);
  });
});
