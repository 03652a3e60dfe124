import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import type { Config } from "../../server/config/schema.ts";
import { onBothDatabases } from "../helpers/each.ts";
import * as factories from "../helpers/factories.ts";
import type { TestServer } from "../helpers/server.ts";

const script = fileURLToPath(new URL("../fixtures/ffmpeg.mjs", import.meta.url));

/** A server whose ffmpeg measures this: brightness, motion, and loudness. */
const measuring = (...series: unknown[]) => ({
  config: ({ clips }: Config) =>
    void Object.assign(clips, { ffmpeg: [process.execPath, script, "measure", ...series.map((one) => JSON.stringify(one))] }),
});

interface Uploaded {
  owner: factories.Person;
  playtester: factories.Person;
  slotId: string;
}

/** A video that is uploaded and not submitted yet. */
async function uploaded(server: TestServer): Promise<Uploaded> {
  const owner = await factories.registerOwner(server);
  await factories.giveCredit(server, owner, 100_000);
  const playtester = await factories.registerPlaytester(server);
  const slotId = await factories.claim(playtester, await factories.order(owner, await factories.createGame(owner)));
  await factories.giveVideo(server, slotId, playtester);
  return { owner, playtester, slotId };
}

const signalsOf = (who: factories.Person, slotId: string) => who.get(`/slots/${slotId}/signals`);
const statuses = async ({ owner, playtester, slotId }: Uploaded) => [
  (await signalsOf(owner, slotId)).status,
  (await signalsOf(playtester, slotId)).status,
];

onBothDatabases("recording check", (serve) => {
  it("shows the playtester what looks wrong before the video is submitted, and the owner afterwards", async () => {
    const server = await serve(measuring([100, 16, 16, 16, 16, 16], [0, 9, 0, 0, 0, 0], [-20, "-inf", -20, -20, -20, -20]));
    const world = await uploaded(server);
    expect(await statuses(world)).toEqual([404, 404]);
    await server.advance(0);
    expect(await statuses(world)).toEqual([404, 200]);
    expect((await signalsOf(world.playtester, world.slotId)).body.data).toEqual({
      signals: { stepMs: 1000, loudnessDb: [-20, -120, -20, -20, -20, -20], motion: [0, 9, 0, 0, 0, 0], speech: null },
      facts: [
        { kind: "short", fromMs: 0, toMs: 6000, text: "The recording has 6 s of the 60 minutes booked." },
        { kind: "black", fromMs: 1000, toMs: 6000, text: "The picture is black from 0:01 to 0:06." },
      ],
    });
    await world.playtester.post(`/playtester/slots/${world.slotId}/submit`, {});
    expect(await statuses(world)).toEqual([200, 200]);
    const vtt = "WEBVTT\n\n00:01.000 --> 00:02.500\nHello.\n";
    await server.request("PUT", `/slots/${world.slotId}/transcript`, { key: world.owner.key, body: { vtt } });
    expect((await signalsOf(world.owner, world.slotId)).body.data.signals.speech).toEqual([0, 1, 1, 0, 0, 0]);
    const strangers = [await factories.registerOwner(server), await factories.registerPlaytester(server)];
    for (const stranger of strangers) expect((await signalsOf(stranger, world.slotId)).status).toBe(404);
  });

  it("measures the video that replaces another", async () => {
    const server = await serve(measuring([100], [0], null));
    const world = await uploaded(server);
    await server.advance(0);
    expect((await signalsOf(world.playtester, world.slotId)).body.data.facts).toContainEqual(
      expect.objectContaining({ kind: "no_sound" }),
    );
    await factories.giveVideo(server, world.slotId, world.playtester);
    expect(await statuses(world)).toEqual([404, 404]);
    await server.advance(0);
    expect(await statuses(world)).toEqual([404, 200]);
  });

  it("changes nothing else where the program fails, or none is configured", async () => {
    for (const options of [measuring(null, null, null), {}]) {
      const server = await serve(options);
      const world = await uploaded(server);
      await server.advance(0);
      expect(await statuses(world)).toEqual([404, 404]);
      expect((await world.playtester.post(`/playtester/slots/${world.slotId}/submit`, {})).status).toBe(200);
    }
  });
});
