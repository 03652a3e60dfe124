import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { createOutbox } from "../../server/mail/outbox.ts";
import * as uploads from "../../server/uploads/store.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { createGame, giveCredit, order, play, registerOwner, registerPlaytester } from "../helpers/factories.ts";
import { startTime } from "../helpers/server.ts";
import { freshFolder } from "../helpers/store.ts";

const refusal = /is not the id of a row/;

// An archive that somebody else made can hold rows that no server wrote, and some files are named by the ids of rows.
onBothDatabases("a row whose id is a path", (serve) => {
  it("of an upload: its file is not removed", async () => {
    const dataDir = freshFolder();
    const server = await serve({ dataDir });
    const { deps } = server;
    const victim = join(dataDir, "instance.key");
    writeFileSync(victim, "secret");
    const { id: user_id } = await registerPlaytester(server);
    const id = "../instance.key";
    await deps.store.write(async (tx) => {
      await uploads.insert(tx, {
        ...{ id, kind: "video", user_id, game_id: null, slot_id: null, size: 1, filename: "a", filetype: null, sha256: null },
        ...{
          metadata: "{}",
          status: "expired",
          created_at: 0,
          completed_at: null,
          duration_ms: null,
          facts: null,
          expires_at: 0,
        },
      });
      await deps.jobs.schedule(tx, { kind: "discard-upload", key: id, payload: { uploadId: id }, runAt: deps.clock.now() });
    });
    await server.advance(0);
    expect(existsSync(victim)).toBe(true);
    expect(server.errors.splice(0).map(String)).toEqual([expect.stringMatching(refusal)]);
  });

  it("of a transcription: nothing is removed there", async () => {
    const dataDir = freshFolder();
    const transcribe = async () => "WEBVTT\n";
    const server = await serve({ dataDir, transcriber: { transcribe } });
    const { deps } = server;
    const [owner, worker] = [await registerOwner(server), await registerPlaytester(server)];
    const gameId = await createGame(owner);
    await giveCredit(server, owner, 100_000);
    const slotId = await play(server, worker, await order(owner, gameId));
    await server.advance(0);
    const victim = join(dataDir, "kept.1");
    mkdirSync(victim);
    writeFileSync(join(victim, "file"), "");
    await deps.store.write(async (tx) => {
      await tx.run("UPDATE transcriptions SET id = '../kept', status = 'pending' WHERE slot_id = ?", slotId);
      await deps.jobs.schedule(tx, { kind: "transcribe", key: "again", payload: { slotId }, runAt: deps.clock.now() });
    });
    await server.advance(0);
    expect(readdirSync(victim)).toEqual(["file"]);
    expect(server.errors.splice(0).map(String)).toEqual([expect.stringMatching(refusal)]);
  });

  it("of a clip: nothing is removed there", async () => {
    const dataDir = freshFolder();
    const clip = async (_from: unknown, _part: unknown, to: string) => writeFileSync(to, "a clip");
    const server = await serve({ dataDir });
    const { deps } = server;
    deps.cutter = { ...deps.cutter!, clip, still: (from, _atMs, to) => clip(from, undefined, to) };
    const [owner, worker] = [await registerOwner(server), await registerPlaytester(server)];
    await giveCredit(server, owner, 100_000);
    const slotId = await play(server, worker, await order(owner, await createGame(owner)));
    await owner.createClip({ params: { id: slotId }, body: { atMs: 0, endMs: 1000 } });
    await server.advance(0);
    const victim = join(dataDir, "kept.1");
    mkdirSync(victim);
    writeFileSync(join(victim, "file"), "");
    await deps.store.write(async (tx) => {
      await tx.run("DELETE FROM stills");
      await tx.run("UPDATE clips SET id = '../kept', status = 'pending'");
      await deps.jobs.schedule(tx, { kind: "cut-clip", key: "again", payload: { clipId: "../kept" }, runAt: deps.clock.now() });
    });
    await server.advance(0);
    expect(readdirSync(victim)).toEqual(["file"]);
    expect(server.errors.splice(0).map(String)).toEqual([expect.stringMatching(refusal)]);
  });
});

it("an email whose id is a path is not written outside of the outbox", async () => {
  const folder = join(freshFolder(), "outbox");
  const mail = {
    id: "../escaped",
    from: "a@example.com",
    to: "b@example.com",
    subject: "",
    text: "",
    html: null,
    calendar: null,
    document: null,
  };
  const sent = createOutbox(folder).send({ ...mail, unsubscribeUrl: null, createdAt: startTime, host: "example.com" });
  await expect(sent).rejects.toThrow(refusal);
  expect(readdirSync(dirname(folder))).toEqual([]);
});
