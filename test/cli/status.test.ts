import { describe, expect, it } from "vitest";
import { ensureAdmin } from "../../server/accounts/service.ts";
import { claim, order, personWith, play, registerOwner, registerPlaytester } from "../helpers/factories.ts";
import { eachOwnerFixture } from "../helpers/owner-fixture.ts";
import { startTime } from "../helpers/server.ts";

const fixture = eachOwnerFixture(11_000);
const linesOf = (stderr: string) => stderr.trimEnd().split("\n");
const outside = { now: () => startTime };

/** A world in which something waits for everybody. */
async function busy() {
  const { server, owner, gameId } = fixture;
  const [tess, bo] = [await registerPlaytester(server, "Tess"), await registerPlaytester(server, "Bo")];
  const admin = personWith(server, (await ensureAdmin(server.deps))!, "");
  await owner.post(`/slots/${await play(server, tess, await order(owner, gameId))}/accept`);
  await play(server, tess, await order(owner, gameId));
  const blocked = await claim(bo, await order(owner, gameId));
  await bo.post(`/playtester/slots/${blocked}/report`, { reasonCode: "crash", notes: "Black screen." });
  const manual = await order(owner, gameId, { selectionMode: "manual" });
  await bo.post(`/playtester/playtests/${manual}/applications`, {});
  const held = await claim(tess, await order(owner, gameId));
  const { id: conversation } = (await owner.post("/chat/conversations", { contactId: tess.id })).body.data.conversation;
  await tess.post(`/chat/conversations/${conversation}/messages`, { content: "Is there a new build?" });
  await order(owner, gameId, { visibility: "public", isFreePublicTrial: true });
  return { tess, admin, blocked, manual, held, conversation };
}

describe("status", () => {
  it("owner: what waits, the most urgent first, each with a command that works", async () => {
    const { manual, conversation } = await busy();
    const { code, stderr } = await fixture.run("status", { outside });
    expect(code).toBe(0);
    expect(linesOf(stderr)).toEqual([
      "1 reported problem waits for an answer, first deadline in 14d:",
      "  playtest review problems",
      "1 video waits for your review:",
      "  playtest review next",
      "1 application waits for your decision, first deadline in 7d:",
      `  playtest applications list ${manual}`,
      "1 unread message:",
      `  playtest chat read ${conversation}`,
      "Your credit is low ($10.00):",
      "  playtest billing credit add --amount 50",
    ]);
    for (const [, command] of stderr.matchAll(/^ {2}playtest (.*)$/gm))
      if (!/review next/.test(command!)) expect((await fixture.run(command!)).code).toBe(0);
  });

  it("playtester: slots with their deadline; no figures of an owner, and no error", async () => {
    const { tess, held } = await busy();
    const gameName = (await fixture.owner.getGame({ params: { id: fixture.gameId } })).game.name;
    const { code, stdout, stderr } = await fixture.run("status", { key: tess.key, outside });
    expect([code, linesOf(stderr)]).toEqual([
      0,
      [
        ...["You hold 1 slot, first deadline in 1d:", `  playtest tester show ${held}`],
        `  ${gameName}, slot ${held.slice(-8)}, due in 1d`,
      ],
    ]);
    const { slots } = JSON.parse((await fixture.run("status --json", { key: tess.key })).stdout).result;
    expect(slots).toEqual([{ id: held, gameName, deadlineAt: expect.any(String) }]);
    expect(stdout).toContain("playtester");
    expect((await fixture.run(`tester show ${held}`, { key: tess.key })).code).toBe(0);
    const gate = await fixture.run(["status", "--fail-if", "balanceCents<1"], { key: tess.key });
    expect([gate.code, gate.stderr]).toEqual([5, expect.stringContaining("no permission to read balanceCents")]);
  });

  it("operator with one scope: what that scope can do, and no error", async () => {
    const { admin, blocked } = await busy();
    const keyOf = async (scopes: string[]) => (await admin.post("/admin/admins", { name: "Ada", scopes })).body.data.apiKey;
    const linesFor = async (scopes: string[]) => {
      const { code, stdout, stderr } = await fixture.run("status", { key: await keyOf(scopes), outside });
      expect([code, stdout]).toEqual([0, expect.stringMatching(/^role\s+admin\n$/)]);
      return linesOf(stderr);
    };
    expect(await linesFor(["approve"])).toEqual([
      "1 reported problem waits for an owner's answer, first deadline in 14d:",
      `  playtest review unblock ${blocked}`,
      "1 free trial or video waits for approval:",
      "  playtest admin approvals",
    ]);
    expect(await linesFor(["money"])).toEqual(["$10.00 is owed to 1 playtester:", "  playtest admin owed"]);
    expect(await linesFor(["accounts"])).toEqual(["Nothing waits for you."]);
  });

  it("owner whose open slots lack game keys: told which playtest, and never that nothing waits", async () => {
    const { server, owner, gameId } = fixture;
    const id = await order(owner, gameId, { keysForTesters: ["K-1"] });
    const tess = await registerPlaytester(server, "Tess");
    await tess.post(`/playtester/slots/${await claim(tess, id)}/release`);
    expect(linesOf((await fixture.run("status", { outside })).stderr)).toEqual([
      "1 playtest has open slots without game keys:",
      `  playtest playtests keys add ${id} --file keys.txt`,
    ]);
  });

  it("operator: approvals, problems and what is owed", async () => {
    const { admin, blocked } = await busy();
    const { code, stderr } = await fixture.run("status", { key: admin.key, outside });
    expect([code, linesOf(stderr)]).toEqual([
      0,
      [
        "1 reported problem waits for an owner's answer, first deadline in 14d:",
        `  playtest review unblock ${blocked}`,
        "1 free trial or video waits for approval:",
        "  playtest admin approvals",
        "$10.00 is owed to 1 playtester:",
        "  playtest admin owed",
      ],
    ]);
    const { todo } = JSON.parse((await fixture.run("status --json", { key: admin.key })).stdout).result;
    expect(todo.map(({ kind, count }: { kind: string; count: number }) => [kind, count])).toEqual([
      ["problems", 1],
      ["approvals", 1],
      ["payoutsOwed", 1],
    ]);
  });

  it("a key without permission for chat and billing sees the rest", async () => {
    await busy();
    const body = { name: "narrow", scopes: ["game_owner"] };
    const { apiKey } = (await fixture.owner.post("/auth/api-keys", body)).body.data;
    const { todo } = JSON.parse((await fixture.run("status --json", { key: apiKey })).stdout).result;
    expect(todo.map(({ kind }: { kind: string }) => kind)).toEqual(["problems", "reviews", "applications"]);
  });

  it("nothing waits: says so", async () => {
    expect((await fixture.run("status", { outside })).stderr).toBe("Nothing waits for you.\n");
  });
});

