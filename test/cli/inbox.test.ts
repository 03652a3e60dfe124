import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { type Answer, answering } from "../helpers/answers.ts";
import { testFolder } from "../helpers/cli.ts";
import { type Person, play, registerPlaytester } from "../helpers/factories.ts";
import { eachOwnerFixture } from "../helpers/owner-fixture.ts";
import { startTime } from "../helpers/server.ts";

const fixture = eachOwnerFixture();
let ann: Person;
let folder: string;

beforeEach(async () => {
  ann = await registerPlaytester(fixture.server, "Ann");
  folder = testFolder();
});

const submitted = async (person = ann) => play(fixture.server, person, await fixture.order());
const slot = async (id: string) => (await fixture.owner.get(`/slots/${id}`)).body.data.slot;

/** Sits at a terminal: types the next answer whenever the screen shows the question it is for. Each takes an hour. */
async function inbox(answers: readonly Answer[], words: readonly string[] = []) {
  const env = {
    HOME: folder,
    PLAYTEST_CONFIG_DIR: folder,
    PLAYTEST_BASE_URL: fixture.server.baseUrl,
    PLAYTEST_API_KEY: fixture.owner.key,
    PLAYTEST_PLAYER: `${process.execPath} ${join(folder, "player.cjs")}`,
    NO_COLOR: "1",
  };
  writeFileSync(
    join(folder, "player.cjs"),
    `require("node:fs").writeFileSync(${JSON.stringify(join(folder, "played"))}, process.argv[2])`,
  );
  return answering(["review", "next", ...words], answers, {
    env,
    cwd: folder,
    outside: (answered) => ({ now: () => startTime + answered() * 3_600_000 }),
  });
}

describe("review next", () => {
  it("shows the length of the video and the amount before one key accepts and pays, with a rating and a comment", async () => {
    const id = await submitted();
    const { code, stdout, stderr } = await inbox([
      ["What do you want to do?", "a"],
      ["Rating. Ann will be paid $10.00:", "65"],
      ["Comment", "Thank you.\r"],
    ]);
    expect(code).toBe(0);
    expect(stdout).toContain("Ann");
    expect(stderr).toContain("a      Accept and pay Ann $10.00");
    expect(stdout).toMatch(/^payout +\$10\.00$/m);
    expect(stderr).toContain("Accepted and paid Ann $10.00.");
    expect(stderr).toContain("1 accepted, 0 rejected, 0 skipped.");
    expect(await slot(id)).toMatchObject({ status: "accepted", rating: { score: 5, comment: "Thank you." } });
  });

  it("goes through them the oldest first: skip one, reject one with a retry", async () => {
    const first = await submitted();
    fixture.server.clock.set(fixture.server.clock.now() + 1_000);
    const second = await submitted(await registerPlaytester(fixture.server, "Bo"));
    const { stdout, stderr } = await inbox([
      ["1 of 2 submissions", ""],
      ["What do you want to do?", "s"],
      ["2 of 2 submissions", ""],
      ["What do you want to do?", "r"],
      ["Allow a retry", "y"],
      ["Reason", "No sound.\r"],
    ]);
    expect(stderr).toContain("0 accepted, 1 rejected, 1 skipped.");
    expect([...stdout.matchAll(/^submitted +(.*)$/gm)].map(([, ago]) => ago)).toEqual(["1h ago", "2h ago"]);
    expect((await slot(first)).status).toBe("submitted");
    expect(await slot(second)).toMatchObject({ status: "rejected", rejection: { reason: "No sound." } });
  });

  it("plays the video in PLAYTEST_PLAYER, says when there is no transcript, and quits", async () => {
    const id = await submitted();
    const { code, stderr } = await inbox([
      ["What do you want to do?", "p"],
      ["Opening the video.", ""],
      ["What do you want to do?", "t"],
      ["warning:", ""],
      ["What do you want to do?", "q"],
    ]);
    expect(code).toBe(0);
    await expect
      .poll(() => existsSync(join(folder, "played")) && readFileSync(join(folder, "played"), "utf8"))
      .toContain("token=");
    expect(stderr).toContain("0 accepted, 0 rejected, 0 skipped.");
    expect((await slot(id)).status).toBe("submitted");
  });

  it("writes to a playtester one may write to, and says so where one may not", async () => {
    const first = await submitted();
    const chat: Answer[] = [
      ["What do you want to do?", "c"],
      ["Message", "What did you mean?\r"],
    ];
    const locked = await inbox([chat[0]!, ["warning:", ""], ["What do you want to do?", "q"]]);
    expect(locked.code).toBe(0);
    expect(locked.stderr).toContain("Chat with this contact is available after the first accepted slot.");
    expect(locked.stderr).not.toContain("Message (");
    await fixture.owner.post(`/slots/${first}/accept`);
    await submitted();
    await inbox([...chat, ["Message sent.", ""], ["What do you want to do?", "q"]]);
    const { contacts } = (await ann.get("/chat/contacts")).body.data;
    expect(contacts).toMatchObject([{ lastMessagePreview: "What did you mean?", unreadCount: 1 }]);
  });

  it("goes on when somebody else decided meanwhile", async () => {
    const first = await submitted();
    fixture.server.clock.set(fixture.server.clock.now() + 1_000);
    await submitted(await registerPlaytester(fixture.server, "Bo"));
    const { stderr } = await inbox([
      ["What do you want to do?", "a", () => fixture.owner.post(`/slots/${first}/reject`)],
      ["This slot is rejected", ""],
      ["2 of 2 submissions", ""],
      ["What do you want to do?", "q"],
    ]);
    expect(stderr).toContain("0 accepted, 0 rejected, 1 skipped.");
  });

  it("Esc at the rating goes back, and nothing is paid", async () => {
    const id = await submitted();
    const { stderr } = await inbox([
      ["What do you want to do?", "a"],
      ["Rating", "\u001b"],
      ["What do you want to do?", "q"],
    ]);
    expect(stderr).toContain("0 accepted, 0 rejected, 0 skipped.");
    expect((await slot(id)).status).toBe("submitted");
  });

  it("Ctrl-C leaves with 130", async () => {
    await submitted();
    expect((await inbox([["What do you want to do?", "\u0003"]])).code).toBe(130);
  });

  it("needs a terminal, and none where nothing waits", async () => {
    expect(await fixture.run("review next")).toMatchObject({ code: 0, stderr: "No submissions are waiting for review.\n" });
    await submitted();
    expect(await fixture.run("review next")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("This command requires a terminal with prompts enabled. Nothing was changed."),
    });
    expect(await fixture.run("review next --json", { tty: true })).toMatchObject({ code: 2, stdout: "" });
  });
});
