import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { createFfmpegCutter } from "../../server/sharing/cutter.ts";
import { createFfmpegMeter } from "../../server/sharing/signals/meter.ts";
import { playtestWith, type Ran, type RunOptions, testFolder } from "../helpers/cli.ts";
import * as factories from "../helpers/factories.ts";
import { claimWith, confirm, teamMarket } from "../helpers/friends.ts";
import { type Hosted, startHosted } from "../helpers/hosted.ts";
import { ownServer } from "../helpers/own-server.ts";
import type { TestServer } from "../helpers/server.ts";
import { videoOf } from "../helpers/videos.ts";

let server: TestServer;
let owner: factories.Person;
let player: factories.Person;
let playtestId: string;
let run: (argv: readonly string[], options?: RunOptions) => Promise<Ran>;

beforeEach(async () => {
  server = await ownServer();
  owner = await factories.registerOwner(server, "Ada");
  player = await factories.registerPlaytester(server, "Pim");
  await factories.giveCredit(server, owner, 20_000);
  playtestId = await factories.order(owner, await factories.createGame(owner), {
    quantity: 2,
    notesForTesters: "Look at the bridge.",
  });
  run = playtestWith({ baseUrl: server.baseUrl, key: player.key, cwd: testFolder() });
  return server.close;
});

afterEach(() => expect(server.errors).toEqual([]));

const claim = async (): Promise<string> => JSON.parse((await run(["tester", "claim", playtestId, "--json"])).stdout).slot.id;

/** A video file in the folder the program runs in. */
function video(folder: string, name = "play.mp4", bytes = factories.videoBytes()) {
  writeFileSync(join(folder, name), bytes);
  return folder;
}

const statusOf = async (slotId: string) => (await owner.get(`/playtests/slots/${slotId}`)).body.data.slot.status;

