import { expect, it } from "vitest";
import { onBothDatabases } from "../helpers/each.ts";
import { claim, createGame, giveCredit, giveVideo, order, registerOwner, registerPlaytester } from "../helpers/factories.ts";
import type { TestServer } from "../helpers/server.ts";
import { videoOf } from "../helpers/videos.ts";

async function held(server: TestServer, body: Record<string, unknown> = {}) {
  const [owner, playtester] = [await registerOwner(server, "Olive"), await registerPlaytester(server, "Tess")];
  await giveCredit(server, owner, 10_000);
  const slotId = await claim(playtester, await order(owner, await createGame(owner), body));
  const shown = async () => (await playtester.get(`/playtester/slots/${slotId}`)).body.data.slot;
  const submit = () => playtester.post(`/playtester/slots/${slotId}/submit`);
  return { owner, playtester, slotId, shown, submit };
}

onBothDatabases("length of a submitted video", (serve) => {
  it("too short: refused with both lengths; a longer one is submitted and shown to both sides", async () => {
    const server = await serve({ config: (config) => (config.playtesters.minVideoPercent = 50) });
    const { owner, playtester, slotId, shown, submit } = await held(server);
    await giveVideo(server, slotId, playtester, await videoOf(725));
    expect(await shown()).toMatchObject({ playtest: { minVideoSeconds: 1800 }, uploadedVideo: { durationSeconds: 725 } });
    const refused = await submit();
    expect([refused.status, refused.body.error.message]).toEqual([
      409,
      "The video is 12 min 5 s long. A playtest of 60 minutes needs a video of at least 30 min. Nothing was submitted. Upload a longer video.",
    ]);
    expect((await shown()).status).toBe("reserved");
    await giveVideo(server, slotId, playtester, await videoOf(1800));
    expect((await submit()).status).toBe(200);
    expect((await shown()).submission.videoDurationSeconds).toBe(1800);
    expect((await owner.get(`/slots/${slotId}`)).body.data.slot.submission.videoDurationSeconds).toBe(1800);
    const [item] = (await owner.get("/submissions")).body.data.submissions;
    expect(item.submission.videoDurationSeconds).toBe(1800);
  });

  it("unknown: accepted, and shown as null", async () => {
    const server = await serve({ config: (config) => (config.playtesters.minVideoPercent = 100) });
    const { owner, playtester, slotId, shown, submit } = await held(server);
    await giveVideo(server, slotId, playtester);
    expect((await shown()).uploadedVideo.durationSeconds).toBeNull();
    expect((await submit()).status).toBe(200);
    expect((await owner.get(`/slots/${slotId}`)).body.data.slot.submission.videoDurationSeconds).toBeNull();
  });

  it.each([
    [null, 60, 1, 200],
    [0, 60, 1, 200],
    [10, 60, 359, 409],
    [10, 60, 360, 200],
    [100, 30, 1799, 409],
  ])("share of %s percent of %i minutes: %i seconds get %i", async (percent, durationMinutes, seconds, status) => {
    const server = await serve({ config: (config) => (config.playtesters.minVideoPercent = percent) });
    const { playtester, slotId, submit } = await held(server, { durationMinutes });
    await giveVideo(server, slotId, playtester, await videoOf(seconds));
    expect((await submit()).status).toBe(status);
  });
});
