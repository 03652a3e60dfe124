import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import type { Config } from "../../server/config/schema.ts";
import { onBothDatabases } from "../helpers/each.ts";
import * as factories from "../helpers/factories.ts";
import { gate } from "../helpers/gate.ts";
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

  it.each([
    [
      "picture",
      "minPicturePercent",
      /^The picture is black or frozen in 84 % of the video\. At least 20 % must be usable\. Nothing was submitted\./,
    ],
    [
      "sound",
      "minSoundPercent",
      /^There is no sound in 100 % of the video\. At least 20 % must be usable\. Nothing was submitted\./,
    ],
  ] as const)(
    "refuses a video with less %s than the operator allows, and one that is not measured, until it is late",
    async (_, name, message) => {
      const options = measuring([100, 16, 16, 16, 16, 16], [9, 9, 9, 9, 9, 9], ["-inf", "-inf", "-inf", "-inf", "-inf", "-inf"]);
      const server = await serve({
        config: (config) => {
          options.config(config);
          config.playtesters[name] = 20;
        },
      });
      // A job starts by itself, so the video may be measured before the first request.
      const [{ meter }, held] = [server.deps, gate()];
      server.deps.meter = { measure: (...given) => held.passed.then(() => meter!.measure(...given)) };
      const submit = async ({ playtester, slotId }: Uploaded) => {
        const { status, body } = await playtester.post(`/playtester/slots/${slotId}/submit`, {});
        return [status, body.error?.message];
      };
      const [world, late] = [await uploaded(server), await uploaded(server)];
      expect(await submit(world)).toEqual([409, expect.stringContaining("is still being checked. Nothing was submitted.")]);
      await server.deps.store.write((tx) =>
        tx.run("UPDATE slots SET deadline_at = ? WHERE id = ?", tx.now + 3_599_999, late.slotId),
      );
      expect((await submit(late))[0]).toBe(200);
      held.open();
      await server.advance(0);
      expect(await submit(world)).toEqual([409, expect.stringMatching(message)]);
      server.deps.config.playtesters[name] = 0;
      expect((await submit(world))[0]).toBe(200);
    },
  );

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

  it("ends with the last try that fails, whatever the reason", async () => {
    const server = await serve(measuring([100], [0], null));
    server.deps.meter = {
      measure: async () => {
        throw new Error("The disk is broken.");
      },
    };
    const { playtester, slotId } = await uploaded(server);
    expect((await playtester.post(`/playtester/slots/${slotId}/submit`, {})).status).toBe(200);
    await server.advance(5 * 86_400_000);
    const rows = await server.deps.store.read((q) => q.all("SELECT status, error FROM video_signals ORDER BY slot_id"));
    expect(rows).toEqual([{ status: "failed", error: "Error: The disk is broken." }]);
    expect(server.errors.splice(0)).toHaveLength(25);
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
