import { beforeEach, expect, it } from "vitest";
import { nextToInspect } from "../../server/uploads/store.ts";
import { queueInspection, startInspecting } from "../../server/uploads/videos/jobs.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { claim, createGame, giveCredit, giveVideo, order, registerOwner, registerPlaytester } from "../helpers/factories.ts";
import { heldReads } from "../helpers/held-reads.ts";
import type { TestServer } from "../helpers/server.ts";
import { begin, patch } from "../helpers/tus.ts";
import { streamed, videoFixture } from "../helpers/videos.ts";

async function held(server: TestServer) {
  const [owner, playtester] = [await registerOwner(server, "Olive"), await registerPlaytester(server, "Tess")];
  await giveCredit(server, owner, 10_000);
  const slotId = await claim(playtester, await order(owner, await createGame(owner)));
  const shown = async () => (await playtester.get(`/playtester/slots/${slotId}`)).body.data.slot;
  const submit = () => playtester.post(`/playtester/slots/${slotId}/submit`);
  const submitted = async () => (await owner.get(`/slots/${slotId}`)).body.data.slot.submission;
  const upload = async (bytes: Buffer) => {
    const url = await begin(server, playtester, `/playtester/slots/${slotId}/video`, bytes.length, { filename: "play.mp4" });
    return patch(server, playtester, url, 0, bytes);
  };
  return { owner, playtester, slotId, shown, submit, submitted, upload };
}

const sound = (codec: string) => expect.objectContaining({ kind: "audio", codec, width: null, height: null });
const picture = (codec: string, profile: RegExp) => ({
  kind: "video",
  codec,
  profile: expect.stringMatching(profile),
  width: 160,
  height: 90,
});

