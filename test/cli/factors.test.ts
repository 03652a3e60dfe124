import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { playtest, type RunOptions, testFolder } from "../helpers/cli.ts";
import { firstAdmin, type Person, registerOwner } from "../helpers/factories.ts";
import { type AuthenticatorApp, codeAt, setUpFactor } from "../helpers/factors.ts";
import { ownServer } from "../helpers/own-server.ts";
import type { TestServer } from "../helpers/server.ts";

let server: TestServer;
let admin: Person;
let app: AuthenticatorApp;

beforeAll(async () => {
  server = await ownServer();
  admin = await firstAdmin(server);
  app = await setUpFactor(server, admin);
  return server.close;
});

const run = (line: string, options: RunOptions = {}) =>
  playtest(line.split(" "), { baseUrl: server.baseUrl, key: admin.key, ...options });

it("a script that moves money: says which command confirms, and goes on after it", async () => {
  const owner = await registerOwner(server);
  const grant = `admin grant ${owner.id} --credit 20 --note sorry`;
  const refused = await run(`${grant} --idempotency-key grant-1`);
  expect([refused.code, refused.stderr.replace(/Request ID.*/, "")]).toMatchInlineSnapshot(`
    [
      4,
      "error: Confirm with your second factor first: this needs a code that is at most 15 minutes old. Nothing was changed.
    Run \`playtest auth confirm --code CODE\`, then run this command again.

    ",
    ]
  `);
  const wrong = await run("auth confirm --code 000000");
  expect([wrong.code, wrong.stderr]).toEqual([
    2,
    expect.stringContaining("error: The code is not correct. Nothing was changed.\n  --code: is not correct"),
  ]);
  const confirmed = await run(`auth confirm --code ${await app.nextCode()}`);
  expect(confirmed).toMatchObject({
    code: 0,
    stdout: "Confirmed. Commands that move money need no code for 15 minutes.\n",
  });
  expect((await run(`${grant} --idempotency-key grant-1`)).stdout).toContain("now has $20.00 credit");
  await server.advance(15 * 60_000);
  // With the code in the environment, the command confirms by itself and repeats the request.
  const once = await run(`${grant} --idempotency-key grant-2`, { env: { PLAYTEST_CODE: await app.nextCode() } });
  expect(once.stdout).toContain("now has $40.00 credit");
  const again = await run(`${grant} --idempotency-key grant-2`);
  expect(again.stdout).toContain("now has $40.00 credit");
});

it("auth factor: enable without a terminal in two steps, status, recovery, disable", async () => {
  const owner = await registerOwner(server);
  const as = { key: owner.key };
  const started = await run("auth factor enable --password-file - --json", { ...as, stdin: "correct horse" });
  const { secret, uri } = JSON.parse(started.stdout);
  expect([uri.includes(secret), started.stderr]).toEqual([true, expect.stringContaining("Not enabled yet.")]);
  const file = join(testFolder(), "codes.txt");
  const code = codeAt(secret, server.clock.real());
  const enabled = await run(`auth factor enable --code ${code} --secret-file ${file}`, as);
  expect(enabled).toMatchObject({ code: 0, stdout: `Wrote the secret to ${file}.\n` });
  const codes = readFileSync(file, "utf8").trim().split("\n");
  expect([codes.length, enabled.stderr]).toEqual([10, expect.not.stringContaining(codes[0]!)]);
  const status = JSON.parse((await run("auth factor status --json", as)).stdout);
  expect(status).toMatchObject({ enabled: true, recoveryCodesLeft: 10 });
  const renewed = await run(`auth factor recovery --yes --code ${codes[0]}`, as);
  expect(renewed.stdout.trim().split("\n")).toHaveLength(10);
  expect((await run(`auth factor disable --yes --code ${codes[1]}`, as)).code).toBe(2);
  expect((await run(`auth factor disable --yes --code ${renewed.stdout.split("\n")[0]}`, as)).code).toBe(0);
});

it("login without a terminal: the missing code is named, and taken from the flag or the environment", async () => {
  const owner = await registerOwner(server);
  const { email } = (await owner.get("/auth/me")).body.data;
  const theirs = await setUpFactor(server, owner, "correct horse");
  const login = (more: string, env: Record<string, string> = {}) =>
    run(`login --email ${email} --password-file -${more}`, { key: undefined, stdin: "correct horse", env });
  const refused = await login("");
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("Pass --code CODE, or set PLAYTEST_CODE.")]);
  expect((await login(` --code ${theirs.recoveryCodes[0]}`)).code).toBe(0);
  expect((await login("", { PLAYTEST_CODE: theirs.recoveryCodes[1]! })).code).toBe(0);
});

it("--debug shows no code, secret or recovery code", async () => {
  const owner = await registerOwner(server);
  const as = { key: owner.key };
  const started = await run("auth factor enable --password-file - --debug --json", { ...as, stdin: "correct horse" });
  const { secret } = JSON.parse(started.stdout);
  const code = codeAt(secret, server.clock.real());
  const enabled = await run(`auth factor enable --code ${code} --debug`, as);
  const codes = enabled.stdout.trim().split("\n");
  expect(codes).toHaveLength(10);
  const used = await run(`auth factor recovery --yes --debug --code ${codes[0]}`, as);
  for (const word of [secret, code, ...codes]) expect(started.stderr + enabled.stderr + used.stderr).not.toContain(word);
});
