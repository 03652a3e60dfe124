import { cpSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it, vi } from "vitest";
import { openStore } from "../../server/database/open.ts";
import { startProcess } from "../helpers/cluster.ts";
import { onBothDatabases } from "../helpers/each.ts";
import * as factories from "../helpers/factories.ts";
import { gate } from "../helpers/gate.ts";
import { startMemoryBucket } from "../helpers/memory-bucket.ts";
import { killLeftovers } from "../helpers/process.ts";
import { startTestServer, type TestServer } from "../helpers/server.ts";
import { drivers, freshFolder } from "../helpers/store.ts";
import { begin, patch } from "../helpers/tus.ts";

const script = fileURLToPath(new URL("../fixtures/transcriber.mjs", import.meta.url));
const runs = (...args: string[]) => [process.execPath, script, ...args];
const unknown = "01900000-0000-7000-8000-000000000000";

type Transcriber = Partial<TestServer["deps"]["config"]["transcriber"]>;
const using = (transcriber: Transcriber) => ({
  config: (config: TestServer["deps"]["config"]) => void Object.assign(config.transcriber, transcriber),
});

async function market(server: TestServer) {
  const [owner, playtester] = [await factories.registerOwner(server), await factories.registerPlaytester(server)];
  const gameId = await factories.createGame(owner);
  await factories.giveCredit(server, owner, 100_000);
  return { owner, playtester, gameId };
}

async function submitted(server: TestServer) {
  const people = await market(server);
  const slotId = await factories.play(server, people.playtester, await factories.order(people.owner, people.gameId));
  return { ...people, slotId };
}

const transcription = async (owner: factories.Person, slotId: string) =>
  (await owner.get(`/slots/${slotId}`)).body.data.slot.transcription;
const errorOf = async (server: TestServer, slotId: string) =>
  (await server.deps.store.read((q) => q.one<{ error: string }>("SELECT error FROM transcriptions WHERE slot_id = ?", slotId)))!
    .error;
