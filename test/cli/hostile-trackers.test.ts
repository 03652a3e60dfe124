import { expect } from "vitest";
import { trackers as names, targets } from "../../src/contract/findings/trackers.ts";
import { playtest, testFolder } from "../helpers/cli.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { signedIn } from "../helpers/portal.ts";
import { reviewMarket } from "../helpers/review.ts";
import { startTrackers } from "../helpers/trackers.ts";

const hostile = "=HYPERLINK(1)\u001b[2J\u202e<script>alert(1)</script>\n@everyone";
/** A refusal with this sentence, as each tracker sends them. */
const refusals = {
  github: { status: 422, body: { message: hostile } },
  gitlab: { status: 400, body: { message: hostile } },
  jira: { status: 400, body: { errorMessages: [hostile], errors: {} } },
  linear: { status: 200, body: { errors: [{ message: hostile, extensions: { code: "INPUT_ERROR", statusCode: 400 } }] } },
} as const;

onBothDatabases("hostile replies of trackers", (serve, it) => {
  it.each(names)("%s: its words act neither in a terminal nor on a page nor in a spreadsheet", async (tracker) => {
    const server = await serve();
    const trackers = await startTrackers(server.clock.now);
    server.deps.config.webhooks.allowPrivate = ["127.0.0.0/8"];
    const { owner, gameId } = await reviewMarket(server);
    const email = tracker === "jira" ? { email: "ada@example.com" } : {};
    await owner.post("/trackers/connect", { tracker, token: "t", site: trackers.url, ...email });
    const { finding } = (await owner.post(`/games/${gameId}/findings`, { title: "Dark" })).body.data;
    trackers.fail(refusals[tracker], tracker === "linear" ? /issueCreate|IssueCreate/ : /POST .*issue/);
    await owner.post(`/findings/${finding.id}/issue`, { tracker, target: targets[tracker].example });
    await server.advance(0);
    const { error } = (await owner.get(`/findings/${finding.id}`)).body.data.finding.issue;
    expect(error).toContain("HYPERLINK");

    const run = (line: string) =>
      playtest(line.split(" "), {
        baseUrl: server.baseUrl,
        key: owner.key,
        env: { PLAYTEST_CONFIG_DIR: testFolder() },
        outside: { now: server.clock.now },
      });
    const printed = [await run(`findings show ${finding.id}`), await run(`findings show ${finding.id} --csv`)];
    for (const { code, stdout } of printed) {
      expect(code).toBe(0);
      expect(stdout).toContain("HYPERLINK");
      expect(["\u001b", "\u202e"].filter((one) => stdout.includes(one))).toEqual([]);
      for (const line of stdout.split(/\r?\n/)) expect(line).not.toMatch(/(^|,)"?[=@]/);
    }
    const browser = await signedIn(server, owner, "/studio");
    const { html } = await browser.get(`/studio/findings/${finding.id}`);
    expect(html).toContain("&lt;script&gt;alert(1)");
    expect(html).not.toContain("<script>alert");
  });
});
