import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ensureAdmin } from "../../server/accounts/service.ts";
import { openStore } from "../../server/database/open.ts";
import { playtest } from "../helpers/cli.ts";
import { keyText } from "../helpers/data-dir-fixture.ts";
import { type Person, personWith, registerOwner, registerPlaytester } from "../helpers/factories.ts";
import { setUpFactor } from "../helpers/factors.ts";
import { addPasskey } from "../helpers/passkeys.ts";
import { signedIn } from "../helpers/portal.ts";
import { createTestClock, startTestServer, type TestServer } from "../helpers/server.ts";
import { type DatabaseLocation, drivers, freshFolder } from "../helpers/store.ts";

const password = "correct horse";

describe.each(drivers)("serve reset-factor on $name", ({ name, location: locate }) => {
  let location: DatabaseLocation;
  let dataDir: string;
  let server: TestServer | undefined;
  const clock = createTestClock();

  beforeEach(async () => {
    location = await locate();
    dataDir = location.options.dataDir || freshFolder();
    if (!existsSync(join(dataDir, "instance.key"))) writeFileSync(join(dataDir, "instance.key"), keyText(), { mode: 0o600 });
  });
  afterEach(async () => {
    await server?.close();
    server = undefined;
    await location.remove();
  });

  async function start(): Promise<TestServer> {
    await server?.close();
    server = await startTestServer({ store: await openStore(location.options), dataDir, clock });
    return server;
  }

  const reset = (account: string) => {
    const { databaseUrl } = location.options;
    const where = ["--data", dataDir, ...(databaseUrl === undefined ? [] : ["--database-url", databaseUrl])];
    return playtest(["serve", "reset-factor", account, "--yes", ...where]);
  };

  const adminOf = async (): Promise<Person> => {
    const { data } = (await server!.request("GET", "/auth/me", { key: adminKey })).body;
    return personWith(server!, adminKey, data.id);
  };
  let adminKey: string;

  it("removes the factor, recovery codes and passkeys, ends the sessions, mails the owner and writes an audit entry", async () => {
    await start();
    adminKey = (await ensureAdmin(server!.deps))!;
    const pim = await registerPlaytester(server!);
    const { email } = (await pim.get("/auth/me")).body.data;
    await signedIn(server!, pim);
    await addPasskey(server!, pim);
    const app = await setUpFactor(server!, pim, password);
    const bystander = await registerOwner(server!);
    const kept = await setUpFactor(server!, bystander, password);
    if (name === "sqlite") {
      const running = await reset(email);
      expect([running.code, running.stderr]).toEqual([1, expect.stringContaining("is in use by another playtest server")]);
      await server!.close();
      server = undefined;
    }
    const done = await reset(email.toUpperCase());
    expect([done.code, done.stderr, done.stdout.split("\n").slice(2).join("\n")]).toEqual([
      ...[0, ""],
      `Removed the second factor of ${email}. 1 browser signed out. Set up a new one: \`playtest auth factor enable\`.\n`,
    ]);
    const again = await start();
    const me = personWith(again, pim.key, pim.id);
    expect((await me.get("/auth/factor")).body.data).toMatchObject({ enabled: false, recoveryCodesLeft: 0, passkeys: 0 });
    expect((await me.get("/auth/sessions")).body.data.sessions).toEqual([]);
    const body = { name: "k", email, password };
    expect((await again.request("POST", "/auth/api-keys", { body })).status).toBe(201);
    const other = personWith(again, bystander.key, bystander.id);
    expect((await other.post("/auth/factor/disable", { code: kept.recoveryCodes[0] })).status).toBe(200);
    const { entries } = (await (await adminOf()).get(`/admin/audit?target=${pim.id}&action=user.reset_factor`)).body.data;
    expect(entries).toEqual([
      expect.objectContaining({
        ...{ actorId: null, keyId: null, address: null, details: { by: "operator on the server's machine" } },
        before: expect.objectContaining({ recoveryCodes: 10, passkeys: 1, sessions: 1 }),
        after: expect.objectContaining({ recoveryCodes: 0, passkeys: 0, sessions: 0 }),
      }),
    ]);
    await again.advance(0);
    const mail = again.mails.find(({ text }) => text.includes("on the server itself"))!;
    expect([mail.to, mail.subject]).toEqual([email, "The second factor of your account was removed"]);
    expect(mail.text).not.toContain(app.secret);
  });

  it("brings the last administrator back, who then sets up a new factor", async () => {
    await start();
    adminKey = (await ensureAdmin(server!.deps))!;
    await setUpFactor(server!, await adminOf());
    await server!.close();
    server = undefined;
    expect((await reset("admin@playtest.invalid")).code).toBe(0);
    await start();
    await setUpFactor(server!, await adminOf());
  });

  it("changes nothing for an unknown account, one without a factor, and in a folder without a database", async () => {
    await start();
    adminKey = (await ensureAdmin(server!.deps))!;
    await server!.close();
    server = undefined;
    const unknown = await reset("nobody@example.com");
    expect([unknown.code, unknown.stderr]).toEqual([
      2,
      "error: No account has the email address or id nobody@example.com. Nothing was changed.\n",
    ]);
    const none = await reset("admin@playtest.invalid");
    expect(none.stderr).toBe(
      "error: The account admin@playtest.invalid has no second factor and no passkey. Nothing was changed.\n",
    );
    if (name === "sqlite") {
      const empty = await playtest(["serve", "reset-factor", "a@example.com", "--yes", "--data", freshFolder()]);
      expect(empty.stderr).toContain("No playtest database found");
    }
  });
});
