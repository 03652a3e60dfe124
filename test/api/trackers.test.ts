import { writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { sha256 } from "../../server/lib/secrets.ts";
import { createFfmpegCutter } from "../../server/sharing/cutter.ts";
import { planOf, statusByIssue, waitOf } from "../../server/trackers/rules.ts";
import type { TrackerName } from "../../src/contract/findings/trackers.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { createGame, giveCredit, order, type Person, play, registerOwner, registerPlaytester } from "../helpers/factories.ts";
import { freePort } from "../helpers/free-port.ts";
import { gate } from "../helpers/gate.ts";
import type { TestServer } from "../helpers/server.ts";
import { type Fault, startTrackers, type TrackerIssue, type Trackers } from "../helpers/trackers.ts";

interface World {
  server: TestServer;
  owner: Person;
  gameId: string;
  trackers: Trackers;
}

const targets = { github: "acme/lantern", gitlab: "acme/games/lantern", jira: "LANT", linear: "LAN" } as const;
const minute = 60_000;
const hour = 60 * minute;

const bodyFor = (tracker: TrackerName, site: string, token = `token-${tracker}`) => ({
  tracker,
  token,
  site,
  ...(tracker === "jira" && { email: "ada@example.com" }),
});

async function world(server: TestServer, ...connected: TrackerName[]): Promise<World> {
  const owner = await registerOwner(server, "Ada");
  await giveCredit(server, owner, 1_000_000);
  const trackers = await startTrackers(server.clock.now);
  for (const tracker of connected) {
    const reply = await owner.post("/trackers/connect", bodyFor(tracker, trackers.url));
    expect([tracker, reply.status]).toEqual([tracker, 200]);
  }
  return { server, owner, gameId: await createGame(owner), trackers };
}

const created = async ({ owner, gameId }: World, title = "Nobody finds the lantern", more: object = {}): Promise<string> =>
  (await owner.post(`/games/${gameId}/findings`, { title, ...more })).body.data.finding.id;

const get = async ({ owner }: World, id: string) => (await owner.get(`/findings/${id}`)).body.data.finding;

const file = (world: World, id: string, tracker: TrackerName, more: object = {}) =>
  world.owner.post(`/findings/${id}/issue`, { tracker, target: targets[tracker], ...more });

/** A finding that is filed, and its issue. */
async function filed(world: World, tracker: TrackerName, more: object = {}): Promise<{ id: string; issue: TrackerIssue }> {
  const id = await created(world);
  expect((await file(world, id, tracker, more)).status).toBe(200);
  await world.server.advance(0);
  return { id, issue: world.trackers.of(tracker).at(-1)! };
}

async function sync(world: World): Promise<number> {
  const { queued } = (await world.owner.post(`/games/${world.gameId}/findings/sync`)).body.data;
  await world.server.advance(0);
  return queued;
}

const submitted = async ({ server, owner, gameId }: World, playtester?: Person) =>
  play(server, playtester ?? (await registerPlaytester(server)), await order(owner, gameId));

const seen = ({ owner }: World, id: string, slotId: string, fromMs = 1000) =>
  owner.post(`/findings/${id}/evidence`, { slotId, fromMs });

/** A build that came after everything so far. */
async function newBuild({ server, owner, gameId }: World, name: string): Promise<void> {
  await server.advance(1000);
  await owner.patch(`/games/${gameId}`, { buildUrl: `https://example.com/${name}.zip` });
  await server.advance(1000);
}

const refusal = ({ status, body }: { status: number; body: { error?: { message: string } } }) =>
  `${status} ${body.error?.message}`;

const all = ["github", "gitlab", "jira", "linear"] as const;

/** Numbers from 0 to 1 that are the same in every run. */
function randomOf(seed: string): () => number {
  let count = 0;
  return () => Number.parseInt(sha256(`${seed} ${count++}`).slice(0, 8), 16) / 2 ** 32;
}

onBothDatabases("findings in trackers", (serve) => {
  it("connects a tracker with a token that is sealed, sent to its own site only, and forgotten on request", async () => {
    const made = await world(await serve(), "github");
    const { owner, server, trackers } = made;
    const shown = (await owner.get("/trackers")).body.data.trackers;
    expect(shown[0]).toMatchObject({
      tracker: "github",
      state: "connected",
      site: trackers.url,
      account: "ada",
      pausedUntil: null,
    });
    expect(shown.slice(1).map(({ tracker, state }: { tracker: string; state: string }) => [tracker, state])).toEqual([
      ["gitlab", "not_connected"],
      ["jira", "not_connected"],
      ["linear", "not_connected"],
    ]);
    const stored = await server.deps.store.read((q) => q.all<{ sealed: string }>("SELECT * FROM tracker_connections"));
    expect(JSON.stringify(stored)).not.toContain("token-github");
    expect(JSON.stringify((await owner.get("/trackers")).body)).not.toContain("token-github");
    expect(trackers.requests).toEqual([{ line: "GET /api/v3/user", credential: "Bearer token-github" }]);
    expect((await owner.post("/trackers/disconnect", { tracker: "github" })).body.data.tracker.state).toBe("not_connected");
    expect(refusal(await owner.post("/trackers/disconnect", { tracker: "github" }))).toBe(
      "409 GitHub is not connected. Nothing was changed.",
    );
  });

  it("refuses tokens that the tracker does not accept, and addresses that are no site", async () => {
    const { owner, trackers } = await world(await serve());
    trackers.revoked.add("Bearer wrong").add("wrong");
    const site = trackers.url;
    const rows = [
      [bodyFor("github", site, "wrong"), "409 The token was not accepted. GitHub: Bad credentials. Nothing was changed."],
      [bodyFor("linear", site, "wrong"), "409 The token was not accepted. Linear: Authentication required. Nothing was changed."],
      [bodyFor("github", `${site}/path`), "422 site: must be an address without a path"],
      [bodyFor("github", "http://10.0.0.1"), "422 site: Only https URLs are allowed."],
      [bodyFor("github", "https://10.0.0.1"), "422 site: "],
      [{ tracker: "jira", token: "x" }, "422 site: is required for Jira"],
      [{ tracker: "jira", token: "x", site }, "422 email: is required for Jira"],
      [{ tracker: "github", token: "x", site, email: "ada@example.com" }, "422 email: must be left out"],
      [{ tracker: "github", token: "two words", site }, "422 token: must be printable ASCII without blanks"],
    ] as const;
    for (const [body, expected] of rows) expect(refusal(await owner.post("/trackers/connect", body))).toContain(expected);
    const closed = `http://127.0.0.1:${await freePort()}`;
    expect(refusal(await owner.post("/trackers/connect", bodyFor("github", closed)))).toMatch(
      /^409 The tracker did not answer as it should\. .*[^.]\. Nothing was changed\./,
    );
    expect((await owner.get("/trackers")).body.data.trackers[0].state).toBe("not_connected");
  });

  for (const tracker of all)
    it(`files a finding in ${tracker} once, with what is known of it`, async () => {
      const made = await world(await serve(), tracker);
      const { owner, server, trackers } = made;
      await owner.patch(`/games/${made.gameId}`, { buildUrl: "https://example.com/2.zip" });
      await server.advance(1000);
      const slotId = await submitted(made);
      const id = await created(made, "Nobody finds the lantern", { text: "Too dark.", severity: 3, kind: "confusion" });
      await seen(made, id, slotId, 761_000);
      const assignee = { github: "ada", gitlab: "ada", jira: "ada@example.com", linear: "ada" }[tracker];
      const priority = tracker === "jira" || tracker === "linear" ? { priority: "high" } : {};
      const reply = await file(made, id, tracker, { labels: ["playtest"], assignee, ...priority });
      expect(reply.body.data.finding).toMatchObject({
        status: "open",
        issue: { tracker, state: "waiting", key: null, url: null },
      });
      await server.advance(0);
      await file(made, id, tracker);
      await server.advance(0);
      expect(trackers.issues).toHaveLength(1);
      const issue = trackers.issues[0]!;
      const text = JSON.stringify(issue.body);
      for (const part of [
        "Too dark.",
        "severity 3 of 4",
        "Met by 1 of 1 playtesters",
        "12:41",
        `/studio/slots/${slotId}#t=12m41s`,
      ])
        expect(text).toContain(part);
      expect(issue.title.replaceAll("\u2060", "")).toBe("Nobody finds the lantern");
      expect(issue.labels[0]).toBe(tracker === "linear" ? "label" : "playtest");
      expect(issue.assignee).toBe({ github: "ada", gitlab: "ada", jira: "account-7", linear: "user" }[tracker]);
      const shown = await get(made, id);
      const pages = {
        github: `${trackers.url}/acme/lantern/issues/1`,
        gitlab: `${trackers.url}/acme/games/lantern/-/issues/1`,
        jira: `${trackers.url}/browse/LANT-1`,
        // A link that leads elsewhere is not shown.
        linear: null,
      };
      expect(shown).toMatchObject({
        status: "filed",
        issue: { state: "open", error: null, nextTryAt: null, url: pages[tracker] },
      });
      expect(shown.issue.key).toBe({ github: "#1", gitlab: "#1", jira: "LANT-1", linear: "LAN-1" }[tracker]);
    });

  for (const tracker of all)
    it(`${tracker}: what is closed there is fixed here, verified by builds that nobody met it in, and reopened when it is met again`, async () => {
      const made = await world(await serve(), tracker);
      const { server, trackers } = made;
      const { id, issue } = await filed(made, tracker);
      const playtesters = [];
      for (let n = 0; n < 4; n++) playtesters.push(await registerPlaytester(server));
      for (const one of playtesters) await seen(made, id, await submitted(made, one));
      await sync(made);
      expect(JSON.stringify(issue.body)).toContain("Met by 4 of 4 playtesters");
      trackers.close(issue);
      await sync(made);
      expect(await get(made, id)).toMatchObject({ status: "fixed", absence: null, issue: { state: "closed" } });
      await newBuild(made, "2");
      // Two who do not meet it are too few: 1 of 15 would miss it by chance.
      for (const one of playtesters.slice(0, 2)) await submitted(made, one);
      await sync(made);
      expect(await get(made, id)).toMatchObject({ status: "fixed", absence: { of: 2, p: 0.0667 } });
      for (const one of playtesters.slice(2)) await submitted(made, one);
      await sync(made);
      expect(await get(made, id)).toMatchObject({ status: "verified", absence: { of: 4, p: 0.0286 } });
      expect(JSON.stringify(issue.body)).toContain("None of the 4 who played a newer build met it.");
      expect(issue.comments).toEqual([]);
      await newBuild(made, "3");
      await seen(made, id, await submitted(made));
      await sync(made);
      await sync(made);
      expect(await get(made, id)).toMatchObject({ status: "filed", absence: null, issue: { state: "open" } });
      expect(issue.isOpen).toBe(true);
      expect(issue.comments).toHaveLength(1);
      expect(JSON.stringify(issue.comments[0])).toContain("Seen again");
      expect(trackers.issues).toHaveLength(1);
    });

  it("follows what people do on either side", async () => {
    const made = await world(await serve(), "github");
    const { owner, trackers } = made;
    const { id, issue } = await filed(made, "github");
    trackers.close(issue);
    await sync(made);
    // Reopened there.
    Object.assign(issue, { isOpen: true, closedAt: null });
    await sync(made);
    expect(await get(made, id)).toMatchObject({ status: "filed", issue: { state: "open" } });
    trackers.close(issue);
    await sync(made);
    // Reopened here.
    await owner.patch(`/findings/${id}`, { status: "open" });
    await sync(made);
    expect([issue.isOpen, (await get(made, id)).status]).toEqual([true, "filed"]);
    // Left as it is here: the team decides there.
    await owner.patch(`/findings/${id}`, { status: "wontfix" });
    await sync(made);
    expect([issue.isOpen, (await get(made, id)).status]).toEqual([true, "wontfix"]);
  });

  it("changes only its own part of a description, and nothing where people removed that", async () => {
    const made = await world(await serve(), "github");
    const { id, issue } = await filed(made, "github");
    issue.body = `Ada says: soon.\n\n${issue.body}\n\nBob agrees.`;
    await seen(made, id, await submitted(made));
    await sync(made);
    expect(issue.body).toMatch(/^Ada says: soon\.[\s\S]*Met by 1 of 1 playtesters[\s\S]*Bob agrees\.$/);
    issue.body = "Rewritten.";
    await seen(made, id, await submitted(made));
    await sync(made);
    expect(issue.body).toBe("Rewritten.");
  });

  it("says that an issue was deleted, and files a new one only when asked", async () => {
    const made = await world(await serve(), "github");
    const { trackers, server } = made;
    const { id, issue } = await filed(made, "github");
    issue.deleted = true;
    expect(await sync(made)).toBe(1);
    expect(await get(made, id)).toMatchObject({ status: "filed", issue: { state: "deleted", nextTryAt: null } });
    expect(await sync(made)).toBe(0);
    expect(trackers.of("github")).toHaveLength(0);
    await file(made, id, "github");
    await server.advance(0);
    expect(trackers.of("github")).toHaveLength(1);
    expect((await get(made, id)).issue).toMatchObject({ state: "open", key: "#2" });
  });

  it("records an issue in Linear's trash whose creation was not answered as deleted, and files a new one when asked", async () => {
    const made = await world(await serve(), "linear");
    const { trackers, server } = made;
    const id = await created(made);
    trackers.fail("lost", /issueCreate/);
    await file(made, id, "linear");
    await server.advance(0);
    trackers.of("linear")[0]!.deleted = true;
    await server.advance(hour);
    expect((await get(made, id)).issue).toMatchObject({ state: "deleted", nextTryAt: null });
    await file(made, id, "linear");
    await server.advance(0);
    expect((await get(made, id)).issue).toMatchObject({ state: "open", error: null });
    expect(trackers.of("linear")).toHaveLength(1);
  });

  it("gives an issue in Linear the labels of its team or of the workspace, however many teams have one of that name", async () => {
    const made = await world(await serve(), "linear");
    const { trackers } = made;
    const label = (team: string | null, name: string) => ({
      id: `${team} ${name}`,
      name,
      team: team === null ? null : { key: team },
    });
    const others = Array.from({ length: 60 }, (_, n) => label(`T${n}`, "bug"));
    trackers.linearLabels = [...others, label("LAN", "bug"), label("T1", "ui"), label(null, "ui"), label("T1", "audio")];
    expect((await filed(made, "linear", { labels: ["bug", "ui"] })).issue.labels).toEqual(["LAN bug", "null ui"]);
    const { id } = await filed(made, "linear", { labels: ["audio"] });
    expect((await get(made, id)).issue.error).toBe("Linear: The label is not associated with the same team as the issue");
  });

  it("refuses to file what cannot be, and lets a wrong place be put right", async () => {
    const made = await world(await serve(), "github");
    const { owner, server, trackers } = made;
    const [id, other] = [await created(made, "One"), await created(made, "Two")];
    const rows = [
      [{ tracker: "github", target: "acme" }, "422 target: must be owner/repository in GitHub, such as acme/lantern"],
      [{ tracker: "github", target: "../lantern" }, "422 target: must be owner/repository"],
      [{ tracker: "jira", target: "lant" }, "422 target: must be the key of a project in Jira"],
      [{ tracker: "github", target: "a/b", priority: "high" }, "422 priority: must be left out: GitHub has labels instead"],
      [{ tracker: "gitlab", target: "a/b", labels: ["a", "b,c"] }, "422 labels: must not contain a comma"],
      [{ tracker: "gitlab", target: "a/b" }, "409 GitLab is not connected. Nothing was filed."],
    ] as const;
    for (const [body, expected] of rows) expect(refusal(await owner.post(`/findings/${id}/issue`, body))).toContain(expected);
    await file(made, id, "github", { target: "acme/missing" });
    await server.advance(hour);
    expect((await get(made, id)).issue).toMatchObject({ state: "waiting", error: "GitHub: Not Found", nextTryAt: null });
    await file(made, id, "github");
    await server.advance(0);
    expect((await get(made, id)).issue).toMatchObject({ state: "open", key: "#1", error: null });
    expect(refusal(await file(made, id, "github", { target: "acme/other" }))).toBe(
      "409 #1 is filed in GitHub (acme/lantern) already. Nothing was filed: a finding has one issue.",
    );
    await owner.post(`/findings/${id}/merge`, { findingId: other });
    expect(refusal(await file(made, other, "github"))).toContain("409 #2 was merged into another finding. Nothing was filed.");
    expect(trackers.issues).toHaveLength(1);
  });

  it("waits as long as the tracker asks, and goes on with a new token after the old one ended", async () => {
    const made = await world(await serve(), "github");
    const { owner, server, trackers } = made;
    trackers.fail({ status: 403, headers: { "retry-after": "90" }, body: { message: "secondary rate limit" } }, /POST/);
    const [id, other] = [await created(made, "One"), await created(made, "Two")];
    await file(made, id, "github");
    await server.advance(0);
    expect((await get(made, id)).issue.error).toBe("GitHub: secondary rate limit");
    const asked = trackers.requests.length;
    await file(made, other, "github");
    await server.advance(89_000);
    // The whole account waits.
    expect(trackers.requests).toHaveLength(asked);
    expect((await owner.get("/trackers")).body.data.trackers[0].pausedUntil).not.toBeNull();
    await server.advance(2000);
    expect(trackers.of("github")).toHaveLength(2);
    trackers.revoked.add("Bearer token-github");
    await sync(made);
    expect((await get(made, id)).issue).toMatchObject({ error: "GitHub: Bad credentials", nextTryAt: null });
    await owner.post("/trackers/connect", bodyFor("github", trackers.url, "token-new"));
    await server.advance(0);
    expect((await get(made, id)).issue.error).toBe(null);
    expect(trackers.requests.at(-1)!.credential).toBe("Bearer token-new");
  });

  it.each(all)(
    "%s: an issue whose creation was not answered is found once the token works again, or another place is named",
    async (tracker) => {
      const made = await world(await serve(), tracker);
      const { server, owner, trackers } = made;
      const [id, other] = [await created(made), await created(made, "Elsewhere")];
      for (const lost of [id, other]) {
        trackers.fail("lost", tracker === "linear" ? /issueCreate/ : /^POST .*issues?$/);
        await file(made, lost, tracker);
        await server.advance(0);
      }
      expect(trackers.of(tracker)).toHaveLength(2);
      for (const { credential } of trackers.requests) trackers.revoked.add(credential);
      await server.advance(2 * minute);
      const elsewhere = { target: tracker === "jira" || tracker === "linear" ? "OTHER" : "acme/other" };
      expect((await file(made, other, tracker, elsewhere)).status).toBe(200);
      await server.advance(0);
      await owner.post("/trackers/connect", bodyFor(tracker, trackers.url, "token-new"));
      expect((await file(made, id, tracker)).status).toBe(200);
      await server.advance(48 * hour);
      const count = (of: string) => trackers.of(tracker).filter(({ target }) => target === of).length;
      expect([
        (await get(made, id)).issue.state,
        (await get(made, other)).issue.state,
        count(targets[tracker]),
        count(elsewhere.target),
      ]).toEqual(["open", "open", 2, 1]);
    },
  );

  it.each(["connected with another token", "asked again"] as const)(
    "goes on with what was %s while a request was refused",
    async (meanwhile) => {
      const made = await world(await serve(), "linear");
      const { server, owner, trackers } = made;
      const [arrived, reply] = [gate(), gate<Fault>()];
      trackers.fail(() => {
        arrived.open();
        return reply.passed;
      }, /issueCreate/);
      const id = await created(made);
      await file(made, id, "linear");
      const tries = server.advance(0);
      await arrived.passed;
      if (meanwhile === "asked again") {
        server.clock.set(server.clock.now() + 1);
        await file(made, id, "linear");
      } else await owner.post("/trackers/connect", bodyFor("linear", trackers.url, "token-new"));
      reply.open({ status: 401, body: { errors: [{ message: "Authentication required" }] } });
      await tries;
      await server.advance(0);
      expect((await get(made, id)).issue).toMatchObject({ state: "open", error: null });
      expect(trackers.of("linear")).toHaveLength(1);
    },
  );

  for (const tracker of all)
    it(`${tracker}: each of 50 findings has exactly one issue after random faults, lost replies and closed and deleted issues`, async () => {
      const made = await world(await serve(), tracker);
      const { server, trackers } = made;
      const random = randomOf(tracker);
      trackers.randomly(random, 0.4, tracker);
      const ids: string[] = [];
      for (let n = 0; n < 50; n++) {
        const id = await created(made, `Finding ${n}`);
        ids.push(id);
        await file(made, id, tracker);
        // Somebody who cannot wait.
        if (random() < 0.3) await file(made, id, tracker);
        await server.advance(Math.floor(random() * 3 * minute));
      }
      await server.advance(48 * hour);
      const counts = () => ids.map((id) => trackers.of(tracker).filter((issue) => JSON.stringify(issue).includes(id)).length);
      expect(counts()).toEqual(ids.map(() => 1));
      for (const issue of trackers.of(tracker)) {
        const draw = random();
        if (draw < 0.2) issue.deleted = true;
        else if (draw < 0.5) trackers.close(issue);
      }
      const left = counts();
      await made.owner.post(`/games/${made.gameId}/findings/sync`);
      await server.advance(48 * hour);
      expect(counts()).toEqual(left);
      for (const [n, id] of ids.entries()) {
        const { status, issue } = await get(made, id);
        const remote = trackers.issues.find((one) => JSON.stringify(one).includes(id))!;
        const expected = remote.deleted ? ["filed", "deleted"] : remote.isOpen ? ["filed", "open"] : ["fixed", "closed"];
        expect([n, status, issue.state]).toEqual([n, ...expected]);
      }
    });

  it("lets nothing that people wrote act in an issue", async () => {
    const made = await world(await serve(), ...all);
    const { server, trackers } = made;
    const hostile =
      "@all fixes #1 ![x](https://evil.example/x.png) <img src=x onerror=alert(1)> [a](javascript:b) `code`\n/close\n<!-- end -->";
    const id = await created(made, "@all closes #1 ~bug /close <b>", { text: hostile });
    const slotId = await submitted(made);
    const moment = (await made.owner.post(`/slots/${slotId}/moments`, { atMs: 1, text: hostile })).body.data.moment;
    await made.owner.post(`/findings/${id}/evidence`, { momentId: moment.id });
    for (const tracker of all) {
      await file(made, id, tracker);
      await server.advance(0);
      const { title, body } = trackers.of(tracker)[0]!;
      await made.server.deps.store.write((tx) => tx.run("DELETE FROM finding_issues"));
      if (tracker === "jira") {
        const texts = JSON.stringify(body);
        expect(texts).not.toContain('"type":"mention"');
        expect(texts).toContain('"marks":[{"type":"code"}]');
        continue;
      }
      // Outside of code, nothing is left but what the program wrote.
      const outside = String(body).replace(/(`+)[\s\S]*?[^`]\1(?!`)/g, "");
      for (const sign of ["@all", "#1", "evil.example", "<img", "javascript", "/close", "<!-- end -->"])
        expect([tracker, outside.includes(sign)]).toEqual([tracker, false]);
      for (const line of String(body).split("\n")) expect(line).not.toMatch(/^\s*\/close/);
      expect(title).not.toMatch(/@all|#1|~bug/);
    }
  });

  it("links to a public page of the video only when asked, and to Studio again when that has ended", async () => {
    const made = await world(await serve(), "github");
    const { owner, server, trackers } = made;
    const slotId = await submitted(made);
    const id = await created(made);
    await seen(made, id, slotId, 61_000);
    await file(made, id, "github", { share: true });
    await server.advance(0);
    const [share] = (await owner.get("/shares")).body.data.shares;
    const issue = trackers.issues[0]!;
    expect(share.slotId).toBe(slotId);
    expect(String(issue.body)).toContain(`${share.url}#t=1m1s`);
    await owner.delete(`/shares/${share.id}`);
    await sync(made);
    expect(String(issue.body)).not.toContain(share.url);
    expect(String(issue.body)).toContain(`/studio/slots/${slotId}#t=1m1s`);
  });

  it("shows the picture at the second of a note, with the day on which it ends, and records the share in the audit log", async () => {
    const made = await world(await serve(), "github");
    const { owner, server, trackers } = made;
    const ffmpeg = ["/bin/sh", "-c", 'for output; do :; done; echo cut > "$output"', "ffmpeg"];
    server.deps.cutter = {
      ...createFfmpegCutter({ ...server.deps.config.clips, ffmpeg }),
      still: async (_from, _at, to, small) => {
        for (const file of [to, small]) writeFileSync(file, "a picture");
      },
    };
    const slotId = await submitted(made);
    const id = await created(made);
    const { moment } = (await owner.post(`/slots/${slotId}/moments`, { atMs: 61_000, kind: "bug", text: "Dark." })).body.data;
    await owner.post(`/findings/${id}/evidence`, { momentId: moment.id });
    await file(made, id, "github", { share: true });
    await server.advance(5_000);
    const [share] = (await owner.get("/shares")).body.data.shares;
    const body = String(trackers.issues[0]!.body);
    const image = `${share.url}/${slotId}/stills/${moment.id}`;
    expect(body).toContain(`![The video at 1:01](${image})`);
    expect(body).toContain("The public page of the video and the picture end on 2026-03-15.");
    expect(await (await fetch(image)).text()).toBe("a picture");
    const actions = await server.deps.store.read((q) =>
      q.all<{ action: string; target_id: string }>("SELECT action, target_id FROM audit_entries"),
    );
    expect(actions).toContainEqual({ action: "finding.file", target_id: id });
    expect(actions).toContainEqual({ action: "share.create", target_id: share.id });
    await owner.delete(`/shares/${share.id}`);
    await sync(made);
    expect(String(trackers.issues[0]!.body)).not.toMatch(/!\[|public page/);
  });

  it("verifies and reopens findings without an issue, too", async () => {
    const made = await world(await serve());
    const { owner, server } = made;
    const id = await created(made);
    for (let n = 0; n < 4; n++) await seen(made, id, await submitted(made));
    await owner.patch(`/findings/${id}`, { status: "fixed" });
    await newBuild(made, "2");
    for (let n = 0; n < 4; n++) await submitted(made);
    expect(await sync(made)).toBe(0);
    expect(await get(made, id)).toMatchObject({ status: "verified", absence: { of: 4, p: 0.0286 } });
    await newBuild(made, "3");
    await seen(made, id, await submitted(made));
    await sync(made);
    expect((await get(made, id)).status).toBe("open");
    expect(server.errors).toEqual([]);
  });

  it("goes with its finding, and with the account", async () => {
    const made = await world(await serve(), "github");
    const { id } = await filed(made, "github");
    await made.owner.delete(`/findings/${id}`);
    const rows = await made.server.deps.store.read((q) => q.all("SELECT * FROM finding_issues"));
    expect(rows).toEqual([]);
    await made.server.advance(hour);
  });
});

describe("rules of trackers", () => {
  it.each([
    [429, { "retry-after": "90" }, "", 90_000],
    [429, {}, "", 60_000],
    [429, { "retry-after": "999999999" }, "", 6 * hour],
    [403, {}, "You have exceeded a secondary rate limit", 60_000],
    [403, { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "1120" }, "", 120_000],
    [429, { "x-ratelimit-requests-reset": "1700000120000" }, "", 6 * hour],
    [403, { "x-ratelimit-remaining": "5" }, "Resource not accessible", undefined],
    [422, { "retry-after": "5" }, "", undefined],
    [429, { "retry-after": "Thu, 01 Jan 1970 00:17:10 GMT" }, "", 30_000],
  ])("%i with %o waits", (status, headers, said, expected) => {
    expect(waitOf({ status, headers: headers as Record<string, string>, said }, 1_000_000)).toBe(expected);
  });

  it.each([
    ["open", "waiting", true, "filed"],
    ["filed", "open", false, "fixed"],
    ["filed", "closed", false, "filed"],
    ["fixed", "closed", true, "filed"],
    ["verified", "closed", true, "filed"],
    ["fixed", "open", true, "fixed"],
    ["wontfix", "closed", true, "wontfix"],
  ] as const)("%s with an issue that was %s and is open: %s gives %s", (status, state, isOpen, expected) => {
    expect(statusByIssue({ status, state, isOpen })).toBe(expected);
  });

  it("an issue is reopened for a finding that is open or was met again", () => {
    const none = { reopen: false, again: false };
    expect(planOf({ status: "filed", isOpen: false, verdict: undefined })).toEqual({
      status: "filed",
      reopen: true,
      again: false,
    });
    expect(planOf({ status: "fixed", isOpen: false, verdict: "again" })).toEqual({ status: "filed", reopen: true, again: true });
    expect(planOf({ status: "fixed", isOpen: false, verdict: "verified" })).toEqual({ status: "verified", ...none });
    expect(planOf({ status: "wontfix", isOpen: false, verdict: undefined })).toEqual({ status: "wontfix", ...none });
  });
});
