import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { testFolder } from "../helpers/cli.ts";
import { eachOwnerFixture } from "../helpers/owner-fixture.ts";

const fixture = eachOwnerFixture();

const file = (text: string) => {
  const cwd = testFolder();
  writeFileSync(join(cwd, "game.yaml"), text);
  return { cwd };
};
const yaml = "name: Star Miner\nbuildUrl: https://example.com/a.zip\ndevices: [PC, Linux]\ntags: [roguelike, Pixel Art]\n";

describe("games apply and diff", () => {
  it("games apply: creates the game once, then changes only fields that differ", async () => {
    const at = file(yaml);
    const made = await fixture.run("games apply -f game.yaml --json", at);
    const { gameId } = JSON.parse(made.stdout).result;
    expect(JSON.parse(readFileSync(join(at.cwd, ".playtest.json"), "utf8"))).toEqual({ gameId });
    expect(await fixture.run("games apply -f game.yaml", at)).toMatchObject({
      code: 0,
      stdout: "Star Miner already matches the file.\n",
    });
    writeFileSync(join(at.cwd, "game.yaml"), yaml.replace("[PC, Linux]", "[Mac, PC]").replace("roguelike, ", ""));
    const { stdout, code, stderr } = await fixture.run("games diff -f game.yaml --exit-code", at);
    expect([code, stderr]).toEqual([13, "error: The game differs from game.yaml in 2 fields.\n"]);
    expect(stdout).toBe("devices\tPC, Linux\tMac, PC\ntags\tPixel Art, Roguelike\tPixel Art\n");
    expect((await fixture.run("games apply -f game.yaml", at)).stdout).toBe("Updated devices, tags of Star Miner.\n");
    expect(await fixture.run("games diff -f game.yaml --exit-code", at)).toMatchObject({ code: 0, stdout: "" });
    const { game } = (await fixture.owner.get(`/games/${gameId}`)).body.data;
    expect([game.devices, game.categories.map(({ slug }: { slug: string }) => slug)]).toEqual([["Mac", "PC"], ["pixel-art"]]);
  });

  it("games apply: finds the game by its name in a fresh checkout", async () => {
    const first = await fixture.run("games apply -f game.yaml --json", file(yaml));
    const again = await fixture.run("games apply -f game.yaml --json", file(yaml.replace("a.zip", "b.zip")));
    const { gameId } = JSON.parse(first.stdout).result;
    expect(JSON.parse(again.stdout).result).toEqual({ gameId, created: false, changed: ["buildUrl"] });
    await fixture.owner.post("/games", { name: "Star Miner", buildUrl: "https://example.com/c.zip" });
    expect(await fixture.run("games apply -f game.yaml", file(yaml))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("2 games are named Star Miner."),
    });
  });

  it("games apply: refuses an ambiguous rename, and finds another game by name", async () => {
    const at = file(yaml);
    await fixture.run("games apply -f game.yaml", at);
    const { gameId } = JSON.parse(readFileSync(join(at.cwd, ".playtest.json"), "utf8"));
    writeFileSync(join(at.cwd, "game.yaml"), yaml.replace("Miner", "Digger"));
    expect(await fixture.run("games apply -f game.yaml", at)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("describes Star Digger, but the game of this directory is Star Miner"),
    });
    const { id } = (await fixture.owner.post("/games", { name: "Star Digger", buildUrl: "https://example.com/d.zip" })).body.data
      .game;
    expect(JSON.parse((await fixture.run("games apply -f game.yaml --json", at)).stdout).result.gameId).toBe(id);
    writeFileSync(join(at.cwd, "game.yaml"), yaml.replace("Miner", "Delver"));
    expect((await fixture.run(`games apply ${gameId} -f game.yaml`, at)).stdout).toBe("Updated name of Star Miner.\n");
  });

  it.each([
    "languages: [pt-br, EN, en]",
    "devices: [Linux, PC, Linux]",
    "platforms: [Steam, Steam]",
    "tags: [roguelike, Roguelike]",
    'description: ""',
    "description: null",
    'description: " Two  spaces e\\u0301 "',
    "externalUrl: HTTPS://EXAMPLE.com:443/../é",
  ])("games apply: what it made of %s does not differ from the file", async (line) => {
    const at = file(`name: Star Miner\nbuildUrl: https://example.com/a.zip\n${line}\n`);
    expect(await fixture.run("games apply -f game.yaml", at)).toMatchObject({ code: 0 });
    expect(await fixture.run("games diff -f game.yaml --exit-code", at)).toMatchObject({ code: 0, stdout: "" });
  });

  it("games apply: takes the game from the command line; --dry-run sends nothing", async () => {
    const planned = await fixture.run(`games apply ${fixture.gameId} -f game.yaml --dry-run --json`, file("name: New\n"));
    expect(JSON.parse(planned.stdout).requests).toMatchObject([{ method: "PATCH", body: { name: "New" } }]);
  });

  it.each([
    ["id without a value", `id:\n${yaml}`],
    ["a flow mapping of YAML", "{name: Star Miner, buildUrl: https://example.com/a.zip}"],
    ["JSON", '{"name": "Star Miner", "buildUrl": "https://example.com/a.zip"}'],
  ])("games apply: takes %s", async (_, text) => {
    expect(await fixture.run("games apply -f game.yaml", file(text))).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("Created Star Miner"),
    });
  });

  it.each([
    ['{"name": "x", "name": "y"}', 'the field "name" occurs twice'],
    ['{"name": "x", buildUrl}}', "is not valid JSON or YAML: Expected double-quoted property name in JSON"],
    ["name: 2048\n", 'name in game.yaml must be a text and is a number.\nPut it in quotes: `name: "2048"`.'],
    ["description: true\n", "description in game.yaml must be a text and is a boolean."],
    ["id: 7\nname: x\n", "id in game.yaml must be the id of a game."],
    ["title: x\n", 'has an unknown field "title"'],
    ["name: x\ntags: [Sleeping]\n", 'unknown category "Sleeping"'],
    ["- a\n", "must contain a JSON or YAML object"],
    ["a: [\n", "is not valid JSON or YAML"],
  ])("games apply: refuses the file %j", async (text, message) => {
    const { code, stderr } = await fixture.run("games apply -f game.yaml", file(text));
    expect(stderr).toContain(message);
    expect(code).toBe(2);
  });
});