describe("notifications settings", () => {
  it("lists the kinds, and changes one or all", async () => {
    const { settings } = { settings: JSON.parse((await fixture.run("notifications settings --json")).stdout).result };
    expect(settings[0]).toEqual({ kind: "slot.submitted", topic: "A video to review", mail: "on" });
    await fixture.run("notifications settings slot.submitted digest");
    await fixture.run("notifications settings credit.low off");
    const changed = JSON.parse((await fixture.run("notifications settings --json")).stdout).result;
    expect(changed.filter(({ mail }: { mail: string }) => mail !== "on")).toMatchObject([
      { kind: "slot.submitted", mail: "digest" },
      { kind: "credit.low", mail: "off" },
    ]);
    const all = JSON.parse((await fixture.run("notifications settings all on --json")).stdout).result;
    expect(all.every(({ mail }: { mail: string }) => mail === "on")).toBe(true);
  });

  it.each([
    ["slot.accepted off", "You get no emails about"],
    ["slot.submitted", "Add on, off or digest."],
    ["slot.submitted maybe", "Add on, off or digest."],
  ])("refuses %s", async (words, message) => {
    const { code, stderr } = await fixture.run(`notifications settings ${words}`);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});

describe("an owner without a game", () => {
  it.each([
    [
      "status",
      0,
      "Nothing waits for you. Create a game to order playtests of it:\n  playtest games create --name NAME --build-url URL\n",
    ],
    ["order", 2, "error: There is no game to choose from.\nCreate one: `playtest games create --name NAME --build-url URL`.\n"],
    [
      "games push dist",
      2,
      "error: There is no game to choose from.\nCreate one: `playtest games create --name NAME --build-url URL`.\n",
    ],
  ])("%s says how to begin", async (line, code, said) => {
    const owner = await registerOwner(fixture.server);
    const ran = await fixture.run(line, { key: owner.key, outside, tty: true });
    expect([ran.code, ran.stderr]).toEqual([code, said]);
  });
});

it("notifications settings of an owner without an address that mail reaches name no scope of administrators", async () => {
  const { server, owner } = fixture;
  server.deps.config.sandbox = false;
  await server.deps.store.write((tx) => tx.run("UPDATE users SET email = 'owner@playtest.invalid' WHERE id = ?", owner.id));
  const { stderr } = await fixture.run("notifications settings", { outside });
  expect(stderr).toBe("No email reaches this account: it has no confirmed address. Name one with `playtest auth email`.\n");
});