describe("tester", () => {
  it("shows what there is, on a terminal", async () => {
    const { code, stdout } = await run(["tester", "browse"], { tty: true, columns: 100, env: { NO_COLOR: "1" } });
    expect(code).toBe(0);
    expect(stdout.replaceAll(playtestId.slice(-8), "<id>    ")).toMatchInlineSnapshot(`
      "ID        GAME          PAYOUT  VIDEO    DURATION  PLAYERS  SELECTION  OPEN SLOTS  OFFERED
      <id>      Lantern Deep  $10.00  private  60 min    1        automatic  2           now
      "
    `);
  });

  it("claims, and then shows instructions and build", async () => {
    const { code, stdout, stderr } = await run(["tester", "claim", playtestId]);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: "You have claimed a slot. Record your session, then run `playtest tester submit VIDEO`.\n",
    });
    const lines = Object.fromEntries(stdout.split("\n").map((line) => line.split("\t") as [string, string]));
    expect(lines).toMatchObject({
      game: "Lantern Deep",
      status: "reserved",
      payout: "$10.00",
      instructions: "Press start.",
      notes: "Look at the bridge.",
      deadline: "2026-03-02T12:00:00.000Z",
    });
  });

  it("submits the video of the one slot it holds, byte for byte", async () => {
    const slotId = await claim();
    const folder = video(testFolder(), "play.mp4", factories.videoBytes(300_000));
    const { code, stdout, stderr } = await run(["tester", "submit", "play.mp4", "--notes", "Fun!", "--json"], { cwd: folder });
    expect(code).toBe(0);
    expect(stderr).toContain("Submitted play.mp4, 293.0 KiB.");
    expect(JSON.parse(stdout).slot).toMatchObject({
      id: slotId,
      status: "submitted",
      submission: { videoFileSize: 300_000, notes: "Fun!" },
    });
    const link = (await owner.get(`/playtests/slots/${slotId}/download-url`)).body.data.downloadUrl;
    const stored = Buffer.from(await (await fetch(link)).arrayBuffer());
    expect(stored.equals(factories.videoBytes(300_000))).toBe(true);
  });

  it("uploads nothing for a team that is not complete", async () => {
    const { ann, ben, playtestId: shared, server: ofTeams } = await teamMarket(ownServer, { playerCount: 2 });
    onTestFinished(() => ofTeams.close());
    const slotId = await claimWith(ann, shared, "ben");
    await confirm(ben, slotId);
    await ben.leaveTeam({ params: { id: slotId } });
    const folder = video(testFolder());
    const annsRun = playtestWith({ baseUrl: ofTeams.baseUrl, key: ann.key, cwd: folder });
    const ends = [await annsRun(["tester", "submit", "play.mp4"]), await annsRun(["tester", "submit", "play.mp4", slotId])];
    expect(ends.map(({ code }) => code)).toEqual([6, 6]);
    expect(ends[0]!.stderr).toContain(
      `Your team is not complete. Nothing was uploaded.\nAsk another friend first. Ask one with \`playtest tester team replace ${slotId} --with HANDLE\`.`,
    );
    const { slot } = await ann.getHeldSlot({ params: { id: slotId } });
    expect(slot.uploadedVideo).toBeNull();
  });

  it("says after a confirmation whether the team is complete", async () => {
    const market = await teamMarket(ownServer);
    const { ann, ben, cleo, dana, server: ofTeams } = market;
    onTestFinished(() => ofTeams.close());
    const slotId = await claimWith(ann, market.playtestId, "ben", "cleo");
    const said = async ({ key }: typeof ann) =>
      (await playtestWith({ baseUrl: ofTeams.baseUrl, key })(["tester", "team", "confirm", slotId, "--share", "10.00"])).stderr;
    expect([await said(ben), await said(cleo)]).toEqual([
      expect.stringContaining("You have confirmed. Others are still missing."),
      expect.stringContaining("Your team is complete."),
    ]);
    for (const person of [ben, cleo]) await person.leaveTeam({ params: { id: slotId } });
    await ann.replaceTeamMember({ params: { id: slotId }, body: { missing: "ben", with: "dana" } });
    expect(await said(dana)).toContain("You have confirmed. Others are still missing.");
  });

  it.each([
    ["a file that is not there", "none.mp4", 2, "none.mp4 is not a file."],
    ["an empty file", "empty.mp4", 2, "empty.mp4 is empty. Nothing was uploaded.\nChoose a video file."],
    ["what is not a video", "text.mp4", 2, "video"],
  ])("refuses %s, and nothing is submitted", async (_, name, code, message) => {
    const slotId = await claim();
    const folder = video(testFolder(), "empty.mp4", Buffer.alloc(0));
    video(folder, "text.mp4", Buffer.from("This is a letter, and not a video of anybody playing anything."));
    const ended = await run(["tester", "submit", name], { cwd: folder });
    expect(ended.stderr).toContain(message);
    expect(ended.code).toBe(code);
    expect(await statusOf(slotId)).toBe("reserved");
  });

  it("refuses notes of blanks before anything is uploaded", async () => {
    const slotId = await claim();
    const folder = video(testFolder());
    const { code, stderr } = await run(["tester", "submit", "play.mp4", "--notes", " \u200b "], { cwd: folder });
    expect([code, stderr]).toEqual([
      2,
      "error: --notes: must not be blank. Nothing was uploaded.\nWrite some, or leave them out.\n",
    ]);
    expect((await player.get(`/playtester/slots/${slotId}`)).body.data.slot.uploadedVideo).toBeNull();
  });

  it("refuses a video that is shorter than the operator wants, and says what to do", async () => {
    server.deps.config.playtesters.minVideoPercent = 50;
    const slotId = await claim();
    const folder = video(testFolder(), "short.mp4", await videoOf(600));
    const { code, stdout, stderr } = await run(["tester", "submit", "short.mp4"], { cwd: folder });
    expect([code, stdout, stderr]).toEqual([
      6,
      "",
      expect.stringContaining(
        "The video is 10 min long. A playtest of 60 minutes needs a video of at least 30 min. Nothing was submitted. Upload a longer video.",
      ),
    ]);
    expect(await statusOf(slotId)).toBe("reserved");
  });

  describe("when the submission fails after the upload", () => {
    let gate: Hosted;
    let folder: string;
    beforeEach(async () => {
      gate = await startHosted(server.baseUrl);
      gate.extend();
      // Where the upload continues.
      server.deps.config.baseUrl = gate.baseUrl;
      gate.hooks.refuse = ({ path }) => (path.endsWith("/submit") ? busy : undefined);
      folder = video(video(testFolder(), "second.mp4", factories.videoBytes(300_000)), "first.mp4");
      return gate.close;
    });
    const busy = { status: 503, raw: '{"error":{"code":"SERVICE_UNAVAILABLE","message":"Try again later."}}' };
    const submit = (name: string) =>
      run(["tester", "submit", name, "--retries", "0"], {
        cwd: folder,
        baseUrl: gate.baseUrl,
        env: { HOME: folder, PLAYTEST_CONFIG_DIR: folder },
      });
    const uploads = () => gate.seen.filter(({ method, path }) => method === "PATCH" || path.endsWith("/video"));

    it("sends the video once", async () => {
      const slotId = await claim();
      const codes = [(await submit("first.mp4")).code, (await submit("first.mp4")).code];
      gate.hooks.refuse = undefined;
      codes.push((await submit("first.mp4")).code);
      expect([codes, await statusOf(slotId)]).toEqual([[10, 10, 0], "submitted"]);
      expect(uploads().map(({ method }) => method)).toEqual(["POST", "PATCH"]);
    });

    it("sends the video again if another replaced it", async () => {
      const slotId = await claim();
      await submit("first.mp4");
      await submit("second.mp4");
      gate.hooks.refuse = undefined;
      expect((await submit("first.mp4")).code).toBe(0);
      const { submission } = (await owner.get(`/playtests/slots/${slotId}`)).body.data.slot;
      expect([submission.videoFileSize, uploads().length]).toEqual([factories.videoBytes().length, 6]);
    });
  });

  it("asks to confirm what looks wrong with the recording, which --yes skips", async () => {
    const ffmpeg = fileURLToPath(new URL("../fixtures/ffmpeg.mjs", import.meta.url));
    const series = [
      [16, 16],
      [0, 0],
      [-20, -20],
    ].map((one) => JSON.stringify(one));
    const { clips } = server.deps.config;
    clips.ffmpeg = [process.execPath, ffmpeg, "measure", ...series];
    server.deps.cutter = createFfmpegCutter(clips);
    server.deps.meter = createFfmpegMeter(clips);
    const slotId = await claim();
    const folder = video(testFolder());
    const outside = { sleep: () => server.advance(0) };
    const mute = await run(["tester", "submit", "play.mp4"], { cwd: folder, outside });
    expect(mute.stderr).toContain(
      "Something looks wrong with the video, which is uploaded:\n  The recording has no picture.\nOwners reject videos for this. Submit it as it is?",
    );
    expect([mute.code, mute.stderr, await statusOf(slotId)]).toEqual([
      2,
      expect.stringContaining("The video is uploaded but was not submitted.\nPass --yes"),
      "reserved",
    ]);
    expect((await run(["tester", "submit", "play.mp4", "--yes"], { cwd: folder })).code).toBe(0);
    expect(await statusOf(slotId)).toBe("submitted");
    await server.advance(0);
  });

  it("asks which slot when it holds none or several", async () => {
    const folder = video(testFolder());
    expect(await run(["tester", "submit", "play.mp4"], { cwd: folder })).toMatchObject({
      code: 3,
      stderr: "error: You have no active slot to submit a video for.\nFind a playtest to claim with `playtest tester browse`.\n",
    });
    const first = await claim();
    const other = await factories.order(owner, await factories.createGame(owner, { name: "Star Lanes" }));
    await player.post(`/playtester/playtests/${other}/claim`);
    const several = await run(["tester", "submit", "play.mp4"], { cwd: folder });
    expect(several).toMatchObject({ code: 2, stdout: "" });
    expect(several.stderr).toContain(`${first.slice(-8)} (Lantern Deep)`);
    expect((await run(["tester", "submit", "play.mp4", first], { cwd: folder })).code).toBe(0);
  });

  it.each([
    ["claim", "tester browse"],
    ["withdraw", "tester applications"],
    ["release", "tester slots"],
  ])("%s of something that is not there names the list: %s", async (verb, listing) => {
    const { code, stderr } = await run(["tester", verb, "019a0000-0000-7000-8000-000000000000", "--yes"]);
    expect([code, stderr]).toEqual([3, expect.stringContaining(`To list valid ids: \`playtest ${listing}\`.`)]);
  });

  it("plans an upload without sending it", async () => {
    const slotId = await claim();
    const { code, stdout } = await run(["tester", "submit", "play.mp4", "--dry-run", "--json"], { cwd: video(testFolder()) });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      dryRun: true,
      requests: [{ method: "POST", path: `/api/v1/playtester/slots/${slotId}/video` }],
    });
    expect((await player.get(`/playtester/slots/${slotId}`)).body.data.slot.status).toBe("reserved");
  });

  it("releases and reports without asking, and says what is earned", async () => {
    const slotId = await claim();
    const reported = await run(["tester", "report", slotId, "--reason-code", "crash", "--json"]);
    expect(JSON.parse(reported.stdout).slot).toMatchObject({ status: "blocked", blockedReport: { reasonCode: "crash" } });
    expect((await run(["tester", "release", slotId])).code).toBe(0);
    expect(await statusOf(slotId)).toBe("cancelled");
    expect((await run(["tester", "claim", playtestId])).code).toBe(6);
    const { code, stderr } = await run(["tester", "earnings"], { tty: { stdout: true } });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "Balance: $0.00. Paid out so far: $0.00.\nNo earnings yet.\n" });
  });

  it("downloads a statement as PDF, to standard output or to a file that only its owner can read", async () => {
    const piped = await run(["tester", "statement", "--year", "2026", "--pdf"]);
    expect([piped.code, piped.stdout.slice(0, 5)]).toEqual([0, "%PDF-"]);
    const cwd = testFolder();
    const saved = await run(["tester", "statement", "--month", "2026-03", "--pdf"], { cwd, tty: true });
    expect([saved.code, saved.stdout]).toEqual([0, expect.stringContaining("statement-2026-03.pdf")]);
    expect(statSync(join(cwd, "statement-2026-03.pdf")).mode & 0o777).toBe(0o600);
    expect((await run(["tester", "statement", "--pdf"])).code).toBe(2);
  });

  it("says how much of the earnings is held, and from when it is available", async () => {
    server.deps.config.payouts.holdDays = 7;
    const slotId = await factories.play(server, player, playtestId);
    await owner.post(`/playtests/slots/${slotId}/accept`);
    const { stdout, stderr } = await run(["tester", "earnings"], { tty: { stdout: true } });
    const from = new Date(server.deps.clock.now() + 7 * 24 * 3_600_000).toISOString();
    expect(stderr).toBe(
      `Balance: $10.00. Paid out so far: $0.00.\nOf the balance, $10.00 may come from card payments and is held. All of it is available from ${from}.\n` +
        "The operator's payout batches skip you: enter payout details with `playtest tester payout-details set`.\n",
    );
    expect(stdout).toContain("AVAILABLE FROM");
    const shown = await run(["tester", "earnings", "--json=amountCents,availableFrom"]);
    expect(JSON.parse(shown.stdout).entries).toEqual([{ amountCents: 1000, availableFrom: from }]);
  });

  it("applies where the owner chooses, and withdraws", async () => {
    const manual = await factories.order(owner, await factories.createGame(owner, { name: "Star Lanes" }), {
      selectionMode: "manual",
    });
    const { stdout, code } = await run(["tester", "apply", manual, "--qualifications-response", "I like stars", "--json"]);
    expect(code).toBe(0);
    const { id } = JSON.parse(stdout).application;
    expect((await run(["tester", "apply", manual])).code).toBe(6);
    expect(JSON.parse((await run(["tester", "withdraw", id, "--json=status"])).stdout)).toEqual({
      application: { status: "withdrawn" },
    });
    expect((await run(["tester", "applications"])).stdout).toMatch(new RegExp(`^${id}\tStar Lanes\twithdrawn\t`));
  });
});
