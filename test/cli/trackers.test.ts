import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, it } from "vitest";
import { createFfmpegCutter } from "../../server/sharing/cutter.ts";
import { answering } from "../helpers/answers.ts";
import { testFolder } from "../helpers/cli.ts";
import { type Person, play, registerPlaytester } from "../helpers/factories.ts";
import { startHosted } from "../helpers/hosted.ts";
import { eachOwnerFixture } from "../helpers/owner-fixture.ts";
import { startTrackers, type Trackers } from "../helpers/trackers.ts";

const fixture = eachOwnerFixture(1_000_000);
let trackers: Trackers;
let folder: string;
beforeEach(async () => {
  folder = testFolder();
  trackers = await startTrackers(fixture.server.clock.now);
});

/** Runs a command; while it waits, the server works. */
const run = (line: string | readonly string[], env: Record<string, string> = {}, stdin?: string) =>
  fixture.run(line, {
    env: { PLAYTEST_CONFIG_DIR: folder, ...env },
    outside: { sleep: async (ms) => fixture.server.advance(ms), now: fixture.server.clock.now },
    ...(stdin !== undefined && { stdin }),
  });

const json = async (line: string | readonly string[]) => {
  const words = typeof line === "string" ? line.split(" ") : line;
  const { code, stdout, stderr } = await run([...words, "--json"]);
  expect([code, stderr.includes("error")]).toEqual([0, false]);
  return JSON.parse(stdout);
};

const connect = (tracker = "github") =>
  run(`findings connect ${tracker} --site ${trackers.url} --token-file -`, {}, `token-${tracker}\n`);

const created = async (title = "Nobody finds the lantern", more: object = {}) =>
  (await fixture.owner.post(`/games/${fixture.gameId}/findings`, { title, ...more })).body.data.finding;

describe("findings connect", () => {
  it("reads the token from standard input, and shows it nowhere", async () => {
    const { code, stdout, stderr } = await connect();
    expect([code, `${stdout}${stderr}`.includes("token-github")]).toEqual([0, false]);
    expect(stdout).toMatch(/connected/);
    expect(
      (await run("findings trackers --csv")).stdout.replaceAll(trackers.url, "URL").split("\r\n").slice(0, 3).join("\n"),
    ).toMatchInlineSnapshot(`
      "tracker,state,site,account,connected,paused until
      GitHub,connected,URL,ada,2026-03-01T12:00:00.000Z,
      GitLab,not connected,,,,"
    `);
    expect((await run("findings disconnect github --yes")).code).toBe(0);
    expect((await run("findings disconnect github --yes")).stderr).toContain("GitHub is not connected. Nothing was changed.");
  });

  it("asks for it where there is no file, and refuses unknown trackers", async () => {
    expect((await run("findings connect github")).stderr).toContain("Pass --token-file FILE");
    expect((await run("findings connect trello --token-file -", {}, "x")).code).toBe(2);
  });
});