onBothDatabases("what a video is made of", (serve) => {
  const mp4 = videoFixture("index-at-end.mp4");
  let server: TestServer;
  beforeEach(async () => {
    server = await serve();
  });

  it.each([
    ["mp4", mp4, picture("avc", /^avc1\./), "aac", true, 2],
    ["mp4", videoFixture("hevc.mp4"), picture("hevc", /^hev1\.2\./), "aac", false, 2],
    ["webm", videoFixture("streamed.webm"), picture("vp8", /^vp8$/), "opus", true, 2],
    ["mkv", videoFixture("streamed.mkv"), picture("avc", /^avc1\./), "aac", false, 2],
  ])(
    "%s %#: is shown to its playtester, and to its owner once it is submitted",
    async (container, bytes, video, audio, plays, length) => {
      const { slotId, playtester, shown, submit, submitted } = await held(server);
      await giveVideo(server, slotId, playtester, bytes);
      const format = { container, tracks: [video, sound(audio)], playsEverywhere: plays, fault: null };
      expect((await shown()).uploadedVideo).toMatchObject({ format, durationSeconds: length });
      expect((await submit()).status).toBe(200);
      for (const view of [await submitted(), (await shown()).submission])
        expect(view).toMatchObject({ videoFormat: format, videoDurationSeconds: length });
    },
  );
  it.each([
    [
      "cut",
      mp4.subarray(0, mp4.length / 2),
      "The file cannot be played: the recording was not finished, or a part of the file is missing. Nothing was stored. Let your recorder finish and copy the whole file, or record again.",
    ],
    [
      "sound alone",
      videoFixture("sound.webm"),
      "The file has no picture. Nothing was stored. Record your screen as well as the sound.",
    ],
    [
      "encrypted",
      videoFixture("encrypted.mp4"),
      "The file is encrypted, so nobody could watch it. Nothing was stored. Record without copy protection.",
    ],
    [
      "no video",
      Buffer.from("This is a letter, whatever its name may say."),
      "The file is not an MP4, WebM, MOV or MKV video. Nothing was stored. Choose a video file.",
    ],
  ])("%s: the upload is refused, nothing of it is kept, and another takes its place", async (_, bytes, message) => {
    const { shown, submit, upload } = await held(server);
    const reply = await upload(bytes);
    expect([reply.status, reply.body.error]).toMatchObject([415, { code: "UNSUPPORTED_MEDIA_TYPE", message }]);
    expect((await shown()).uploadedVideo).toBeNull();
    expect((await submit()).status).toBe(409);
    const files = [];
    for await (const { key } of server.deps.blobs.list(["videos"])) files.push(key);
    expect(files).toEqual([]);
    expect((await upload(mp4)).status).toBe(204);
    expect((await submit()).status).toBe(200);
  });

  /** As a program that looked at no videos stored them. */
  const forget = () =>
    server.deps.store.write(async (tx) => {
      await tx.run("UPDATE uploads SET facts = NULL, duration_ms = NULL");
      await tx.run("UPDATE submissions SET video_facts = NULL, video_duration_ms = NULL");
    });

  it("not known yet: accepted and shown as null, until a job has looked at each video, also at a submitted one", async () => {
    const { slotId, playtester, shown, submit, submitted } = await held(server);
    await giveVideo(server, slotId, playtester, await streamed(60, 1000));
    await forget();
    expect((await shown()).uploadedVideo).toMatchObject({ format: null, durationSeconds: null });
    expect((await submit()).status).toBe(200);
    expect(await submitted()).toMatchObject({ videoFormat: null, videoDurationSeconds: null });
    await startInspecting(server.deps);
    await server.advance(0);
    expect(await submitted()).toMatchObject({
      videoFormat: { container: "webm", playsEverywhere: true },
      videoDurationSeconds: 59,
    });
  });

  it("not known of a video that arrives while the job ends: looked at nevertheless", async () => {
    const reads = heldReads();
    const late = await serve({ through: reads.through });
    const { slotId, playtester } = await held(late);
    await giveVideo(late, slotId, playtester);
    await late.advance(0);
    const { store } = late.deps;
    const found = reads.hold("facts IS NULL");
    await store.write((tx) => queueInspection(tx));
    await found;
    await store.write(async (tx) => {
      await tx.run("UPDATE uploads SET facts = NULL");
      await queueInspection(tx);
    });
    reads.release();
    await late.advance(0);
    expect(await store.read(nextToInspect)).toBeUndefined();
  });

  it("not readable: looked at once, and shown as null", async () => {
    const { slotId, playtester, submit, submitted } = await held(server);
    await giveVideo(server, slotId, playtester);
    await submit();
    await forget();
    const key = (await server.deps.store.read((q) => q.one<{ blob_key: string }>("SELECT blob_key FROM submissions")))!.blob_key;
    await server.deps.blobs.remove(key);
    await startInspecting(server.deps);
    await server.advance(0);
    expect(await submitted()).toMatchObject({ videoFormat: null });
    expect(await server.deps.store.read(nextToInspect)).toBeUndefined();
  });

  it("not readable right now: logged and tried again in an hour, and older videos do not wait for it", async () => {
    const [older, newer] = [await held(server), await held(server)];
    for (const { slotId, playtester, submit } of [older, newer]) {
      await giveVideo(server, slotId, playtester);
      await submit();
      await server.advance(1);
    }
    await forget();
    const { blobs } = server.deps;
    const newest = (await server.deps.store.read(nextToInspect))!.id;
    const lend = blobs.lend;
    blobs.lend = async (key, ...given) => {
      if (key.endsWith(newest)) throw new Error("It waits on another disk.");
      return lend.call(blobs, key, ...given);
    };
    await startInspecting(server.deps);
    await server.advance(0);
    const known = () => Promise.all([older, newer].map(async ({ submitted }) => (await submitted()).videoFormat?.container));
    expect(await known()).toEqual(["mp4", undefined]);
    expect(server.lines.filter((line) => line.includes("a video could not be inspected"))).toHaveLength(1);
    blobs.lend = lend;
    await server.advance(3_600_000);
    expect(await known()).toEqual(["mp4", "mp4"]);
  });

  it("known too late that nobody can watch it: not submitted by its playtester; its owner is told of one that was", async () => {
    const { slotId, playtester, shown, submit, submitted } = await held(server);
    await giveVideo(server, slotId, playtester);
    const facts = JSON.stringify({ type: "video/mp4", tracks: [], durationMs: null, fault: "unfinished" });
    const setFacts = (to: string | null) =>
      server.deps.store.write(async (tx) => {
        await tx.run("UPDATE uploads SET facts = ?", to);
        await tx.run("UPDATE submissions SET video_facts = ?", to);
      });
    await setFacts(facts);
    expect((await submit()).body.error.message).toBe(
      "The uploaded file cannot be played: the recording was not finished, or a part of the file is missing. Nothing was submitted. Let your recorder finish and copy the whole file, or record again. Then upload it.",
    );
    expect(await shown()).toMatchObject({ status: "reserved", uploadedVideo: { format: { fault: "unfinished" } } });
    await setFacts(null);
    expect((await submit()).status).toBe(200);
    await setFacts(facts);
    expect((await submitted()).videoFormat).toEqual({
      container: "mp4",
      tracks: [],
      playsEverywhere: false,
      fault: "unfinished",
    });
  });
});
