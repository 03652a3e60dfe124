import { expect } from "vitest";
import { onBothDatabases } from "../helpers/each.ts";
import * as factories from "../helpers/factories.ts";
import { hiddenFields, signedIn } from "../helpers/portal.ts";
import type { TestServer } from "../helpers/server.ts";

/** Spaces and line breaks, a no-break space, a zero-width space, a filler of Hangul, an empty Braille pattern. */
const blanks = ["  \n\t", "\u00a0", "\u200b", "\u3164", "\u2800"];

async function market(server: TestServer) {
  const [owner, playtester] = [
    await factories.registerOwner(server, "Olive"),
    await factories.registerPlaytester(server, "Tess"),
  ];
  await factories.giveCredit(server, owner, 100_000);
  const gameId = await factories.createGame(owner);
  const slotId = await factories.play(server, playtester, await factories.order(owner, gameId));
  const reserved = await factories.claim(playtester, await factories.order(owner, gameId));
  const shown = async (id = slotId) => (await owner.get(`/slots/${id}`)).body.data.slot;
  return { owner, playtester, slotId, reserved, shown };
}

onBothDatabases("a text of blanks that a person would have to read", (_serve, it) => {
  it("is refused wherever one is stored, and nothing is changed", async ({ server }) => {
    const { owner, playtester, slotId, reserved, shown } = await market(server);
    await factories.giveVideo(server, reserved, playtester);
    const before = [await shown(), await shown(reserved)];
    for (const blank of blanks)
      for (const [who, path, field, more] of [
        [owner, `/slots/${slotId}/reject`, "reason", {}],
        [owner, `/slots/${slotId}/accept`, "comment", { rating: 5 }],
        [owner, `/slots/${slotId}/moments`, "text", { atMs: 0 }],
        [owner, "/games", "name", { buildUrl: "https://example.com/game.zip" }],
        [playtester, `/playtester/slots/${reserved}/submit`, "notes", {}],
        [playtester, `/playtester/slots/${reserved}/report`, "notes", { reasonCode: "other" }],
      ] as const) {
        const { status, body } = await who.post(path, { ...more, [field]: blank });
        expect([path, status, body.error.details]).toEqual([path, 422, [{ field, message: "must not be blank" }]]);
      }
    expect([await shown(), await shown(reserved)]).toEqual(before);
  });

  it("is taken with what can be read around it; an empty text counts as left out", async ({ server }) => {
    const { owner, playtester, slotId, reserved, shown } = await market(server);
    await factories.giveVideo(server, reserved, playtester);
    expect((await owner.post(`/slots/${slotId}/reject`, { reason: "\u200b No sound.\n" })).status).toBe(200);
    expect((await shown()).rejection.reason).toContain("No sound.");
    expect((await playtester.post(`/playtester/slots/${reserved}/submit`, { notes: "" })).status).toBe(200);
    expect((await shown(reserved)).submission.notes).toBe("");
  });

  it("is refused by the forms of Studio and of the portal", async ({ server }) => {
    const { owner, playtester, slotId, reserved, shown } = await market(server);
    await factories.giveVideo(server, reserved, playtester);
    for (const [who, base, page, action, field, more] of [
      [owner, "/studio", `/studio/slots/${slotId}`, "reject", "reason", { confirmed: "yes" }],
      [owner, "/studio", `/studio/slots/${slotId}`, "moments", "text", { position: "0:01" }],
      [playtester, "/play", `/play/slots/${reserved}`, "submit", "notes", {}],
      [playtester, "/play", `/play/slots/${reserved}`, "report", "problem", { reason: "other" }],
    ] as const) {
      const browser = await signedIn(server, who, base);
      const fields = { ...hiddenFields((await browser.get(page)).html, `${page}/${action}`), ...more, [field]: "\u200b\u2800" };
      const { status, html } = await browser.send(`${page}/${action}`, fields);
      expect([action, status, html.includes("must not be blank")]).toEqual([action, 422, true]);
    }
    expect([(await shown()).status, (await shown(reserved)).status]).toEqual(["submitted", "reserved"]);
    expect((await owner.listSlotMoments({ params: { id: slotId } })).moments).toEqual([]);
  });
});