describe("findings file", () => {
  it("waits for the issue and shows it, once however often it runs", async () => {
    await connect();
    const { number } = await created();
    const line = `findings file ${number} --to github:acme/lantern --label playtest --assignee ada`;
    const { code, stdout } = await run(line);
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining(`GitHub acme/lantern #1, open: ${trackers.url}/acme/lantern/issues/1`),
    ]);
    expect((await run(line)).code).toBe(0);
    expect(trackers.issues).toMatchObject([{ labels: ["playtest"], assignee: "ada" }]);
  });

  it("--dry-run sends nothing to the tracker", async () => {
    await connect();
    const { number } = await created();
    const asked = trackers.requests.length;
    const { code, stdout } = await run(`findings file ${number} --to github:acme/lantern --dry-run`);
    await fixture.server.advance(60_000);
    expect([code, stdout, trackers.requests.length]).toEqual([0, expect.stringContaining("/issue"), asked]);
  });

  it("says what the tracker refused, and what to do", async () => {
    const { number } = await created();
    const unconnected = await run(`findings file ${number} --to github:acme/lantern`);
    expect([unconnected.code, unconnected.stderr]).toEqual([
      6,
      expect.stringContaining("Connect it with `playtest findings connect github`"),
    ]);
    await connect();
    const missing = await run(`findings file ${number} --to github:acme/missing`);
    expect([missing.code, missing.stderr]).toEqual([6, expect.stringContaining("#1 was not filed. GitHub: Not Found")]);
    trackers.fail({ status: 429, headers: { "retry-after": "600" } }, /POST/);
    const later = await run(`findings file ${number} --to github:acme/lantern`);
    expect([later.code, later.stderr]).toEqual([8, expect.stringContaining("The server tries again by itself.")]);
    await fixture.server.advance(601_000);
    expect(trackers.issues).toHaveLength(1);
  });

  it.each([
    ["acme/lantern", "names no tracker"],
    ["trello:x", 'Unknown tracker "trello".'],
    ["github:acme", '"acme" is not owner/repository in GitHub.'],
    ["jira:lant", '"lant" is not the key of a project in Jira.'],
  ])("--to %s is refused", async (to, message) => {
    const { code, stderr } = await run(`findings file 1 --to ${to}`);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  it("--map gives labels, fields and people by kind, severity and tag", async () => {
    await connect();
    const map = join(folder, "tracker.yaml");
    writeFileSync(
      map,
      "kinds:\n  bug: { labels: [bug], type: Bug }\nseverities:\n  4: { labels: [blocker], assignee: ada }\ntags:\n  cellar: { labels: [bug, level-2], assignee: bob }\n",
    );
    const { number } = await created("Crash", { kind: "bug", severity: 4, tags: ["cellar", "other"] });
    expect((await run(`findings file ${number} --to github:acme/lantern --map ${map} --label extra`)).code).toBe(0);
    expect(trackers.issues).toMatchObject([
      { labels: ["bug", "blocker", "level-2", "extra"], assignee: "bob", more: { type: "Bug" } },
    ]);
    const rows = [
      ["types: {}", 'unknown section "types"'],
      ["kinds: { crash: {} }", '"crash" is not a kind.'],
      ["severities: { 4: { label: x } }", 'has the unknown field "label"'],
      ["tags: { a: { labels: x } }", "labels of tags: a must be a list of texts."],
      ["tags: { a: { priority: soon } }", "priority of tags: a must be one of urgent, high, medium, low."],
      ["[]", "must contain a JSON or YAML object"],
    ] as const;
    for (const [text, message] of rows) {
      writeFileSync(map, text);
      const { code, stderr } = await run(`findings file ${number} --to github:acme/lantern --map ${map}`);
      expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    }
  });
});

