import { beforeAll, expect, it } from "vitest";
import { playtest, type Ran, testFolder } from "../helpers/cli.ts";
import { createGame, type Person, play, registerOwner, registerPlaytester } from "../helpers/factories.ts";
import { ownServer } from "../helpers/own-server.ts";
import type { TestServer } from "../helpers/server.ts";
import { newId } from "../helpers/walk.ts";

let server: TestServer;
let owner: Person;
let tester: Person;
beforeAll(async () => {
  server = await ownServer({ config: (config) => void Object.assign(config.payments, { enabled: false }) });
  [owner, tester] = [await registerOwner(server), await registerPlaytester(server, "Ann")];
  await createGame(owner, { name: "Lantern Deep", buildUrl: `${server.baseUrl}/build.zip` });
  return server.close;
});

const money = /\$|price|payout|credit|balance|paid|minutes needed/i;
const folder = testFolder();
const on = (line: string, who: Person): Promise<Ran> =>
  playtest(line.split(" "), { baseUrl: server.baseUrl, key: who.key, tty: true, cwd: folder, columns: 80, outside: { newId } });

it("a terminal shows no prices, balances or earnings where there are no payments", async () => {
  const ordered = await on("playtests order --quantity 2 --yes", owner);
  expect(ordered.code).toBe(0);
  const { playtests } = JSON.parse(
    (await playtest(["playtests", "list", "--json"], { baseUrl: server.baseUrl, key: owner.key })).stdout,
  );
  const slotId = await play(server, tester, playtests[0].id);
  const lines: [string, Person][] = [
    ["playtests quote --quantity 2", owner],
    ["playtests list", owner],
    [`playtests show ${playtests[0].id}`, owner],
    [`review accept ${slotId}`, owner],
    [`playtests cancel ${playtests[0].id} --yes`, owner],
    ["status", owner],
    ["tester browse", tester],
    ["tester slots", tester],
  ];
  const said = [["order", ordered] as const];
  for (const [line, who] of lines) said.push([line, await on(line, who)] as never);
  expect(said.filter(([, { code }]) => code !== 0).map(([line, { stderr }]) => [line, stderr])).toEqual([]);
  expect(
    said.filter(([, { stdout, stderr }]) => money.test(stdout + stderr)).map(([line, { stdout }]) => [line, stdout]),
  ).toEqual([]);
});

it("lines for programs keep their fields, and show no price either", async () => {
  const at = { baseUrl: server.baseUrl, key: owner.key, outside: { newId } };
  const ordered = await playtest("playtests order --quantity 2 --yes".split(" "), at);
  const fields = new Map(ordered.stdout.split("\n").map((line) => line.split("\t") as [string, string]));
  expect([fields.get("price per slot"), fields.get("payout per slot"), fields.get("paid with")]).toEqual(["", "", ""]);
  for (const line of ["playtests list", "playtests list --csv", "playtests quote --quantity 2"])
    expect([line, (await playtest(line.split(" "), at)).stdout]).toEqual([line, expect.not.stringMatching(/\$|free/)]);
  const { playtests } = JSON.parse((await playtest(["playtests", "list", "--json"], at)).stdout);
  expect(playtests[0]).toMatchObject({ costPerSlotCents: 0 });
});

it("commands about money say that the server runs without payments", async () => {
  for (const [line, who] of [
    ["billing balance", owner],
    ["billing payments list", owner],
    ["playtests quote --quantity 2", owner],
    ["tester earnings", tester],
    ["tester payout-details", tester],
    ["tester statement --year 2026", tester],
  ] as const)
    expect([line, (await on(line, who)).stderr]).toEqual([line, expect.stringContaining("This server runs without payments.")]);
  const refused = await on("billing credit add --amount 20", owner);
  expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining("This server runs without payments.")]);
});
