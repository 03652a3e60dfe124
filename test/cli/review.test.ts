import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import * as slots from "../../server/playtests/slots/store.ts";
import * as signals from "../../server/sharing/signals/store.ts";
import { failure } from "../../src/errors.ts";
import { testFolder, untilStopped } from "../helpers/cli.ts";
import { type Person, play, registerPlaytester } from "../helpers/factories.ts";
import { eachOwnerFixture, named } from "../helpers/owner-fixture.ts";
import { killLeftovers, spawnPlaytest } from "../helpers/process.ts";
import { stubServer } from "../helpers/stub-server.ts";

const fixture = eachOwnerFixture();
let ann: Person;

beforeEach(async () => {
  ann = await registerPlaytester(fixture.server, "Ann");
});

afterEach(killLeftovers);

const submitted = async (person = ann) => play(fixture.server, person, await fixture.order());
const slot = async (id: string) => (await fixture.owner.get(`/slots/${id}`)).body.data.slot;
const earned = async () => (await ann.get("/playtester/earnings")).body.data.balanceCents;

/** A server of files only, which does with each request what the test says; it never sees a key. */
async function fileServer(
  answer: (path: string, range: string | undefined, response: ServerResponse, condition: string | undefined) => void,
) {
  const server = createServer((request, response) => {
    if (request.headers.authorization) response.writeHead(500).end();
    else answer(request.url ?? "", request.headers.range, response, request.headers["if-range"] as string | undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url, close };
}

/** Sends five bytes, and cuts the connection once the command has kept them in a partial file of this folder. */
async function cutAfterFive(response: ServerResponse, folder: string): Promise<void> {
  response.write("12345");
  const kept = () =>
    readdirSync(folder)
      .filter((name) => name.endsWith(".part"))
      .map((name) => statSync(join(folder, name)).size);
  await expect.poll(kept, { interval: 5, timeout: 60_000 }).toEqual([5]);
  response.destroy();
}

describe("looking", () => {
  it("lists what waits, and an id from the list works in its short form", async () => {
    const config = { PLAYTEST_CONFIG_DIR: testFolder(), NO_COLOR: "1" };
    const id = await submitted();
    const { stdout } = await fixture.run("review list", { tty: true, columns: 120, env: config });
    expect(named(stdout, { SLOT: id })).toMatchInlineSnapshot(`
      "SLOT      GAME          PLAYTESTER  DURATION  VIDEO    TRANSCRIPT  SUBMITTED  NOTE
      SLOT      Lantern Deep  Ann         60 min    4.0 KiB              now
      "
    `);
    const shown = await fixture.run(`review show ${id.slice(-8)}`, { tty: true, env: config });
    expect(named(shown.stdout, { SLOT: id })).toMatchInlineSnapshot(`
      "slot          SLOT
      status        submitted
      game          Lantern Deep
      playtest      UUID
      playtester    Ann
      duration      60 min
      submitted     now
      video         4.0 KiB
      video length  unknown
      video format  H.264, 64×48 (MP4)
      build         2026-03-01 12:00
      notes         It was fun.
      "
    `);
  });

  it("says so where nothing waits, and counts", async () => {
    const { code, stdout, stderr } = await fixture.run("review", { tty: true });
    expect([code, stdout, stderr]).toEqual([0, "", "No submissions are waiting for review.\n"]);
    await submitted();
    expect(await fixture.json("review stats")).toMatchObject({ totalGames: 1, activePlaytests: 1, pendingReviews: 1 });
  });

  it("prints a link that leads to the video, or keeps it in a private file", async () => {
    const id = await submitted();
    const { stdout } = await fixture.run(`review url ${id}`);
    const video = await fetch(stdout.trim());
    expect([video.status, (await video.arrayBuffer()).byteLength]).toEqual([200, 4096]);
    const file = join(testFolder(), "link");
    const hidden = await fixture.run(`review url ${id} --secret-file ${file}`);
    expect(hidden.stdout).not.toContain("token=");
    expect(readFileSync(file, "utf8")).toContain("token=");
  });

  it("a transcript that does not exist is exit 3", async () => {
    expect((await fixture.run(`review transcript ${await submitted()}`)).code).toBe(3);
  });
});

describe("accept", () => {
  it("accepts one without asking, pays, and says what", async () => {
    const id = await submitted();
    const { code, stdout } = await fixture.run(["accept", id, "--rating", "5", "--comment", "Very thorough."], { tty: true });
    expect([code, named(stdout, { SLOT: id })]).toEqual([0, "Accepted SLOT     and paid Ann $10.00.\n"]);
    expect(await slot(id)).toMatchObject({ status: "accepted", rating: { score: 5, comment: "Very thorough." } });
    expect(await earned()).toBe(1_000);
  });

  it("asks before several, and collects what fails", async () => {
    const [first, second] = [await submitted(), await submitted(await registerPlaytester(fixture.server, "Bo"))];
    const refused = await fixture.run(`review accept ${first} ${second}`);
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining("Accept 2 submissions and pay their playtesters?"),
    ]);
    await fixture.run(`review accept ${first}`);
    const both = await fixture.run(`review accept ${first} ${second} --yes --json`);
    expect(both.code).toBe(11);
    expect(JSON.parse(both.stdout).result).toMatchObject({
      accepted: [{ id: second, playtester: "Bo", payoutCents: 1_000 }],
      failed: [{ id: first, code: "CONFLICT", exitCode: 6 }],
      payoutCents: 1_000,
    });
  });

  it.each([
    ["--ndjson", '{"type":"item"'],
    ["--csv", "id,playtester,payout\r\n"],
    ["--tsv", "id\tplaytester\tpayout\n"],
    ["--template {playtester}:{payoutCents|usd}", "Ann:$10.00\n"],
    ["--jq .result.payoutCents", "1000\n"],
    ["", "Ann\t$10.00\n"],
  ])("--all with %s", async (flags, expected) => {
    await submitted();
    const { code, stdout } = await fixture.run(`review accept --all --yes ${flags}`.trim());
    expect([code, stdout]).toEqual([0, expect.stringContaining(expected)]);
  });

  it("shows every request with --dry-run, and sends none", async () => {
    const [first, second] = [await submitted(), await submitted(await registerPlaytester(fixture.server))];
    const { code, stdout } = await fixture.run(`review accept ${first} ${second} --dry-run --json`);
    expect([code, JSON.parse(stdout).requests.map((one: { path: string }) => one.path)]).toEqual([
      0,
      [`/api/v1/playtests/slots/${first}/accept`, `/api/v1/playtests/slots/${second}/accept`],
    ]);
    expect((await slot(first)).status).toBe("submitted");
  });

  it.each([
    ["no id", "review accept", 2, "Missing id."],
    ["ids and --all", "review accept X --all", 2, "cannot be used together"],
    ["a rating of 6", "review accept X --rating 6", 2, "--rating: must be at most 5"],
    ["an unknown short id", "review accept 0123abcd", 3, "No recently listed id ends in"],
    [
      "a name",
      "review accept Ann",
      3,
      'error: Nothing has the id "Ann". Nothing was done. <slots>: slot ids.\nTo list valid ids: `playtest review list`.\n',
    ],
    ["a name of a slot to show", "review show Ann", 3, 'Nothing has the id "Ann". Nothing was done. <slot>: slot id.'],
    ["an unknown id", "review accept 019a0000-0000-7000-8000-000000000000", 3, ""],
  ])("refuses %s", async (_, line, code, message) => {
    const ran = await fixture.run(line);
    expect([ran.code, ran.stderr]).toEqual([code, expect.stringContaining(message)]);
  });
});

