import { expect, it } from "vitest";
import { onBothDatabases } from "../helpers/each.ts";
import * as factories from "../helpers/factories.ts";

onBothDatabases("tester groups", (serve) => {
  async function open() {
    const server = await serve();
    const { owner, gameId } = await factories.ownerWithGame(server, 1_000_000);
    const admin = await factories.firstAdmin(server);
    const [inside, outside] = [
      await factories.registerPlaytester(server, "Ann"),
      await factories.registerPlaytester(server, "Bob"),
    ];
    const groupId = await group(admin, "qa");
    await change(admin, "members", groupId, [await email(inside)]);
    return { server, owner, gameId, admin, inside, outside, groupId };
  }

  const email = async (person: factories.Person) => (await person.getMe()).email as string;
  const group = async (admin: factories.Person, name: string) => (await admin.createGroup({ body: { name } })).group.id as string;
  const change = async (admin: factories.Person, path: "members" | "members/remove", id: string, emails: string[]) =>
    (await admin.post(`/admin/groups/${id}/${path}`, { emails })).body.data;
  const offers = async (person: factories.Person) =>
    (await person.get("/playtester/playtests")).body.data.playtests.map(({ id, panel }: { id: string; panel: string }) => [
      id,
      panel,
    ]);

  it("playtest for a group: only members see it, claim it and apply to it", async () => {
    const { owner, gameId, inside, outside } = await open();
    const first = await factories.order(owner, gameId, { panel: "qa" });
    expect((await owner.getPlaytest({ params: { id: first } })).playtest.panel).toBe("qa");
    expect([await offers(inside), await offers(outside)]).toEqual([[[first, "qa"]], []]);
    const unknown = await outside.post("/playtester/playtests/01900000-0000-7000-8000-000000000000/claim");
    const refused = await outside.post(`/playtester/playtests/${first}/claim`);
    expect([refused.status, refused.body.error]).toEqual([404, unknown.body.error]);
    expect((await inside.post(`/playtester/playtests/${first}/claim`)).status).toBe(201);
    const manual = await factories.order(owner, gameId, { panel: "qa", selectionMode: "manual" });
    expect((await outside.post(`/playtester/playtests/${manual}/applications`)).status).toBe(404);
    expect((await inside.post(`/playtester/playtests/${manual}/applications`)).status).toBe(201);
  });

  it("playtest for a group with targeting: both must hold", async () => {
    const { server, owner, gameId, inside, outside } = await open();
    await factories.play(server, inside, await factories.order(owner, gameId));
    await factories.order(owner, gameId, { panel: "qa", targetingType: "new" });
    expect([await offers(inside), await offers(outside)]).toEqual([[], []]);
  });

  it("membership that ends: claimed slots stay and can be retried, applications cannot be approved, offers are gone", async () => {
    const { server, owner, gameId, admin, inside, groupId } = await open();
    const slotId = await factories.claim(inside, await factories.order(owner, gameId, { panel: "qa" }));
    const submitted = await factories.play(server, inside, await factories.order(owner, gameId, { panel: "qa" }));
    const offered = await factories.order(owner, gameId, { panel: "qa" });
    const manual = await factories.order(owner, gameId, { panel: "qa", selectionMode: "manual" });
    const { id } = (await inside.applyToPlaytest({ params: { id: manual } })).application;
    expect(await change(admin, "members/remove", groupId, [await email(inside)])).toMatchObject({
      changed: 1,
      group: { members: 0 },
    });
    expect((await inside.getHeldSlot({ params: { id: slotId } })).slot.status).toBe("reserved");
    await owner.post(`/slots/${submitted}/reject`, { allowRetry: true });
    const held = (await inside.listHeldSlots()).slots.map(({ status }: { status: string }) => status);
    expect(held.sort()).toEqual(["rejected", "reserved", "reserved"]);
    expect([await offers(inside), (await inside.post(`/playtester/playtests/${offered}/claim`)).status]).toEqual([[], 404]);
    const approved = await owner.post(`/playtest-applications/${id}/approve`);
    expect([approved.status, approved.body.error.message]).toEqual([
      409,
      "This playtester is no longer in the group qa. Nothing was changed. Reject the application instead.",
    ]);
    await change(admin, "members", groupId, [await email(inside)]);
    expect((await owner.post(`/playtest-applications/${id}/approve`)).status).toBe(200);
    expect(await offers(inside)).toEqual([[offered, "qa"]]);
  });

  it("order and quote: an unknown group is refused by both, a small one is a warning", async () => {
    const { owner, gameId, admin } = await open();
    await group(admin, "empty");
    const quote = (body: object) => owner.post("/playtests/quote", { gameId, ...body });
    for (const reply of [await quote({ panel: "nobody" }), await owner.post(`/games/${gameId}/playtests`, { panel: "nobody" })])
      expect([reply.status, reply.body.error.details]).toEqual([
        422,
        [{ field: "panel", message: "is not a tester group of this server" }],
      ]);
    const warnings = async (body: object) => (await quote(body)).body.data.warnings;
    expect(await warnings({ panel: "qa" })).toEqual([]);
    expect(await warnings({ panel: "qa", quantity: 3 })).toEqual([
      "The group qa has 1 member, and each can claim one of the 3 slots.",
    ]);
    expect(await warnings({ panel: "empty" })).toEqual(["The group empty has no members, so nobody can claim a slot."]);
    expect((await owner.listPanels()).panels).toEqual([
      { name: "empty", members: 0 },
      { name: "qa", members: 1 },
    ]);
  });

  it("groups: unknown addresses are skipped, names are unique, one in use is kept, and deleted accounts leave", async () => {
    const { owner, gameId, admin, inside, outside, groupId } = await open();
    expect(await change(admin, "members", groupId, [await email(outside), "no@example.com", await email(owner)])).toMatchObject({
      changed: 1,
      unknown: ["no@example.com", await email(owner)],
      group: { members: 2 },
    });
    expect((await admin.post("/admin/groups", { name: "qa" })).body.error.message).toContain("already exists");
    const playtest = await factories.order(owner, gameId, { panel: "qa" });
    expect((await admin.delete(`/admin/groups/${groupId}`)).body.error.message).toBe(
      "A playtest that has not ended is for the group qa. Nothing was deleted. Cancel or finish it first.",
    );
    expect((await inside.get("/auth/export")).body.data.records.testerGroups).toMatchObject([{ name: "qa" }]);
    await admin.delete(`/admin/users/${outside.id}`);
    const { members } = (await admin.get(`/admin/groups/${groupId}/members`)).body.data;
    expect(members.map(({ id }: factories.Person) => id)).toEqual([inside.id]);
    await owner.post(`/playtests/${playtest}/cancel`);
    expect((await admin.delete(`/admin/groups/${groupId}`)).status).toBe(200);
  });

  it("simulated playtester: does not take a slot that is for a group", async () => {
    const { server, owner, gameId, inside } = await open();
    const playtest = await factories.order(owner, gameId, { panel: "qa" });
    const slotId = (await owner.listSlots({ params: { id: playtest } })).slots[0]!.id;
    const playSlot = (body: object) => server.request("POST", `/sandbox/slots/${slotId}/play`, { body });
    expect((await playSlot({})).body.error.message).toContain("for the members of the group qa");
    expect((await playSlot({ testerId: inside.id })).status).toBe(200);
  });
});