const isAlive = (pid: number) => {
  try {
    // A process that was killed but not yet buried by its parent counts as dead.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
};
const pidsIn = (file: string) => readFileSync(file, "utf8").split(" ").map(Number);
/** A killed process lets go of its pipes a moment before it is gone. */
const allDead = (file: string) => vi.waitUntil(() => !pidsIn(file).some(isAlive), { timeout: 60_000 });

onBothDatabases("transcripts", (serve, it) => {
  it.each([
    [["whisper"], true],
    [[], false],
  ])("server info: with the command %j transcription is %s", async (command, said) => {
    const server = await serve(using({ command }));
    expect((await server.request("GET", "/info/server")).body.data.features.transcription).toBe(said);
  });

  it("transcript: WebVTT behind a signed link", async () => {
    const server = await serve(using({ command: runs("vtt") }));
    const { owner, slotId } = await submitted(server);
    await server.advance(0);
    expect(await transcription(owner, slotId)).toMatchObject({
      status: "approved",
      selectedVersion: "original",
      keyTakeaways: [],
    });
    const reply = await owner.get(`/playtests/slots/${slotId}/transcript`);
    expect(reply.body.data).toMatchObject({ filename: `transcript-${slotId}.vtt`, version: "original", keyTakeaways: [] });
    const file = await fetch(reply.body.data.downloadUrl);
    expect(file.headers.get("content-type")).toBe("text/vtt; charset=utf-8");
    expect(await file.text()).toBe("WEBVTT\n\n00:00.000 --> 00:02.000\nHello there.\n");
    const [item] = (await owner.get("/submissions")).body.data.submissions;
    expect(item.transcription).toEqual({ id: expect.any(String), status: "approved", selectedVersion: "original" });
  });

  it("takeaways: present when the command returns some", async () => {
    const server = await serve(using({ command: runs("json") }));
    const { owner, slotId } = await submitted(server);
    await server.advance(0);
    const keyTakeaways = ["The menu is dark.", "Jumping is fun."];
    expect((await owner.get(`/slots/${slotId}/transcript`)).body.data.keyTakeaways).toEqual(keyTakeaways);
    expect((await transcription(owner, slotId)).keyTakeaways).toEqual(keyTakeaways);
  });

  it("segments: converted to WebVTT", async () => {
    const server = await serve(using({ command: runs("segments") }));
    const { owner, slotId } = await submitted(server);
    await server.advance(0);
    const { downloadUrl } = (await owner.get(`/slots/${slotId}/transcript`)).body.data;
    expect(await (await fetch(downloadUrl)).text()).toBe("WEBVTT\n\n00:00:00.000 --> 00:01:01.500\nOne → &lt;two>\nthree\n");
  });

  it("no command configured: no transcripts", async ({ server }) => {
    const { owner, slotId } = await submitted(server);
    await server.advance(0);
    expect(await transcription(owner, slotId)).toBeNull();
    expect((await owner.get(`/slots/${slotId}/transcript`)).status).toBe(404);
  });

  it("access: 404 for another owner, and before there is a video", async () => {
    const server = await serve(using({ command: runs("vtt") }));
    const { owner, playtester, gameId, slotId } = await submitted(server);
    await server.advance(0);
    const other = await factories.registerOwner(server);
    const foreign = await other.get(`/playtests/slots/${slotId}/transcript`);
    const absent = await other.get(`/playtests/slots/${unknown}/transcript`);
    expect([foreign.status, foreign.body.error]).toEqual([404, absent.body.error]);
    const reserved = await factories.claim(playtester, await factories.order(owner, gameId));
    expect((await owner.get(`/slots/${reserved}/transcript`)).status).toBe(404);
  });

  const edited = "WEBVTT\n\n00:00.000 --> 00:02.000\nHello, captain.\n";
  const textAt = async (owner: factories.Person, slotId: string) =>
    (await fetch((await owner.get(`/slots/${slotId}/transcript`)).body.data.downloadUrl)).text();
  const files = (server: TestServer) => readdirSync(join(server.deps.dataDir, "blobs", "transcripts"));

  it("edited transcript: replaces the automatic one until it is deleted, and leaves no file behind", async () => {
    const server = await serve(using({ command: runs("json") }));
    const { owner, slotId } = await submitted(server);
    await server.advance(0);
    const [path, automatic] = [`/slots/${slotId}/transcript`, await textAt(owner, slotId)];
    const put = (vtt: string, key: string) =>
      server.request("PUT", path, { key: owner.key, headers: { "idempotency-key": key }, body: { vtt } });
    const first = await put(edited, "one");
    expect([first.status, first.body.data.version, first.body.data.keyTakeaways]).toEqual([
      200,
      "edited",
      ["The menu is dark.", "Jumping is fun."],
    ]);
    expect((await put(edited, "one")).body.data).toEqual(first.body.data);
    expect(await textAt(owner, slotId)).toBe(edited);
    expect(await transcription(owner, slotId)).toMatchObject({ status: "approved", selectedVersion: "edited" });
    await put(edited.replace("captain", "pilot"), "two");
    expect(await textAt(owner, slotId)).toContain("pilot");
    await server.advance(0);
    expect(files(server)).toHaveLength(2);
    const messages = [await owner.delete(path), await owner.delete(path)].map(({ body }) => body.data.message);
    expect(messages).toEqual(["The edited transcript is deleted.", "This transcript was not edited."]);
    await server.advance(0);
    expect([await textAt(owner, slotId), files(server).length]).toEqual([automatic, 1]);
    expect(await transcription(owner, slotId)).toMatchObject({ selectedVersion: "original" });
  });

  it("edited transcript: possible without an automatic one, after one that failed, and not before there is a video", async ({
    server,
  }) => {
    const { owner, playtester, gameId, slotId } = await submitted(server);
    const put = (id: string) => server.request("PUT", `/slots/${id}/transcript`, { key: owner.key, body: { vtt: edited } });
    expect((await put(slotId)).status).toBe(200);
    expect(await textAt(owner, slotId)).toBe(edited);
    await owner.delete(`/slots/${slotId}/transcript`);
    expect(await transcription(owner, slotId)).toBeNull();
    const reserved = await factories.claim(playtester, await factories.order(owner, gameId));
    expect((await put(reserved)).body.error.message).toBe("This slot has no video yet. Nothing was changed.");
    expect((await (await factories.registerOwner(server)).delete(`/slots/${slotId}/transcript`)).status).toBe(404);
  });

  it.each([
    ["Hello", "must be WebVTT, whose first line is WEBVTT, or SubRip (SRT)"],
    ["WEBVTT\n\nHello\n", "must have at least one cue, such as 00:00:01.000 --> 00:00:04.000"],
    ["WEBVTT\n\n1 --> 2\nHello\n", "has an invalid time in line 3; write it as 00:00:01.000 --> 00:00:04.000"],
    ["WEBVTT\r\n\r\n00:02.000 --> 00:01.000\r\nHello\r\n", "has a cue in line 3 that ends before it starts"],
    ["W".repeat(500_001), "must be at most 500000 characters"],
  ])("edited transcript: %# is refused", async (vtt, message) => {
    const server = await serve();
    const { owner, slotId } = await submitted(server);
    const { status, body } = await server.request("PUT", `/slots/${slotId}/transcript`, { key: owner.key, body: { vtt } });
    expect([status, body.error.details]).toEqual([422, [{ field: "vtt", message }]]);
    expect((await owner.get(`/slots/${slotId}/transcript`)).status).toBe(404);
  });

  it("edited transcript: SubRip is stored as WebVTT", async ({ server }) => {
    const { owner, slotId } = await submitted(server);
    const srt = "\ufeff1\r\n0:00:01,000 --> 0:00:02,500\r\n<font color=red>Tom & <i>Ann</i></font>\r\n";
    expect((await server.request("PUT", `/slots/${slotId}/transcript`, { key: owner.key, body: { vtt: srt } })).status).toBe(200);
    expect(await textAt(owner, slotId)).toBe("WEBVTT\n\n1\n00:00:01.000 --> 00:00:02.500\nTom &amp; <i>Ann</i>\n");
  });

  it("file name: the command never sees the playtester's", async () => {
    const server = await serve(using({ command: runs("arguments", "{video}") }));
    const { owner, playtester, gameId } = await market(server);
    const slotId = await factories.claim(playtester, await factories.order(owner, gameId));
    const trap = join(freshFolder(), "trap");
    const bytes = factories.videoBytes(5000);
    const filename = `$(touch ${trap}); touch ${trap}; "--help".mp4`;
    const url = await begin(server, playtester, `/playtester/slots/${slotId}/video`, bytes.length, {
      filename,
      filetype: "video/mp4",
    });
    await patch(server, playtester, url, 0, bytes);
    await playtester.post(`/playtester/slots/${slotId}/submit`);
    await server.advance(0);
    expect((await owner.get(`/slots/${slotId}/transcript`)).body.data.keyTakeaways).toEqual(["video.mp4", "5000"]);
    expect(existsSync(trap)).toBe(false);
  });

  const failures: { name: string; transcriber: Transcriber; because: RegExp }[] = [
    { name: "ends with an error", transcriber: { command: runs("fail") }, because: /exit code 3: no such model/ },
    { name: "prints garbage", transcriber: { command: runs("garbage") }, because: /NUL/ },
    { name: "prints nothing", transcriber: { command: runs("nothing") }, because: /neither WebVTT nor JSON/ },
    { name: "prints other JSON", transcriber: { command: runs("list") }, because: /not an object/ },
    { name: "prints takeaways that are no texts", transcriber: { command: runs("takeaways") }, because: /keyTakeaways/ },
    {
      name: "prints without end",
      transcriber: { command: runs("huge"), maxOutputBytes: 1_000_000 },
      because: /more than 1000000 bytes/,
    },
    { name: "does not exist", transcriber: { command: ["/nonexistent/whisper"] }, because: /could not be started/ },
  ];
  it.each(failures)("fail alone when the command $name", async ({ transcriber, because }) => {
    const server = await serve(using(transcriber));
    const { owner, playtester, slotId } = await submitted(server);
    await server.advance(0);
    expect(await transcription(owner, slotId)).toMatchObject({ status: "failed", selectedVersion: null });
    expect(await errorOf(server, slotId)).toMatch(because);
    expect((await owner.get(`/slots/${slotId}/transcript`)).status).toBe(404);
    expect((await owner.post(`/slots/${slotId}/accept`)).status).toBe(200);
    expect((await playtester.get("/playtester/earnings")).body.data.balanceCents).toBe(1000);
    expect(readdirSync(join(server.deps.dataDir, "transcribing"))).toEqual([]);
  });

  it("fail at once when the file of the video is missing, and the owner may add one of their own", async () => {
    const server = await serve(using({ command: runs("vtt") }));
    const { owner, playtester, gameId } = await market(server);
    const slotId = await factories.claim(playtester, await factories.order(owner, gameId));
    await factories.giveVideo(server, slotId, playtester);
    for await (const { key } of server.deps.blobs.list(["videos"])) await server.deps.blobs.remove(key);
    expect((await playtester.post(`/playtester/slots/${slotId}/submit`)).status).toBe(200);
    await server.advance(0);
    expect(await transcription(owner, slotId)).toMatchObject({ status: "failed", selectedVersion: null });
    expect(await errorOf(server, slotId)).toBe("the file of the video is missing");
    expect((await server.request("PUT", `/slots/${slotId}/transcript`, { key: owner.key, body: { vtt: edited } })).status).toBe(
      200,
    );
  });

  /** A slot whose video is there when the disk is nearly full. */
  async function submittedToFullDisk(server: TestServer) {
    const { owner, playtester, gameId } = await market(server);
    const slotId = await factories.claim(playtester, await factories.order(owner, gameId));
    await factories.giveVideo(server, slotId, playtester);
    await server.deps.blobs.remote?.idle();
    server.deps.config.uploads.minFreeBytes = 2 ** 50;
    expect((await playtester.post(`/playtester/slots/${slotId}/submit`, { notes: "It was fun." })).status).toBe(200);
    await server.advance(0);
    return { owner, slotId };
  }

  it("disk that is nearly full: a stored video is read where it is", async () => {
    const server = await serve(using({ command: runs("arguments") }));
    const { owner, slotId } = await submittedToFullDisk(server);
    expect(await transcription(owner, slotId)).toMatchObject({ status: "approved", keyTakeaways: ["video.mp4", "4096"] });
    expect(readdirSync(join(server.deps.dataDir, "transcribing"))).toEqual([]);
  });

  it("disk that is nearly full: a video in a bucket is copied when there is room", async () => {
    const bucket = await startMemoryBucket();
    const server = await serve({ ...using({ command: runs("arguments") }), bucket: await bucket.open() });
    const { owner, slotId } = await submittedToFullDisk(server);
    expect((await transcription(owner, slotId)).status).toBe("processing");
    expect(server.errors.splice(0).map(String)).toEqual([
      expect.stringContaining("too little free disk space for a copy of the video"),
    ]);
    expect(readdirSync(join(server.deps.dataDir, "transcribing"))).toEqual([]);
    server.deps.config.uploads.minFreeBytes = 0;
    await server.advance(5 * 60_000);
    expect(await transcription(owner, slotId)).toMatchObject({ status: "approved", keyTakeaways: ["video.mp4", "4096"] });
    await server.deps.blobs.remote!.idle();
    await bucket.close();
  });

  it("disk that stays full: fails with the last try, so that the owner may add one of their own", async () => {
    const bucket = await startMemoryBucket();
    const server = await serve({ ...using({ command: runs("arguments") }), bucket: await bucket.open() });
    const { owner, slotId } = await submittedToFullDisk(server);
    await server.advance(5 * 86_400_000);
    expect((await transcription(owner, slotId)).status).toBe("failed");
    expect(await errorOf(server, slotId)).toBe("Error: too little free disk space for a copy of the video");
    expect(server.errors.splice(0)).toHaveLength(25);
    // The job is among those that operators can run again, with more room.
    const [dead] = await server.deps.store.read((q) => q.all<{ kind: string }>("SELECT kind FROM jobs WHERE state = 'dead'"));
    expect(dead).toEqual({ kind: "transcribe" });
    expect((await server.request("PUT", `/slots/${slotId}/transcript`, { key: owner.key, body: { vtt: edited } })).status).toBe(
      200,
    );
    await server.advance(0);
    await server.deps.blobs.remote!.idle();
    await bucket.close();
  });

  it("command that hangs: killed with its children, and no other job waits for it", async () => {
    const pids = join(freshFolder(), "pids");
    const server = await serve(using({ command: runs("hang", pids), timeoutMs: 3000 }));
    const { owner, playtester, gameId, slotId } = await submitted(server);
    await vi.waitUntil(() => existsSync(pids) && readFileSync(pids, "utf8").includes(" "), { timeout: 60_000 });
    expect(await transcription(owner, slotId)).toMatchObject({ status: "processing" });
    expect((await owner.get(`/slots/${slotId}/transcript`)).status).toBe(404);
    expect((await owner.post(`/slots/${slotId}/accept`)).status).toBe(200);
    const publicSlot = await factories.play(server, playtester, await factories.order(owner, gameId, { visibility: "public" }));
    await owner.post(`/slots/${publicSlot}/accept`);
    // Other jobs run meanwhile.
    await vi.waitUntil(async () => (await owner.get(`/slots/${publicSlot}`)).body.data.slot.status === "accepted", {
      timeout: 60_000,
    });
    await vi.waitUntil(async () => (await transcription(owner, slotId)).status === "failed", { timeout: 60_000 });
    expect(await errorOf(server, slotId)).toMatch(/longer than 3000 ms/);
    await allDead(pids);
  });

  it("playtesters take turns: who sent many videos delays the others by one of them", async () => {
    const held = gate();
    const transcribed: string[] = [];
    const transcribe = async (path: string) => {
      await held.passed;
      transcribed.push(statSync(path).size > 5000 ? "other" : "many");
      return "WEBVTT\n";
    };
    const server = await serve({ transcriber: { transcribe } });
    const { owner, playtester, gameId } = await market(server);
    const other = await factories.registerPlaytester(server);
    const playtestId = await factories.order(owner, gameId, { quantity: 1 });
    for (let at = 0; at < 4; at++) await factories.play(server, playtester, await factories.order(owner, gameId));
    const slotId = await factories.claim(other, playtestId);
    await factories.giveVideo(server, slotId, other, factories.videoBytes(6000));
    expect((await other.post(`/playtester/slots/${slotId}/submit`)).status).toBe(200);
    held.open();
    await vi.waitUntil(() => transcribed.length === 5, { timeout: 60_000 });
    expect(transcribed).toEqual(["many", "other", "many", "many", "many"]);
    await server.advance(0);
  });

  it("process that a command leaves behind: is not awaited", async () => {
    const pids = join(freshFolder(), "pids");
    const server = await serve(using({ command: runs("orphan", pids) }));
    const { owner, slotId } = await submitted(server);
    await server.advance(0);
    expect((await transcription(owner, slotId)).status).toBe("approved");
    await allDead(pids);
  });
});

describe.each(drivers)("a server that stops while a video is transcribed ($name)", (driver) => {
  it("ends the command, and the next server makes the transcript", async () => {
    const pids = join(freshFolder(), "pids");
    const dataDir = freshFolder();
    const store = await driver.open();
    const first = await startTestServer({ store, dataDir, ...using({ command: runs("hang", pids), timeoutMs: 60_000 }) });
    const { owner, slotId } = await submitted(first);
    await vi.waitUntil(() => existsSync(pids) && readFileSync(pids, "utf8").includes(" "), { timeout: 60_000 });
    // Closing a test server takes its files away: the next one finds them in another folder.
    const nextDir = freshFolder();
    cpSync(join(dataDir, "blobs"), join(nextDir, "blobs"), { recursive: true });
    await first.close();
    await allDead(pids);

    const second = await startTestServer({
      store: await openStore(store.location.options),
      dataDir: nextDir,
      clock: first.clock,
      ...using({ command: runs("json") }),
    });
    try {
      await second.advance(0);
      const key = { key: owner.key };
      expect((await second.request("GET", `/slots/${slotId}/transcript`, key)).body.data.keyTakeaways).toHaveLength(2);
    } finally {
      await second.close();
      await store.location.remove();
    }
  });
});

describe("a server of its own", () => {
  afterEach(killLeftovers);

  interface Said {
    playtest: { id: string };
    slots: [{ id: string }];
    keyTakeaways: string[];
  }

  async function start(folder: string, transcriber: Transcriber, flags: string[] = [], env = {}) {
    writeFileSync(join(folder, "config.json"), JSON.stringify({ transcriber }));
    const { child, ended, baseUrl, ownerKey, gameId } = await startProcess(folder, undefined, flags, env);
    const ask = async (method: string, path: string, key = ownerKey, body?: object) => {
      const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
      const reply = await fetch(`${baseUrl}/api/v1${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
      return ((await reply.json()) as { data: Said }).data;
    };
    /** Orders a playtest and lets it be played; the id of its slot. */
    const played = async () => {
      const { playtest } = await ask("POST", `/games/${gameId}/playtests`, ownerKey, { quantity: 1 });
      const [{ id }] = (await ask("GET", `/playtests/${playtest.id}/slots`)).slots;
      await ask("POST", `/sandbox/slots/${id}/play`);
      return id;
    };
    return { child, ended, ask, ownerKey, played };
  }

  it.each(drivers)("gives the command none of its secrets, only the variables that a setting names ($name)", async (driver) => {
    const { options, remove } = await driver.location();
    const database = options.databaseUrl === undefined ? [] : ["--database-url", options.databaseUrl];
    const transcriber = { command: runs("environment"), environment: ["HF_HOME", "NOT_SET"] };
    const secrets = {
      PLAYTEST_SECRET_KEY: "07".repeat(32),
      STRIPE_SECRET_KEY: "sk_test_1",
      PLAYTEST_SMTP_PASSWORD: "mail-secret",
    };
    const env = { ...secrets, AWS_SECRET_ACCESS_KEY: "cloud-secret", HF_HOME: "/models" };
    const server = await start(freshFolder(), transcriber, ["--seed", "minimal", ...database], env);
    const id = await server.played();
    const transcript = () => server.ask("GET", `/slots/${id}/transcript`);
    const seen = await vi.waitUntil(async () => (await transcript())?.keyTakeaways, { timeout: 60_000 });
    server.child.kill("SIGTERM");
    await server.ended;
    await remove();
    // The shell that limits the program sets PWD.
    expect(seen.filter((line) => !line.startsWith("PWD=")).sort()).toEqual([
      "HF_HOME=/models",
      "LANG=C.UTF-8",
      `PATH=${process.env.PATH}`,
    ]);
  });

  it("that is killed ends the command and its children, and the next one makes the transcript", async () => {
    const folder = freshFolder();
    const pids = join(folder, "pids");
    const first = await start(folder, { command: runs("hang", pids) }, ["--seed", "minimal"]);
    const id = await first.played();
    await vi.waitUntil(() => existsSync(pids) && readFileSync(pids, "utf8").includes(" "), { timeout: 60_000 });
    expect(pidsIn(pids).filter(isAlive)).toHaveLength(2);
    first.child.kill("SIGKILL");
    await first.ended;
    await allDead(pids);

    const second = await start(folder, { command: runs("json") });
    // The job of the dead server is free once its lease has run out.
    await second.ask("POST", "/sandbox/clock/advance", "", { seconds: 300 });
    const { keyTakeaways } = await second.ask("GET", `/slots/${id}/transcript`, first.ownerKey);
    expect(keyTakeaways).toEqual(["The menu is dark.", "Jumping is fun."]);
  });
});