describe("reject", () => {
  it("rejects with a reason", async () => {
    const id = await submitted();
    const { code, stdout } = await fixture.run(["reject", id, "--reason", "No sound."], { tty: true });
    expect([code, named(stdout, { SLOT: id })]).toEqual([0, "Rejected SLOT    .\n"]);
    expect(await slot(id)).toMatchObject({ status: "rejected", rejection: { reason: "No sound." } });
  });

  it("lets the playtester try again with --retry", async () => {
    const id = await submitted();
    expect(await fixture.json(`review reject ${id} --retry`)).toMatchObject({ result: { rejected: [{ id, allowRetry: true }] } });
    expect((await ann.get("/playtester/slots")).body.data.slots.map((one: { status: string }) => one.status)).toContain(
      "reserved",
    );
  });
});

describe("download", () => {
  const name = (id: string) => `Lantern Deep-Ann-${id}.mp4`;
  const partName = async (id: string) => `Lantern Deep-Ann-${id}.${(await slot(id)).submission.id.slice(-8)}.part`;
  const video = async (id: string) =>
    Buffer.from(await (await fetch((await fixture.run(`review url ${id}`)).stdout.trim())).arrayBuffer());

  it("downloads, and skips what is already there whole", async () => {
    const [id, dir] = [await submitted(), testFolder()];
    expect(await fixture.json(`review download ${id} --dir ${dir}`)).toMatchObject({
      result: { downloaded: [{ id, bytes: 4096, skipped: false }] },
    });
    expect(readdirSync(dir)).toEqual([name(id)]);
    expect(readFileSync(join(dir, name(id)))).toEqual(await video(id));
    expect(await fixture.json(`review download --all --dir ${dir}`)).toMatchObject({
      result: { downloaded: [{ id, skipped: true }] },
    });
  });

  it("downloads only the missing bytes after an interrupted download", async () => {
    const [id, dir] = [await submitted(), testFolder()];
    const mark = Buffer.alloc(1_000, "x");
    writeFileSync(join(dir, await partName(id)), mark);
    expect((await fixture.run(`review download ${id} --dir ${dir}`)).code).toBe(0);
    expect(readFileSync(join(dir, name(id)))).toEqual(Buffer.concat([mark, (await video(id)).subarray(1_000)]));
  });

  it("asks for a fresh link when the old one has expired, and goes on after a lost connection", async () => {
    const id = "019a0000-0000-7000-8000-000000000000";
    const about = { ...(await slot(await submitted())), id };
    about.submission.videoFileSize = 10;
    const seen: (string | undefined)[][] = [];
    const files = await fileServer((path, range, response) => {
      seen.push([path, range]);
      if (path === "/expired") return void response.writeHead(403).end();
      if (seen.length === 2) return void cutAfterFive(response.writeHead(200, { "content-length": 10 }), dir);
      const from = Number(/bytes=(\d+)-/.exec(range ?? "")?.[1] ?? 0);
      const headers = { "content-type": "video/webm", "content-range": `bytes ${from}-9/10` };
      response.writeHead(range ? 206 : 200, headers).end("1234567890".slice(from));
    });
    const link = (path: string) => ({
      on: `GET /playtests/slots/${id}/download-url`,
      data: { downloadUrl: files.url + path, expiresAt: "" },
    });
    const stub = await stubServer([
      { on: `GET /playtests/slots/${id}`, data: { slot: about } },
      link("/expired"),
      link("/fresh"),
    ]);
    const dir = testFolder();
    const { code, stdout, stderr } = await fixture.run(`review download ${id} --dir ${dir}`, { baseUrl: stub.baseUrl });
    await files.close();
    expect([code, stderr, stdout]).toEqual([0, "", expect.stringContaining(".webm\t10\tfalse")]);
    expect(readFileSync(join(dir, `Lantern Deep-Ann-${id}.webm`), "utf8")).toBe("1234567890");
    expect(seen.map(([path]) => path)).toEqual(["/expired", "/fresh", "/fresh"]);
  });

  /** Downloads a "video" that a hostile server serves with these headers; the names of the files it left, and the times it was asked. */
  async function downloaded(body: Buffer, headers: Record<string, string>, flags: string[] = [], status = 200) {
    const id = "019a0000-0000-7000-8000-000000000000";
    const about = { ...(await slot(await submitted())), id };
    about.submission.videoFileSize = body.length;
    let asked = 0;
    const files = await fileServer((_, __, response) => {
      asked++;
      response.writeHead(status, { "content-length": body.length, ...headers }).end(body);
    });
    const link = { on: `GET /playtests/slots/${id}/download-url`, data: { downloadUrl: files.url, expiresAt: "" } };
    // Another one is asked for after each refusal but the last.
    const links = Array(status === 403 ? 2 : 1).fill(link);
    const stub = await stubServer([{ on: `GET /playtests/slots/${id}`, data: { slot: about } }, ...links]);
    const dir = testFolder();
    const { code, stderr } = await fixture.run(["review", "download", id, "--dir", dir, ...flags], { baseUrl: stub.baseUrl });
    await files.close();
    const said = code === 0 ? {} : { said: stderr.trim().split("\n") };
    return { code, ...said, asked, names: readdirSync(dir).map((one) => one.replace(`Lantern Deep-Ann-${id}`, "video")) };
  }

  it.each([
    ["the first bytes", Buffer.from("\x1aE\xdf\xa3\x9fB\x86\x81\x01B\x82\x84webm", "latin1"), "application/hta", ".webm"],
    ["the media type", Buffer.from("who knows"), "video/quicktime", ".mov"],
    ["what it must be", Buffer.from("<script>"), "application/hta", ".mp4"],
  ])("takes the extension from %s and never from the server's name", async (_, body, type, extension) => {
    const headers = { "content-type": type, "content-disposition": 'attachment; filename="playtest.hta"' };
    expect(await downloaded(body, headers)).toEqual({ code: 0, asked: 1, names: [`video${extension}`] });
  });

  it.each([
    ["0", 1, 503, "after 1 attempt: the server answered with status 503"],
    ["2", 3, 503, "after 3 attempts: the server answered with status 503"],
    ["1", 2, 403, "after 2 attempts: the link was refused with status 403"],
  ])("with --retries %s asks %i times, and says why a download failed with %i", async (retries, asked, status, why) => {
    expect(await downloaded(Buffer.from("busy"), {}, ["--retries", retries], status)).toEqual({
      code: 1,
      said: [`error: The download failed ${why}.`, "Run the command again to resume it."],
      asked,
      names: [],
    });
  });

  it("gives up where a server that ignores Range never gets further than before", async () => {
    const id = "019a0000-0000-7000-8000-000000000000";
    const about = { ...(await slot(await submitted())), id };
    about.submission.videoFileSize = 10;
    const pieces = ["12345", "123", "12345", "123", "12345", "123"];
    let asked = 0;
    const files = await fileServer((_, __, response) => {
      response.write(pieces[asked++]!);
      response.end();
    });
    const link = { on: `GET /playtests/slots/${id}/download-url`, data: { downloadUrl: files.url, expiresAt: "" } };
    const stub = await stubServer([{ on: `GET /playtests/slots/${id}`, data: { slot: about } }, link]);
    const flags = ["--dir", testFolder(), "--retries", "2"];
    const { code, stderr } = await fixture.run(["review", "download", id, ...flags], { baseUrl: stub.baseUrl });
    await files.close();
    // One that brought something, and three that did not.
    expect([code, asked]).toEqual([1, 4]);
    expect(stderr).toContain("Run the command again to resume it.");
  });

  it("asks for a fresh link also with --max-wait 0, because that waits for nothing", async () => {
    const id = "019a0000-0000-7000-8000-000000000000";
    const about = { ...(await slot(await submitted())), id };
    about.submission.videoFileSize = 10;
    const files = await fileServer((path, _, response) => {
      if (path === "/expired") response.writeHead(403).end();
      else response.writeHead(200, { "content-length": 10 }).end("1234567890");
    });
    const link = (path: string) => ({
      on: `GET /playtests/slots/${id}/download-url`,
      data: { downloadUrl: files.url + path, expiresAt: "" },
    });
    const shown = { on: `GET /playtests/slots/${id}`, data: { slot: about } };
    const stub = await stubServer([shown, link("/expired"), link("/fresh")]);
    const flags = ["--dir", testFolder(), "--max-wait", "0"];
    expect((await fixture.run(["review", "download", id, ...flags], { baseUrl: stub.baseUrl })).code).toBe(0);
    await files.close();
  });

  it("waits for a server that says when to try again, as long as --max-wait", async () => {
    const id = "019a0000-0000-7000-8000-000000000000";
    const about = { ...(await slot(await submitted())), id };
    about.submission.videoFileSize = 10;
    let asked = 0;
    const files = await fileServer((_, __, response) => {
      if (++asked <= 6) response.writeHead(503, { "retry-after": "3" }).end();
      else response.writeHead(200, { "content-length": 10 }).end("1234567890");
    });
    const link = { on: `GET /playtests/slots/${id}/download-url`, data: { downloadUrl: files.url, expiresAt: "" } };
    const once = [{ on: `GET /playtests/slots/${id}`, data: { slot: about } }, link];
    const stub = await stubServer([...once, ...once]);
    const run = (...flags: string[]) =>
      fixture.run(["review", "download", id, "--dir", testFolder(), ...flags], { baseUrl: stub.baseUrl });
    const impatient = await run("--max-wait", "5s");
    expect([impatient.code, impatient.stderr.trim().split("\n"), asked]).toEqual([
      1,
      [
        "error: The download failed after 2 attempts: the server answered with status 503.",
        "Run the command again to resume it. The server asked to try again later for 3 s. To wait longer: --max-wait 6s.",
      ],
      2,
    ]);
    const patient = await run();
    const note = "This request has not succeeded yet. It is sent again for up to 60 s (--max-wait).\n";
    expect([patient.code, patient.stderr.startsWith(note), asked]).toEqual([0, true, 7]);
    await files.close();
  });

  it("resumes a download that was killed", async () => {
    const id = "019a0000-0000-7000-8000-000000000000";
    const about = { ...(await slot(await submitted())), id };
    const whole = randomBytes(300_000);
    about.submission.videoFileSize = whole.length;
    const asked: (string | undefined)[] = [];
    const files = await fileServer((_, range, response) => {
      asked.push(range);
      const from = Number(/bytes=(\d+)-/.exec(range ?? "")?.[1] ?? 0);
      const headers = { "content-type": "video/mp4", "content-length": whole.length - from };
      if (range === undefined) return void response.writeHead(200, headers).write(whole.subarray(0, 100_000));
      const part = { ...headers, "content-range": `bytes ${from}-${whole.length - 1}/${whole.length}` };
      response.writeHead(206, part).end(whole.subarray(from));
    });
    const one = [
      { on: `GET /playtests/slots/${id}`, data: { slot: about } },
      { on: `GET /playtests/slots/${id}/download-url`, data: { downloadUrl: files.url, expiresAt: "" } },
    ];
    const stub = await stubServer([...one, ...one]);
    const dir = testFolder();
    const env = { PLAYTEST_BASE_URL: stub.baseUrl, PLAYTEST_API_KEY: fixture.owner.key };
    const killed = spawnPlaytest(dir, ["review", "download", id, "--dir", dir], env);
    const part = join(dir, `Lantern Deep-Ann-${id}.${about.submission.id.slice(-8)}.part`);
    await expect.poll(() => statSync(part).size, { interval: 5 }).toBe(100_000);
    killed.child.kill("SIGKILL");
    await killed.ended;
    const { code } = await fixture.run(`review download ${id} --dir ${dir}`, { baseUrl: stub.baseUrl });
    await files.close();
    expect([code, asked, existsSync(part)]).toEqual([0, [undefined, "bytes=100000-"], false]);
    expect(readFileSync(join(dir, name(id))).equals(whole)).toBe(true);
  });

  it("does not join what is left of the video before a playtester submitted again", async () => {
    const id = "019a0000-0000-7000-8000-000000000000";
    const about = { ...(await slot(await submitted())), id };
    const shown = (submissionId: string) => ({
      on: `GET /playtests/slots/${id}`,
      data: { slot: { ...about, submission: { ...about.submission, id: submissionId, videoFileSize: 10 } } },
    });
    const dir = testFolder();
    const asked: (string | undefined)[] = [];
    const files = await fileServer((_, range, response) => {
      asked.push(range);
      if (asked.length === 1) void cutAfterFive(response.writeHead(200, { "content-length": 10 }), dir);
      else if (asked.length === 2) response.writeHead(403).end();
      else response.writeHead(200, { "content-length": 10 }).end("abcdefghij");
    });
    const link = { on: `GET /playtests/slots/${id}/download-url`, data: { downloadUrl: files.url, expiresAt: "" } };
    const [first, second] = [shown("019a0000-0000-7000-8000-00000000000a"), shown("019a0000-0000-7000-8000-00000000000b")];
    const stub = await stubServer([first, link, second, link]);
    const flags = ["--dir", dir, "--retries", "0"];
    const download = () => fixture.run(["review", "download", id, ...flags], { baseUrl: stub.baseUrl });
    const codes = [(await download()).code, (await download()).code];
    await files.close();
    expect([codes, asked]).toEqual([
      [1, 0],
      [undefined, "bytes=5-", undefined],
    ]);
    expect(readFileSync(join(dir, name(id)), "utf8")).toBe("abcdefghij");
  });

  it("begins again when the content changes between two attempts", async () => {
    const id = "019a0000-0000-7000-8000-000000000000";
    const about = { ...(await slot(await submitted())), id };
    about.submission.videoFileSize = 10;
    const asked: unknown[] = [];
    const files = await fileServer((_, range, response, condition) => {
      asked.push([range, condition]);
      if (range === undefined) return void cutAfterFive(response.writeHead(200, { etag: '"1"' }), dir);
      response.writeHead(200, { etag: '"2"' }).end("abcdefghij");
    });
    const link = { on: `GET /playtests/slots/${id}/download-url`, data: { downloadUrl: files.url, expiresAt: "" } };
    const stub = await stubServer([{ on: `GET /playtests/slots/${id}`, data: { slot: about } }, link]);
    const dir = testFolder();
    const { code } = await fixture.run(`review download ${id} --dir ${dir}`, { baseUrl: stub.baseUrl });
    await files.close();
    expect([code, asked]).toEqual([
      0,
      [
        [undefined, undefined],
        ["bytes=5-", '"1"'],
      ],
    ]);
    expect(readFileSync(join(dir, name(id)), "utf8")).toBe("abcdefghij");
  });

  it("replaces a leftover that is longer than the video", async () => {
    const [id, dir] = [await submitted(), testFolder()];
    writeFileSync(join(dir, await partName(id)), Buffer.alloc(9_999));
    expect((await fixture.run(`review download ${id} --dir ${dir}`)).code).toBe(0);
    expect(readFileSync(join(dir, name(id)))).toEqual(await video(id));
  });

  it("leaves another file of that name alone, unless forced", async () => {
    const [id, dir] = [await submitted(), testFolder()];
    writeFileSync(join(dir, name(id)), "mine");
    const { code, stderr } = await fixture.run(`review download ${id} --dir ${dir}`);
    expect([code, stderr]).toEqual([1, expect.stringContaining("already exists with a different size")]);
    expect(readFileSync(join(dir, name(id)), "utf8")).toBe("mine");
    await fixture.run(`review download ${id} --dir ${dir} --force`);
    expect(readFileSync(join(dir, name(id)))).toEqual(await video(id));
  });

  it("names files by a template that strangers cannot lead out of the folder", async () => {
    const eve = await registerPlaytester(fixture.server, "../../Eve\u001b[2J:.");
    const [id, dir] = [await submitted(eve), testFolder()];
    mkdirSync(join(dir, "in"));
    const template = ["--name-template", "{game}/{date}-{playtester}-{id}.mp4"];
    expect((await fixture.run(["review", "download", id, "--dir", join(dir, "in"), ...template])).code).toBe(0);
    expect(readdirSync(dir)).toEqual(["in"]);
    expect(readdirSync(join(dir, "in", "Lantern Deep"))).toEqual([`2026-03-01-__.._Eve_[2J_-${id}.mp4`]);
  });

  it.each([
    ["nothing named", "", "Pass either slot ids"],
    ["a template without {id}", "--all --name-template {game}", "must contain {id}"],
    ["a template that leads out", "--all --name-template ../{id}", "must stay inside"],
    ["an unknown placeholder", "--all --name-template {id}{gmae}", "unknown placeholder {gmae}"],
  ])("refuses %s", async (_, flags, message) => {
    const { code, stderr } = await fixture.run(`review download ${flags}`.trim());
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  it("downloads every video of a playtest, and goes on when one cannot be had", async () => {
    const [id, dir] = [await submitted(), testFolder()];
    const playtest = (await slot(id)).requestId;
    expect(await fixture.json(`review download --playtest ${playtest} --dir ${dir}`)).toMatchObject({
      result: { downloaded: [{ id }], failed: [] },
    });
    const open = (await fixture.owner.get(`/playtests/${await fixture.order()}/slots`)).body.data.slots[0].id;
    const ran = await fixture.run(`review download ${id} ${open} --dir ${dir} --json`);
    expect([ran.code, JSON.parse(ran.stdout).result.failed]).toEqual([11, [expect.objectContaining({ id: open })]]);
    expect(existsSync(join(dir, name(id)))).toBe(true);
  });
});

describe("watch", () => {
  it("prints what comes after it began, as JSON lines", async () => {
    const old = await submitted();
    let fresh = "";
    const sleep = async () => {
      fresh ||= await submitted(await registerPlaytester(fixture.server, "Bo"));
    };
    const { code, stdout } = await fixture.run("review watch --count 1 --ndjson", { outside: { sleep } });
    expect([code, JSON.parse(stdout).slot.id]).toEqual([0, fresh]);
    expect(stdout).not.toContain(old);
  });

  it("runs a command for each, which gets data by standard input and environment only", async () => {
    const eve = await registerPlaytester(fixture.server, "$(touch pwned)");
    const [id, cwd] = [await submitted(eve), testFolder()];
    const exec = ["--exec", 'cat > "in-$PLAYTEST_SLOT_ID.json"'];
    const { code } = await fixture.run(["review", "watch", "--existing", "--count", "1", ...exec], { cwd });
    expect([code, readdirSync(cwd)]).toEqual([0, [`in-${id}.json`]]);
    expect(JSON.parse(readFileSync(join(cwd, `in-${id}.json`), "utf8")).playtester.displayName).toBe("$(touch pwned)");
  });

  it("prints at once what the event stream tells, long before the next look", async () => {
    const first = await submitted();
    let second: Promise<string> | undefined;
    const { code, stdout } = await fixture.run("review watch --existing --count 2 --template {slot.id}", {
      outside: { sleep: untilStopped },
      onOutput: () => {
        second ??= registerPlaytester(fixture.server, "Bo").then(submitted);
      },
    });
    expect([code, stdout]).toEqual([0, `${first}\n${await second}\n`]);
  });

  it("ends with 130 at Ctrl-C", async () => {
    await submitted();
    const ran = await fixture.run("review watch --existing", { onOutput: (_, process) => process.signal("SIGINT") });
    expect(ran.code).toBe(130);
  });

  it("keeps the file that -o names, however it ends", async () => {
    const [id, file] = [await submitted(), join(testFolder(), "queue.ndjson")];
    const sleep = () => Promise.reject(failure("The disk is full."));
    const ran = await fixture.run(`review watch --existing --ndjson -o ${file}`, { outside: { sleep } });
    expect([ran.code, JSON.parse(readFileSync(file, "utf8")).slot.id]).toEqual([1, id]);
  });
});

describe("review list --faulty", () => {
  it("leaves only recordings that look wrong, and says what it is", async () => {
    const { server } = fixture;
    const slotIds: string[] = [];
    for (let n = 0; n < 3; n++) slotIds.push(await play(server, await registerPlaytester(server), await fixture.order()));
    const measured = (slotId: string, seconds: number, db: number) =>
      server.deps.store.write(async (tx) => {
        const { blob_key } = (await slots.findForOwner(tx, slotId, fixture.owner.id))!;
        const [loudness, motion, luma] = [db, 9, 100].map((value) => JSON.stringify(Array(seconds).fill(value)));
        const series = { loudness: loudness!, motion: motion!, luma: luma!, picture_percent: null, sound_percent: null };
        const row = { slot_id: slotId, blob_key: blob_key!, status: "ready" as const, error: null, ...series };
        await signals.replace(tx, { ...row, created_at: tx.now, updated_at: tx.now });
      });
    // An hour with sound, a minute without; the third is not measured.
    await measured(slotIds[0]!, 3600, -20);
    await measured(slotIds[1]!, 70, -120);
    const { stdout } = await fixture.run("review list --faulty --json");
    expect(JSON.parse(stdout).submissions.map(({ slot }: { slot: { id: string } }) => slot.id)).toEqual([slotIds[1]]);
    expect((await fixture.run("review list --faulty --csv")).stdout).toMatch(/The recording has .+ of the 60 minutes booked\./);
    const none = await fixture.run("review list --faulty --status accepted", { tty: { stdout: true } });
    expect([none.code, none.stderr]).toEqual([0, "No recording among these looks wrong, as far as they are measured.\n"]);
  });
});
