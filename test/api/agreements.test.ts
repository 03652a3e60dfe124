import { expect, it } from "vitest";
import { sha256 } from "../../server/lib/secrets.ts";
import { onBothDatabases } from "../helpers/each.ts";
import * as factories from "../helpers/factories.ts";
import { confirm, teamMarket } from "../helpers/friends.ts";
import { signedIn } from "../helpers/portal.ts";
import type { TestServer } from "../helpers/server.ts";

onBothDatabases("agreements", (serve) => {
  async function open() {
    const server = await serve();
    const { owner, gameId } = await factories.ownerWithGame(server, 1_000_000);
    const admin = await factories.firstAdmin(server);
    const playtester = await factories.registerPlaytester(server, "Ann");
    return { server, owner, gameId, admin, playtester };
  }
  const version = (number: number, text: string) => `${number}-${sha256(text).slice(0, 8)}`;
  const publish = async (server: TestServer, by: factories.Person, path: string, text: string) =>
    (await server.request("PUT", path, { key: by.key, body: { text } })).body.data;
  const claim = (playtester: factories.Person, playtest: string, acceptConsent?: string) =>
    playtester.post(`/playtester/playtests/${playtest}/claim`, acceptConsent === undefined ? {} : { acceptConsent });

  it("claim: refused until the agreement is accepted, then not asked again until there is a new version", async () => {
    const { server, owner, gameId, playtester } = await open();
    const [one, two] = [version(1, "Tell nobody."), version(2, "Tell nobody at all.")];
    expect(await publish(server, owner, `/games/${gameId}/agreement`, "Tell nobody.")).toMatchObject({
      agreement: { version: one, sha256: sha256("Tell nobody."), gameId },
    });
    const first = await factories.order(owner, gameId);
    const refused = await claim(playtester, first);
    expect([refused.status, refused.body.error]).toEqual([
      409,
      {
        code: "CONFLICT",
        message: `This playtest has an agreement that you must accept first: version ${one}. Nothing was changed.`,
        details: [{ field: "acceptConsent", message: one }],
      },
    ]);
    const path = `/playtester/playtests/${first}/agreement`;
    expect((await playtester.get(path)).body.data.agreement).toMatchObject({ text: "Tell nobody.", acceptedAt: null });
    expect((await playtester.listOffers()).playtests[0]!.mustAccept).toBe(true);
    expect((await claim(playtester, first, "1-00000000")).status).toBe(409);
    expect((await claim(playtester, first, one)).status).toBe(201);
    expect((await claim(playtester, await factories.order(owner, gameId))).status).toBe(201);

    await publish(server, owner, `/games/${gameId}/agreement`, "Tell nobody at all.");
    const third = await factories.order(owner, gameId);
    expect((await claim(playtester, third, one)).body.error.message).toBe(
      `The agreement of this playtest is version ${two}, not ${one}. Nothing was changed. Read and accept the current version.`,
    );
    const accepted = await playtester.acceptAgreement({ params: { id: third }, body: { version: two } });
    expect(accepted.agreement).toMatchObject({ version: two, acceptedAt: expect.any(String) });
    expect((await claim(playtester, third)).status).toBe(201);
    expect(accepted.accepted).toMatchObject([
      { version: two, gameId },
      { version: one, gameId },
    ]);
    const show = (name: string) => playtester.get(`/playtester/playtests/${third}/agreement?version=${name}`);
    for (const name of ["1", one])
      expect((await show(name)).body.data.agreement).toMatchObject({
        version: one,
        text: "Tell nobody.",
        acceptedAt: expect.any(String),
      });
    const never = await show("7");
    expect([never.status, never.body.error.message]).toEqual([
      404,
      `You did not accept the version 7 of an agreement of this playtest. You accepted: ${two}, ${one}.`,
    ]);
    expect(
      (await (await factories.registerPlaytester(server)).get(`/playtester/playtests/${third}/agreement?version=1`)).status,
    ).toBe(404);
    const { consents } = await owner.listGameConsents({ params: { id: gameId } });
    expect(consents.map((consent: { version: string }) => consent.version)).toEqual([two, one]);
    const other = await factories.registerOwner(server);
    expect((await other.get(`/games/${gameId}/consents`)).status).toBe(404);
  });

  it("application: needs the consent, and its approval does not ask again", async () => {
    const { server, owner, gameId, playtester } = await open();
    await publish(server, owner, `/games/${gameId}/agreement`, "Tell nobody.");
    const manual = await factories.order(owner, gameId, { selectionMode: "manual" });
    const apply = (body: object) => playtester.post(`/playtester/playtests/${manual}/applications`, body);
    expect((await apply({})).status).toBe(409);
    const reply = await apply({ acceptConsent: version(1, "Tell nobody.") });
    expect(reply.status).toBe(201);
    expect((await owner.post(`/playtest-applications/${reply.body.data.application.id}/approve`)).status).toBe(200);
  });

  it("application: a changed agreement must be accepted again before the approval, and the applicant is asked by email", async () => {
    const { server, owner, gameId, admin, playtester } = await open();
    const manual = await factories.order(owner, gameId, { selectionMode: "manual" });
    const applied = await playtester.applyToPlaytest({ params: { id: manual }, body: {} });
    const { id } = applied.application;
    expect(applied.application.mustAccept).toBe(false);
    const own = async () => (await playtester.listOwnApplications()).applications[0]!.mustAccept;
    const approve = () => owner.post(`/playtest-applications/${id}/approve`);
    const asked = () => server.mails.filter(({ subject }) => subject.startsWith("Please accept the changed agreement"));

    await publish(server, owner, `/games/${gameId}/agreement`, "Tell nobody.");
    await publish(server, owner, `/games/${gameId}/agreement`, "Tell nobody.");
    await server.advance(60_000);
    expect([await own(), asked().length]).toEqual([true, 1]);
    expect(asked()[0]!.text).toContain(`/play/offers/${manual}/agreement`);
    const refused = await approve();
    expect([refused.status, refused.body.error.message]).toEqual([
      409,
      expect.stringMatching(/^Ann has not accepted version 1-\w+ of the agreement, .* Nothing was changed\./),
    ]);
    const visitor = await signedIn(server, playtester);
    const path = `/play/offers/${manual}/agreement`;
    expect((await visitor.get("/play/applications")).html).toContain(`href="${path}"`);
    expect((await visitor.submit(path, path, { accepted: "on" })).status).toBe(303);
    expect([await own(), (await visitor.get("/play/applications")).html.includes(path)]).toEqual([false, false]);

    await publish(server, admin, "/admin/agreement", "Be kind.");
    await server.advance(60_000);
    expect(asked()).toHaveLength(1);
    await owner.deleteGameAgreement({ params: { id: gameId } });
    await server.advance(60_000);
    expect([await own(), asked().length, (await approve()).status]).toEqual([true, 2, 409]);
    const version2 = version(1, "Be kind.");
    expect((await playtester.post(`/playtester/playtests/${manual}/agreement`, { version: version2 })).status).toBe(200);
    expect((await approve()).status).toBe(200);
  });

  it("agreement of the server: for games without one of their own, and until it ends", async () => {
    const { server, owner, gameId, admin, playtester } = await open();
    await publish(server, admin, "/admin/agreement", "House rules.");
    expect(await publish(server, admin, "/admin/agreement", "House rules.")).toMatchObject({ versions: [{}] });
    const own = await factories.createGame(owner);
    await publish(server, owner, `/games/${own}/agreement`, "Tell nobody.");
    const [common, special] = [await factories.order(owner, gameId), await factories.order(owner, own)];
    const text = async (id: string) => (await playtester.getPlaytestAgreement({ params: { id } })).agreement?.text;
    expect([await text(common), await text(special)]).toEqual(["House rules.", "Tell nobody."]);
    expect((await claim(playtester, common, version(1, "House rules."))).status).toBe(201);
    await owner.deleteGameAgreement({ params: { id: own } });
    expect(await text(special)).toBe("House rules.");
    expect((await claim(playtester, special)).status).toBe(201);
    expect((await owner.listGameConsents({ params: { id: gameId } })).consents).toMatchObject([{ gameId: null }]);
    await admin.deleteServerAgreement();
    expect((await admin.delete("/admin/agreement")).status).toBe(409);
    expect((await claim(await factories.registerPlaytester(server), await factories.order(owner, gameId))).status).toBe(201);
  });

  it("agreement of the server: the owner sees the consents of the whole team, and of nobody who only was asked", async () => {
    const { server, owner, gameId, ann, ben, cleo, dana, playtestId } = await teamMarket(serve);
    const admin = await factories.firstAdmin(server);
    await publish(server, admin, "/admin/agreement", "House rules.");
    const acceptConsent = version(1, "House rules.");
    const body = { with: [{ handle: "ben" }, { handle: "dana" }], acceptConsent };
    const { slot } = await ann.claimPlaytest({ params: { id: playtestId }, body });
    const params = { id: slot.id };
    const accept = (person: factories.Person) =>
      person.acceptAgreement({ params: { id: playtestId }, body: { version: acceptConsent } });
    for (const person of [ben, dana]) await accept(person);
    await ann.replaceTeamMember({ params, body: { missing: "dana", with: "cleo" } });
    await accept(cleo);
    for (const person of [ben, cleo]) await confirm(person, slot.id);
    const { consents } = await owner.listGameConsents({ params: { id: gameId } });
    expect(consents.map(({ playtester }) => playtester.displayName).sort()).toEqual(["ann", "ben", "cleo"]);
  });

  it("record: has the address, is in the export, and stays without the address when the account is deleted", async () => {
    const { server, owner, gameId, admin, playtester } = await open();
    await publish(server, owner, `/games/${gameId}/agreement`, "Tell nobody.");
    const { slot } = (await claim(playtester, await factories.order(owner, gameId), version(1, "Tell nobody."))).body.data;
    const listed = async () => (await admin.listConsents()).consents;
    expect(await listed()).toMatchObject([
      {
        gameName: expect.any(String),
        playtester: { displayName: "Ann" },
        address: "127.0.0.1",
        email: expect.stringContaining("@"),
      },
    ]);
    expect((await playtester.exportAccount()).records.consents).toMatchObject([
      { number: 1, sha256: sha256("Tell nobody."), text: "Tell nobody.", address: "127.0.0.1", createdAt: expect.any(String) },
    ]);
    await playtester.releaseSlot({ params: { id: slot.id } });
    await admin.deleteUser({ params: { id: playtester.id } });
    expect(await listed()).toMatchObject([
      { version: version(1, "Tell nobody."), playtester: { id: playtester.id, displayName: "Deleted account" }, address: null },
    ]);
    expect((await listed())[0]!.email).not.toContain("example.com");
  });

  it("of a playtest that is for somebody else: neither shown nor accepted, and not once its slots are taken by others", async () => {
    const { server, owner, gameId, playtester } = await open();
    await publish(server, owner, `/games/${gameId}/agreement`, "Tell nobody.");
    const acceptConsent = version(1, "Tell nobody.");
    const other = await factories.registerPlaytester(server, "Ben");
    const target = { targetingType: "past", pastPlaytesterScope: "specific", targetedPlaytesterId: playtester.id };
    const aimed = await factories.order(owner, gameId, target);
    const taken = await factories.order(owner, gameId);
    const chosen = await factories.order(owner, gameId, { selectionMode: "manual" });
    expect((await claim(playtester, taken, acceptConsent)).status).toBe(201);
    expect((await playtester.post(`/playtester/playtests/${chosen}/applications`, {})).status).toBe(201);
    const replies = async (person: factories.Person, id: string) => {
      const path = `/playtester/playtests/${id}/agreement`;
      return [(await person.get(path)).status, (await person.post(path, { version: acceptConsent })).status];
    };
    for (const id of [aimed, taken]) expect(await replies(other, id)).toEqual([404, 404]);
    expect((await owner.listGameConsents({ params: { id: gameId } })).consents).toHaveLength(1);
    for (const id of [aimed, taken, chosen]) expect(await replies(playtester, id)).toEqual([200, 200]);
    const visitor = await signedIn(server, other);
    expect((await visitor.get(`/play/offers/${aimed}/agreement`)).status).toBe(404);
  });

  it("portal: shows the text, takes no form without the tick, and then offers the slot", async () => {
    const { server, owner, gameId, playtester } = await open();
    await publish(server, owner, `/games/${gameId}/agreement`, "Tell <nobody>.");
    const playtest = await factories.order(owner, gameId);
    const visitor = await signedIn(server, playtester);
    const path = `/play/offers/${playtest}/agreement`;
    expect((await visitor.get(`/play/offers/${playtest}`)).html).toContain(`href="${path}"`);
    expect((await visitor.get(path)).html).toContain("Tell &lt;nobody&gt;.");
    expect((await visitor.submit(path, path)).html).toContain("Tick the box to accept the agreement.");
    expect(await visitor.submit(path, path, { accepted: "on" })).toMatchObject({
      status: 303,
      location: `/play/offers/${playtest}?done=accepted`,
    });
    const { html } = await visitor.get(`/play/offers/${playtest}?done=accepted`);
    expect([html.includes("You accepted the agreement."), html.includes(`action="/play/offers/${playtest}/claim"`)]).toEqual([
      true,
      true,
    ]);
  });
});