describe("findings sync", () => {
  it("shows what became of the issues", async () => {
    await connect();
    const [one, two] = [await created("One"), await created("Two")];
    for (const { number } of [one, two]) await run(`findings file ${number} --to github:acme/lantern`);
    trackers.close(trackers.issues[0]!);
    trackers.issues[1]!.deleted = true;
    const findings = (await json(`findings sync ${fixture.gameId}`)).result;
    expect(findings.map(({ number, status, issue }: typeof one) => [number, status, issue.state])).toEqual([
      [1, "fixed", "closed"],
      [2, "filed", "deleted"],
    ]);
  });

  it("ends with 11 when some could not be compared, and names them", async () => {
    await connect();
    for (const title of ["One", "Two"]) await run(`findings file ${(await created(title)).number} --to github:acme/lantern`);
    trackers.fail({ status: 401, body: { message: "Bad credentials" } }, /GET .*issues\/\d+$/);
    const { code, stdout, stderr } = await run(`findings sync ${fixture.gameId}`);
    expect([code, stderr]).toEqual([11, expect.stringMatching(/1 issue compared, 1 failed: #\d\./)]);
    expect(stdout).toContain("Bad credentials");
  });
});

/** A playtest with this many videos of different playtesters, and what is said in each. */
async function played(texts: readonly string[]): Promise<{ id: string; slots: string[] }> {
  const id = await fixture.order({ quantity: texts.length });
  const slots: string[] = [];
  for (const text of texts) {
    const slotId = await play(fixture.server, await registerPlaytester(fixture.server), id);
    const vtt = `WEBVTT\n\n00:01.000 --> 00:04.000\nHello, I am starting the game now.\n\n01:00.000 --> 01:04.000\n${text}\n`;
    await fixture.server.request("PUT", `/slots/${slotId}/transcript`, { key: fixture.owner.key, body: { vtt } });
    slots.push(slotId);
  }
  await fixture.server.advance(1000);
  return { id, slots };
}

const noted = (slotId: string, text: string, more: object = {}) =>
  fixture.owner.post(`/slots/${slotId}/moments`, { atMs: 60_000, text, ...more });

describe("findings suggest", () => {
  it("refuses a language whose stems are not known, and lists those that are", async () => {
    const { code, stderr } = await run("findings suggest 019a0000-0000-7000-8000-000000000000 --language xx");
    expect([code, stderr]).toEqual([2, expect.stringMatching(/"xx" is not known\. Nothing was suggested\.\n.*da, de, en/)]);
  });

  it("groups what several say in the same words, and leaves out what belongs to a finding", async () => {
    const { id, slots } = await played([
      "Where is the lantern? I cannot find it.",
      "I still can't find any lanterns here.",
      "The cellar door crashes everything.",
      "Nice music.",
    ]);
    await noted(slots[2]!, "Crash at the cellar door", { kind: "bug", severity: 4 });
    await noted(slots[3]!, "Crashed in the cellar", { kind: "bug" });
    const suggestions = (await json(`findings suggest ${id} --most 2`)).result;
    expect(
      suggestions.map(({ title, testers, members }: { title: string; testers: number; members: unknown[] }) => [
        title,
        testers,
        members.length,
      ]),
    ).toEqual([
      ["Hello, I am starting the game now.", 4, 4],
      ["Crash at the cellar door", 2, 3],
    ]);
    const [taken] = (await json(`findings suggest ${id} --take 2`)).result;
    expect(taken).toMatchObject({ title: "Crash at the cellar door", kind: "bug", severity: 4, testers: { seen: 2, of: 4 } });
    expect(taken.evidence).toHaveLength(3);
    const left = (await json(`findings suggest ${id}`)).result;
    expect(left.map(({ title }: { title: string }) => title)).not.toContain("Crash at the cellar door");
    expect((await run(`findings suggest ${id} --take 99`)).stderr).toContain("there is no suggestion 99. Nothing was created.");
  });

  it("lists what was created when another fails", async () => {
    const { id } = await played(["The cellar door crashes everything.", "Crash at the cellar door."]);
    const gate = await startHosted(fixture.server.baseUrl);
    gate.extend();
    let asked = 0;
    gate.hooks.interfere = ({ method, path }, answer) => {
      if (method !== "POST" || !path.endsWith("/findings") || ++asked !== 1) return answer;
      return { status: 409, raw: '{"error":{"code":"CONFLICT","message":"It was removed."}}' };
    };
    const ran = await run(`findings suggest ${id} --take 2 --take 1 --json`, { PLAYTEST_BASE_URL: gate.baseUrl });
    await gate.close();
    const { result, failed } = JSON.parse(ran.stdout);
    expect([ran.code, result, failed]).toEqual([
      11,
      [expect.objectContaining({ title: "Hello, I am starting the game now." })],
      [{ id: "2", code: "CONFLICT", message: "It was removed.", exitCode: 6 }],
    ]);
  });

  it("on a terminal, one key takes or drops each", async () => {
    const { id } = await played([
      "I cannot find the lantern.",
      "Nobody finds lanterns, I cannot.",
      "Cellar door crashed.",
      "Crash at the cellar door.",
    ]);
    const env = {
      HOME: folder,
      PLAYTEST_CONFIG_DIR: folder,
      PLAYTEST_BASE_URL: fixture.server.baseUrl,
      PLAYTEST_API_KEY: fixture.owner.key,
      NO_COLOR: "1",
    };
    const { code, stderr } = await answering(
      ["findings", "suggest", id],
      [
        ["1 of 3: Hello, I am starting the game now.", ""],
        ["What about it?", "d"],
        ["2 of 3", ""],
        ["What about it?", "t"],
        ["#1 created.", ""],
        ["What about it?", "q"],
      ],
      { env, cwd: folder },
    );
    expect([code, stderr.includes("error")]).toEqual([0, false]);
    const { findings } = (await fixture.owner.get(`/games/${fixture.gameId}/findings`)).body.data;
    expect(findings).toMatchObject([{ number: 1, testers: { seen: 2, of: 4 } }]);
  });
});

describe("ci comment", () => {
  const github = () => ({
    GITHUB_REPOSITORY: "acme/lantern",
    GITHUB_REF: "refs/pull/12/merge",
    GITHUB_TOKEN: "ghs_secret",
    GITHUB_API_URL: `${trackers.url}/api/v3`,
  });
  const gitlab = () => ({
    CI_PROJECT_ID: "7",
    CI_MERGE_REQUEST_IID: "12",
    GITLAB_TOKEN: "glpat_secret",
    CI_API_V4_URL: `${trackers.url}/api/v4`,
  });

  it.each([
    ["github", github, "github acme/lantern 12"],
    ["gitlab", gitlab, "gitlab 7 12"],
  ] as const)("keeps one comment on %s, also when replies are lost and limits are reached", async (_, env, place) => {
    const copied = `<!-- playtest summary of game ${fixture.gameId} -->\nA copy.`;
    const other = { user: { id: 8, type: "User" }, author: { id: 8 } };
    const comments = [{ id: 1, body: copied, ...other }];
    trackers.pulls.set(place, comments);
    await created("@all <b>Lost</b> #1", { severity: 3 });
    const { id, slots } = await played(["Where is the lantern?"]);
    await fixture.owner.post(`/findings/${(await created("Never met")).id}/evidence`, { slotId: slots[0], fromMs: 0 });
    trackers.fail("lost", /POST/);
    trackers.fail({ status: 403, body: { message: "You have exceeded a secondary rate limit." } }, /GET/);
    expect((await run(`ci comment ${id}`, env())).stderr).toBe("");
    expect(comments).toHaveLength(2);
    expect(comments[1]!.body).toContain("#### Findings, by rank");
    expect(comments[1]!.body).toContain("2. `Never met`: 1 of 1, open");
    await fixture.owner.post(`/slots/${slots[0]}/accept`);
    expect((await run(`ci comment ${id}`, env())).stdout).toBe("Updated the comment.\n");
    expect((await run(`ci comment ${id}`, env())).stdout).toBe("The comment is up to date.\n");
    expect(comments).toHaveLength(2);
    expect(comments[0]!.body).toBe(copied);
    const dry = await run(`ci comment ${id} --dry-run`, env());
    expect(dry.code).toBe(0);
    for (const { credential } of trackers.requests) expect(credential).toMatch(/secret$/);
  });

  it("knows the comment of a job's token, whose account GitHub does not tell, by its being an app's", async () => {
    const { id } = await played(["Hello"]);
    const comments = [{ id: 1, body: `<!-- playtest summary of game ${fixture.gameId} -->`, user: { id: 8, type: "User" } }];
    trackers.pulls.set("github acme/lantern 12", comments);
    trackers.namesAccount = false;
    expect((await run(`ci comment ${id}`, github())).code).toBe(0);
    expect((await run(`ci comment ${id}`, github())).stdout).toBe("The comment is up to date.\n");
    expect(comments).toHaveLength(2);
  });

  it.each([
    ["no list", { message: "ok" }],
    ["a list of other things", [null, 7, { body: null }]],
  ])("a reply that is %s changes nothing, or counts as no comment", async (_, body) => {
    const { id } = await played(["Hello"]);
    trackers.pulls.set("github acme/lantern 12", []);
    trackers.fail({ status: 200, body }, /GET .*comments/);
    const { code, stderr } = await run(`ci comment ${id}`, github());
    if (Array.isArray(body)) expect(code).toBe(0);
    else expect([code, stderr]).toEqual([1, expect.stringContaining("The comment was not changed.")]);
  });

  it("refuses what is no request, an address without encryption, and a missing token", async () => {
    const { id } = await played(["Hello"]);
    const rows = [
      [`ci comment ${id}`, {}, "This is no CI job of a pull request or merge request. Nothing was sent."],
      [`ci comment ${id} --to acme/lantern#12`, {}, "is not github:OWNER/REPOSITORY#NUMBER"],
      [`ci comment ${id} --to github:../..#12`, {}, "is not github:OWNER/REPOSITORY#NUMBER"],
      [
        `ci comment ${id}`,
        { ...github(), GITHUB_API_URL: "http://10.0.0.1" },
        "is not an https address of GitHub. Nothing was sent.",
      ],
      [`ci comment ${id}`, { ...github(), GITHUB_TOKEN: "" }, "A token of GitHub is required. Nothing was sent."],
    ] as const;
    for (const [line, env, message] of rows) {
      const { code, stderr } = await run(line, env);
      expect([line, code, stderr]).toEqual([line, 2, expect.stringContaining(message)]);
    }
    expect(trackers.requests).toEqual([]);
  });
});

it("twelve commands lead from 20 submissions to three filed findings and a reel", async () => {
  const ffmpeg = fileURLToPath(new URL("../fixtures/ffmpeg.mjs", import.meta.url));
  fixture.server.deps.cutter = createFfmpegCutter({
    ...fixture.server.deps.config.clips,
    ffmpeg: [process.execPath, ffmpeg, "cut"],
  });
  const texts = Array.from(
    { length: 20 },
    (_, n) =>
      [
        "Where is the lantern, I cannot find the lantern.",
        "The cellar door crashed the game again.",
        "Inventory slots are confusing, why is my inventory full?",
        "Lovely music tonight.",
      ][n % 4]!,
  );
  const { id } = await played(texts);
  const commands: string[] = [
    `review highlights ${id}`,
    `findings suggest ${id} --most 5`,
    `findings suggest ${id} --most 5 --take 2 --take 3 --take 4`,
    `findings update 1 --severity 4`,
    `review reel 1 --game ${fixture.gameId} --captions`,
    `findings connect github --site ${trackers.url} --token-file -`,
    "findings file 1 --to github:acme/lantern",
    "findings file 2 --to github:acme/lantern",
    "findings file 3 --to github:acme/lantern",
    `findings sync ${fixture.gameId}`,
    `review report ${id} --as md`,
    `ci summary ${id}`,
  ];
  expect(commands.length).toBeLessThanOrEqual(12);
  for (const line of commands) {
    const { code, stderr } = await run(line, {}, "token\n");
    expect([line, code, stderr.includes("error")]).toEqual([line, 0, false]);
  }
  expect(trackers.of("github").map(({ title }) => title.replaceAll("\u2060", ""))).toHaveLength(3);
  const { findings } = (await fixture.owner.get(`/games/${fixture.gameId}/findings`)).body.data;
  expect(
    findings.map(
      ({
        status,
        testers,
        issue,
      }: {
        status: string;
        testers: Person & { seen: number; of: number };
        issue: { key: string };
      }) => [status, testers.seen, testers.of, issue.key !== null],
    ),
  ).toEqual([
    ["filed", 5, 20, true],
    ["filed", 5, 20, true],
    ["filed", 5, 20, true],
  ]);
  const { slotId } = findings.find(({ number }: { number: number }) => number === 1).evidence[0];
  await fixture.server.advance(0);
  const [clip] = (await fixture.owner.get(`/slots/${slotId}/clips`)).body.data.clips;
  expect([clip.status, clip.parts.length]).toEqual(["ready", 5]);
});
