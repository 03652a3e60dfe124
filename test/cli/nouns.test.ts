import { describe, expect, it } from "vitest";
import { groups } from "../../src/cli/groups.ts";
import { playtest } from "../helpers/cli.ts";
import { registerPlaytester } from "../helpers/factories.ts";
import { eachOwnerFixture } from "../helpers/owner-fixture.ts";

/** `playtest serve` alone starts a server, and `playtest mcp` one whose tools only read; every other noun alone lists. */
const nouns = groups.filter(({ name }) => name !== "serve" && name !== "mcp");

describe("a noun alone", () => {
  it.each(nouns.map((entry) => [entry.name, entry] as const))(
    "%s stands for a command that only reads and requires nothing",
    async (_, entry) => {
      const { commands, fallback } = await entry.load();
      const command = commands.find(({ name }) => name === fallback)!;
      expect(["read", "local"]).toContain(command.risk);
      expect(Object.values(command.args ?? {}).filter(({ optional, setting }) => !optional && !setting)).toEqual([]);
      const { code, stdout } = await playtest([entry.name, "--help"]);
      expect([code, stdout]).toEqual([0, expect.stringContaining(`Without a command: playtest ${entry.name} ${fallback}\n`)]);
    },
  );

  const fixture = eachOwnerFixture();

  it.each([
    ["games", "games list"],
    ["playtests", "playtests list"],
    ["applications", "applications list"],
    ["review", "review list"],
    ["billing", "billing payments list"],
    ["chat", "chat list"],
    ["notifications", "notifications list"],
    ["webhooks", "webhooks list"],
    ["info", "info list"],
    ["auth keys", "auth keys list"],
    ["auth profile", "auth profile show"],
    ["billing payments", "billing payments list"],
    ["billing subscription", "billing subscription show"],
    ["config", "config list"],
    ["ci", "ci list"],
  ])("%s lists", async (noun, listing) => {
    await fixture.order();
    const [alone, whole] = [
      await fixture.run([...noun.split(" "), "--json"]),
      await fixture.run([...listing.split(" "), "--json"]),
    ];
    expect([alone.code, alone.stderr]).toEqual([0, whole.stderr]);
    expect(alone.stdout).toBe(whole.stdout);
  });
});

describe("applications list without a playtest", () => {
  const fixture = eachOwnerFixture();

  it("lists the applications to all playtests, each with its game and playtest", async () => {
    const empty = await fixture.run("applications --json");
    expect([empty.code, JSON.parse(empty.stdout).applications]).toEqual([0, []]);
    const playtestId = await fixture.order({ selectionMode: "manual", qualifications: "Do you dive?" });
    await fixture.order();
    const ann = await registerPlaytester(fixture.server, "Ann");
    const answer = { qualificationsResponse: "Yes." };
    const { id } = (await ann.post(`/playtester/playtests/${playtestId}/applications`, answer)).body.data.application;
    const { stdout } = await fixture.run("applications --json");
    expect(JSON.parse(stdout).applications).toMatchObject([{ id, playtestId, gameName: "Lantern Deep", displayName: "Ann" }]);
    const table = await fixture.run("applications", { tty: true, columns: 80 });
    expect(table.stdout.split("\n").filter((row) => row.length > 80)).toEqual([]);
    expect(table.stdout).toContain(id.slice(-8));
    expect((await fixture.run("applications --cursor x")).code).toBe(2);
  });
});

describe("the name of a game in the place of a playtest", () => {
  const fixture = eachOwnerFixture();
  const id = (stdout: string) => JSON.parse(stdout).playtest.id;

  it("stands for its only playtest", async () => {
    const none = await fixture.run(["playtests", "show", "Lantern Deep"]);
    expect([none.code, none.stderr]).toEqual([3, expect.stringContaining('The game "Lantern Deep" has no playtests.')]);
    const only = await fixture.order({ selectionMode: "manual" });
    for (const name of ["Lantern Deep", "lantern-deep"])
      expect(id((await fixture.run(["playtests", "show", name, "--json"])).stdout)).toBe(only);
    expect((await fixture.run("ci summary lantern-deep")).stdout).toContain("Ordered: 1 slot");
    expect((await fixture.run("applications list lantern-deep")).code).toBe(0);
    const like = await fixture.run("order lantern-deep --like lantern-deep --dry-run --json");
    expect(JSON.parse(like.stdout).requests[0].body).toMatchObject({ selectionMode: "manual" });
    expect((await fixture.run("playtests cancel lantern-deep --yes")).code).toBe(0);
    expect((await fixture.owner.get(`/playtests/${only}`)).body.data.playtest.slots).toMatchObject({ cancelled: 1 });
  });

  it("names no playtest where there are several, and nothing is done", async () => {
    const both = [await fixture.order(), await fixture.order()];
    const { code, stderr } = await fixture.run(["playtests", "cancel", "Lantern Deep", "--yes"]);
    expect([code, stderr]).toEqual([
      2,
      "error: The game \"Lantern Deep\" has several playtests.\nUse the id of one. To list them: `playtest playtests list 'Lantern Deep'`.\n",
    ]);
    for (const one of both)
      expect((await fixture.owner.get(`/playtests/${one}`)).body.data.playtest.slots).toMatchObject({ open: 1 });
  });

  it.each([
    ["playtests show nope", "<playtest>: playtest id, or the name of a game that has only one.", "playtests list --all-games"],
    ["applications list nope", "<playtest>: playtest id", "playtests list --all-games"],
    ["review notes nope", "<of>: id of a slot, playtest or game.", "games list"],
    ["review still nope", "<note>: id of the note.", "review notes list GAME"],
    ["review clips delete nope --yes", "<clip>: id of the clip.", "review clips list SLOT"],
    ["review url nope", "<slot>: slot id.", "review list"],
    ["billing invoice nope", "<payments>: payment ids.", "billing payments list"],
    ["auth sessions end nope --yes", "<session>: session id.", "auth sessions"],
  ])("%s: says what the argument is, and how to list it", async (line, what, listing) => {
    const { code, stderr } = await fixture.run(line);
    expect([code, stderr]).toEqual([3, expect.stringContaining(what)]);
    expect(stderr).toContain(`To list valid ids: \`playtest ${listing}\`.`);
  });

  it("a word that is no id is refused in plain words", async () => {
    const { code, stderr } = await fixture.run("review search door --playtest nope");
    expect([code, stderr]).toEqual([2, expect.stringContaining("--playtest: must be a full id\n")]);
  });
});

describe("a mistyped", () => {
  it.each([
    ["noun", "gmaes", "Did you mean games?"],
    ["noun of a command", "gmaes list", "Did you mean games?"],
    ["noun, asked for help", "gmaes --help", "Did you mean games?"],
    ["topic", "help gmaes", "Did you mean games?"],
    ["verb", "games lsit", "Did you mean list?"],
    ["verb below a noun below a noun", "auth keys crate", "Did you mean create?"],
    ["verb by another word for it", "games add", "Did you mean create?"],
    ["verb by another word for it", "review approve", "Did you mean accept?"],
    ["verb without its noun", "balance", "Did you mean `playtest billing balance`?"],
    ["flag", "games list --limt 3", "Did you mean --limit?"],
    ["flag of a body", "order --quantty 3", "Did you mean --quantity?"],
    ["first word of a flag", "auth register --company Corp", "Did you mean --company-name?"],
    ["last words of a flag", "games update 5b7702ae --image-url https://example.com/a.png", "Did you mean --cover-image-url?"],
    ["global flag", "games list --jsn", "Did you mean --json?"],
    ["selection of fields of a noun", "games --json name", "write --json=name."],
    ["selection of fields of a list", "games list --json name", "write --json=name."],
    ["selection of several fields", "games list --json id,name", "write --json=id,name."],
  ])("%s is answered with what was meant: %s", async (_, typed, hint) => {
    const { code, stderr } = await playtest(typed.split(" "));
    expect([code, stderr]).toEqual([typed.startsWith("help") ? 3 : 2, expect.stringContaining(hint)]);
  });
});
