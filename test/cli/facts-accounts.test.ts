import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { expect } from "vitest";
import { commandFacts, type Fact, type Scene } from "../helpers/command-facts.ts";
import { dataDirFixture } from "../helpers/data-dir-fixture.ts";
import { claim, type Person, personWith, play, registerPlaytester } from "../helpers/factories.ts";
import { setUpFactor } from "../helpers/factors.ts";
import { addPasskey } from "../helpers/passkeys.ts";
import { type Receiver, startReceiver, status } from "../helpers/receiver.ts";
import { startProxyWithoutStream } from "../helpers/tcp-proxy.ts";

const [minute, hour] = [60_000, 3_600_000];
const password = "correct horse";

const works = async ({ server }: Scene, key: string) => (await server.request("GET", "/auth/me", { key })).status === 200;
const emailOf = async (person: Person) => (await person.get("/auth/me")).body.data.email;
/** Signs in with the password alone, or with a code too. */
const signIn = async ({ server }: Scene, person: Person, code?: string) => {
  const body = { name: "sign-in", email: await emailOf(person), password, ...(code !== undefined && { code }) };
  return (await server.request("POST", "/auth/api-keys", { body })).status;
};
const newKey = async ({ owner, server }: Scene, body: object): Promise<{ id: string; secret: Person }> => {
  const { key, apiKey } = (await owner.post("/auth/api-keys", { name: "ci", ...body })).body.data;
  return { id: key.id, secret: personWith(server, apiKey, owner.id) };
};
const linesOf = (text: string) => text.trim().split("\n");

let spare: Person;
/** The server with one row per page: what is read whole is read over several pages. */
let onePerPage: Awaited<ReturnType<typeof startProxyWithoutStream>>;
let [dataDir, instanceKey] = ["", ""];
let receiver: Receiver;
let hook: { id: string; secret: string };

/** A webhook whose receiver gives this status. */
async function newWebhook({ owner }: Scene, code: number): Promise<void> {
  receiver = await startReceiver(status(code));
  const { webhook, secret } = (await owner.post("/webhooks", { url: receiver.url, events: ["*"] })).body.data;
  hook = { id: webhook.id, secret };
}

const signedWith = (secret: string): boolean => {
  const { body, headers } = receiver.received.at(-1)!;
  const at = new Date(Number(headers["webhook-timestamp"]) * 1000);
  return headers["webhook-signature"] === new Webhook(secret).sign(String(headers["webhook-id"]), at, body);
};

const keys: Fact[] = [
  {
    says: "Created the API key ci. It will not be shown again.",
    line: () => "auth keys create --name ci",
    async holds(scene, { stdout }) {
      expect(await works(scene, stdout.trim())).toBe(true);
      expect((await scene.owner.get("/auth/api-keys")).text).not.toContain(stdout.trim());
    },
  },
  {
    says: "Everything that uses it stops working immediately. So does this key, created with it: child (",
    asks: true,
    async line(scene) {
      const parent = await newKey(scene, { name: "parent" });
      const { apiKey } = (await parent.secret.post("/auth/api-keys", { name: "child" })).body.data;
      spare = personWith(scene.server, apiKey, scene.owner.id);
      return `auth keys revoke ${parent.id}`;
    },
    holds: async (scene) => expect(await works(scene, spare.key)).toBe(false),
  },
  ...(["revoke", "rotate"] as const).map(
    (how): Fact => ({
      says: "So does this key, created with it: first (",
      asks: true,
      async line(scene) {
        const parent = await newKey(scene, { name: "parent" });
        const { apiKey } = (await parent.secret.post("/auth/api-keys", { name: "first" })).body.data;
        spare = personWith(scene.server, apiKey, scene.owner.id);
        // The newest key is on the first page, and the others on later ones.
        await newKey(scene, { name: "newest" });
        onePerPage = await startProxyWithoutStream(scene.server.baseUrl, 1);
        const keyFile = join(scene.cwd, "owner.key");
        writeFileSync(keyFile, scene.owner.key, { mode: 0o600 });
        return `auth keys ${how} ${parent.id} --base-url ${onePerPage.url} --api-key-file ${keyFile}`;
      },
      async holds(scene) {
        await onePerPage.close();
        await scene.server.advance(24 * hour);
        expect(await works(scene, spare.key)).toBe(false);
      },
    }),
  ),
  {
    says: "It stops working in 1h.",
    asks: true,
    async line(scene) {
      const expiresAt = new Date(scene.server.clock.now() + hour).toISOString();
      const { id, secret } = await newKey(scene, { expiresAt });
      spare = secret;
      return `auth keys rotate ${id}`;
    },
    async holds(scene, { stderr }) {
      expect(stderr).toContain("The old key stops working in 1h.");
      await scene.server.advance(hour - minute);
      expect(await works(scene, spare.key)).toBe(true);
      await scene.server.advance(minute);
      expect(await works(scene, spare.key)).toBe(false);
    },
  },
  {
    says: "The new one will not be shown again. The old key stops working in 2h.",
    async line(scene) {
      const { id, secret } = await newKey(scene, {});
      spare = secret;
      return `auth keys rotate ${id} --grace 2h --yes`;
    },
    async holds(scene, { stdout }) {
      await scene.server.advance(2 * hour - minute);
      expect(await works(scene, spare.key)).toBe(true);
      await scene.server.advance(minute);
      expect([await works(scene, spare.key), await works(scene, linesOf(stdout)[0]!)]).toEqual([false, true]);
      expect((await scene.owner.get("/auth/api-keys")).text).not.toContain(linesOf(stdout)[0]);
    },
  },
];

const secrets: Fact[] = [
  {
    says: "Backups made before still need the old one, which they contain.",
    asks: true,
    async line({ cwd, run }) {
      dataDir = dataDirFixture();
      instanceKey = readFileSync(join(dataDir, "instance.key"), "utf8");
      await run(`serve backup ${join(cwd, "before.tar")} --data ${dataDir}`);
      return `serve rotate-key --data ${dataDir}`;
    },
    async holds({ cwd }) {
      const kept = execFileSync("tar", ["-xOf", join(cwd, "before.tar"), "instance.key"], { encoding: "utf8" });
      expect([kept, readFileSync(join(dataDir, "instance.key"), "utf8") === kept]).toEqual([instanceKey, false]);
    },
  },
  {
    says: "Nobody can sign in with it after that.",
    asks: true,
    by: "ann",
    stdin: `${password}\n`,
    line: async ({ server, ann }) => `auth passkeys remove ${(await addPasskey(server, ann)).id} --password-file -`,
    holds: async ({ ann }) => expect((await ann.get("/auth/passkeys")).body.data.passkeys).toEqual([]),
  },
];

const administrators: Fact[] = [
  {
    says: "Added the administrator Ada. The API key will not be shown again. Emails go to ada@example.com once the link that is sent there was opened.",
    by: "admin",
    line: () => "admin admins create --name Ada --scopes approve --email ada@example.com",
    async holds(scene, { stdout }) {
      expect(await works(scene, stdout.trim())).toBe(true);
      expect((await scene.admin.get("/admin/admins")).text).not.toContain(stdout.trim());
      const mailsTo = () => scene.server.mails.filter(({ to }) => to === "ada@example.com");
      await scene.server.advance(0);
      expect(mailsTo()).toHaveLength(1);
      await scene.order({ isFreePublicTrial: true });
      await scene.server.advance(0);
      expect(mailsTo()).toHaveLength(1);
    },
  },
  {
    says: "All API keys of that account stop working immediately.",
    asks: true,
    by: "admin",
    async line({ admin, server }) {
      const made = (await admin.post("/admin/admins", { name: "Bea", scopes: ["approve"] })).body.data;
      spare = personWith(server, made.apiKey, made.admin.id);
      return `admin admins revoke ${made.admin.id}`;
    },
    holds: async (scene) => expect(await works(scene, spare.key)).toBe(false),
  },
  {
    says: "This cannot be undone.",
    asks: true,
    by: "admin",
    line: ({ ann }) => `admin users delete ${ann.id}`,
    async holds(scene) {
      expect(await works(scene, scene.ann.key)).toBe(false);
      expect((await scene.admin.post(`/admin/users/${scene.ann.id}/unsuspend`)).status).toBeGreaterThanOrEqual(400);
    },
  },
];

const factors: Fact[] = [
  {
    says: "Not enabled yet.",
    stdin: `${password}\n`,
    line: () => "auth factor enable --password-file -",
    async holds(scene) {
      expect((await scene.owner.get("/auth/factor")).body.data.enabled).toBe(false);
      expect(await signIn(scene, scene.owner)).toBe(201);
    },
  },
  {
    says: "Keep these 10 recovery codes where you find them without your phone. Each replaces a code of the app once. They will not be shown again.",
    async line({ server, owner }) {
      const app = await setUpFactor(server, owner, password);
      return `auth factor recovery --yes --code ${await app.nextCode()}`;
    },
    async holds(scene, { stdout }) {
      const [code] = linesOf(stdout);
      expect([await signIn(scene, scene.owner, code), await signIn(scene, scene.owner, code)]).toEqual([201, 422]);
      expect((await scene.owner.get("/auth/factor")).text).not.toContain(linesOf(stdout)[1]);
    },
  },
  {
    says: "Replace all recovery codes? The present ones stop working.",
    asks: true,
    async line(scene) {
      const app = await setUpFactor(scene.server, scene.owner, password);
      present = app.recoveryCodes[0]!;
      return `auth factor recovery --code ${await app.nextCode()}`;
    },
    holds: async (scene) => expect(await signIn(scene, scene.owner, present)).toBe(422),
  },
  {
    says: "Signing in then takes no code any more.",
    asks: true,
    async line({ server, owner }) {
      const app = await setUpFactor(server, owner, password);
      return `auth factor disable --code ${await app.nextCode()}`;
    },
    holds: async (scene) => expect(await signIn(scene, scene.owner)).toBe(201),
  },
  {
    says: "The password alone then suffices to sign in.",
    asks: true,
    by: "admin",
    async line(scene) {
      await setUpFactor(scene.server, scene.owner, password);
      expect(await signIn(scene, scene.owner)).not.toBe(201);
      return `admin users reset-factor ${scene.owner.id}`;
    },
    holds: async (scene) => expect(await signIn(scene, scene.owner)).toBe(201),
  },
];
let present: string;

const webhooks: Fact[] = [
  {
    says: /^whsec_\S+ Created webhook \S+\. Its secret is shown only once\. $/,
    line: () => "webhooks create https://example.com/hook",
    async holds({ owner }, { stdout }) {
      const { text, body } = await owner.get("/webhooks");
      expect([body.data.webhooks.length, text.includes(stdout.trim())]).toEqual([1, false]);
    },
  },
  {
    says: "Pending deliveries are discarded.",
    asks: true,
    async line(scene) {
      await newWebhook(scene, 500);
      await scene.owner.post("/sandbox/events", { event: "slot.submitted" });
      await scene.server.advance(0);
      await expect.poll(() => receiver.received.length).toBe(1);
      return `webhooks delete ${hook.id}`;
    },
    async holds({ server }) {
      await server.advance(hour);
      expect(receiver.received).toHaveLength(1);
      await receiver.close();
    },
  },
  {
    says: "Receivers that use the old secret will reject new events.",
    asks: true,
    async line(scene) {
      await newWebhook(scene, 200);
      return `webhooks rotate-secret ${hook.id}`;
    },
    async holds({ owner }, { stdout }) {
      await owner.post(`/webhooks/${hook.id}/test`);
      expect([signedWith(hook.secret), signedWith(stdout.trim())]).toEqual([false, true]);
      await receiver.close();
    },
  },
];

/** Days that the clock of a sandbox was moved before: an age counts from its time. */
const moved = 100 * 24 * hour;

const ages: Fact[] = [
  {
    says: "Queued 1 delivery.",
    async line(scene) {
      await newWebhook(scene, 200);
      const emit = () => scene.owner.post("/sandbox/events", { event: "slot.submitted" });
      await emit();
      await scene.server.advance(moved);
      await emit();
      await scene.server.advance(hour);
      await expect.poll(() => receiver.received.length).toBe(2);
      return `webhooks redeliver ${hook.id} --since 2h`;
    },
    async holds({ server }) {
      await server.advance(0);
      await expect.poll(() => receiver.received.length).toBe(3);
      const [, second, again] = receiver.received.map(({ headers }) => headers["webhook-id"]);
      expect(again).toBe(second);
      await receiver.close();
    },
  },
  {
    says: "1 slot ordered since",
    async line({ order, server }) {
      await order();
      await server.advance(moved);
      await order();
      return "stats --since 2h";
    },
    holds: async ({ owner, gameId }) =>
      expect((await owner.get(`/games/${gameId}/playtests`)).body.data.playtests).toHaveLength(2),
  },
];

const groups: Fact[] = [
  {
    says: "warning: No playtester has the email address nobody@example.com. They were skipped.",
    by: "admin",
    async line({ admin, ann, owner }) {
      await admin.post("/admin/groups", { name: `group-${owner.id}` });
      return `admin groups add group-${owner.id} ${await emailOf(ann)} nobody@example.com`;
    },
    async holds({ admin, owner }, { stdout }) {
      expect(stdout).toBe(`Added 1 playtester. The group group-${owner.id} has 1 member.\n`);
      const { groups } = (await admin.get("/admin/groups?limit=100")).body.data;
      expect(groups).toContainEqual(expect.objectContaining({ name: `group-${owner.id}`, members: 1 }));
    },
  },
  {
    says: "Its members stay playtesters.",
    asks: true,
    by: "admin",
    async line({ admin, ann, owner }) {
      const { group } = (await admin.post("/admin/groups", { name: `group-${owner.id}` })).body.data;
      await admin.post(`/admin/groups/${group.id}/members`, { emails: [await emailOf(ann)] });
      return `admin groups delete ${group.id}`;
    },
    holds: async (scene) => void (await claim(scene.ann, await scene.order())),
  },
];

const versionIn = (text: string) => /ersion (\S+?)[. ]/.exec(text)![1]!;

/** Publishes a text, lets Ann accept it, and publishes another. Returns a playtest of the game. */
async function twoVersions({ server, ann, order }: Scene, path: string, key: string): Promise<string> {
  const publish = async (text: string) => (await server.request("PUT", path, { key, body: { text } })).body.data.agreement;
  const playtest = await order();
  const { version } = await publish("Tell nobody.");
  expect((await ann.post(`/playtester/playtests/${playtest}/agreement`, { version })).status).toBe(200);
  await publish("Tell nobody at all.");
  return playtest;
}

const agreements: Fact[] = [
  {
    says: /^Version \S+ is in force\. $/,
    by: "admin",
    line({ cwd }) {
      writeFileSync(join(cwd, "nda.md"), "Tell nobody.");
      return `admin agreement set --file ${join(cwd, "nda.md")}`;
    },
    async holds(scene, { stdout }) {
      const id = await scene.order();
      const claims = async (body = {}) => (await scene.ann.post(`/playtester/playtests/${id}/claim`, body)).status;
      expect([await claims(), await claims({ acceptConsent: versionIn(stdout) })]).toEqual([409, 201]);
      await scene.admin.delete("/admin/agreement");
    },
  },
  {
    says: "This server has no agreement now.",
    by: "admin",
    async line({ server, admin }) {
      await server.request("PUT", "/admin/agreement", { key: admin.key, body: { text: "Tell nobody." } });
      return "admin agreement end";
    },
    holds: async (scene) => void (await claim(scene.ann, await scene.order())),
  },
  {
    says: "This server has no agreement.",
    by: "admin",
    line: () => "admin agreement show",
    holds: async (scene) => void (await claim(scene.ann, await scene.order())),
  },
  {
    says: "Playtesters of this game need not accept anything.",
    line: ({ gameId }) => `games agreement ${gameId}`,
    holds: async (scene) => void (await claim(scene.ann, await scene.order())),
  },
  {
    says: /Version \S+ of the agreement is in force\./,
    line({ cwd, gameId }) {
      writeFileSync(join(cwd, "nda.md"), "Tell nobody.");
      return `games update ${gameId} --consent-file ${join(cwd, "nda.md")}`;
    },
    async holds(scene, { stderr }) {
      const id = await scene.order();
      const claims = async (body = {}) => (await scene.ann.post(`/playtester/playtests/${id}/claim`, body)).status;
      expect([await claims(), await claims({ acceptConsent: versionIn(stderr) })]).toEqual([409, 201]);
    },
  },
  {
    says: /^You accepted version \S+\. $/,
    by: "ann",
    async line(scene) {
      const body = { text: "Tell nobody." };
      const reply = await scene.server.request("PUT", `/games/${scene.gameId}/agreement`, { key: scene.owner.key, body });
      return `tester agreement ${await scene.order()} --accept ${reply.body.data.agreement.version}`;
    },
    async holds({ owner, gameId }, { stdout }) {
      const { consents } = (await owner.get(`/games/${gameId}/consents`)).body.data;
      expect(consents).toMatchObject([{ version: versionIn(stdout), playtester: { displayName: "Ann" } }]);
    },
  },
  {
    says: /Version \S+, of the game\./,
    async line({ server, owner, gameId }) {
      await server.request("PUT", `/games/${gameId}/agreement`, { key: owner.key, body: { text: "Tell nobody." } });
      return `games agreement ${gameId}`;
    },
    async holds({ owner, ann }, { stderr }) {
      const other = (await owner.post("/games", { name: "Other", buildUrl: "https://example.com/x.zip" })).body.data.game;
      const orderOf = async (id: string) => (await owner.post(`/games/${id}/playtests`, {})).body.data.playtest.id;
      expect((await ann.post(`/playtester/playtests/${await orderOf(other.id)}/claim`)).status).toBe(201);
      expect((await owner.get(`/games/${other.id}/agreement`)).body.data.agreement).toBe(null);
      expect(versionIn(stderr)).not.toBe("");
    },
  },
  {
    says: /Version \S+, of the server\./,
    async line({ server, admin, gameId }) {
      await server.request("PUT", "/admin/agreement", { key: admin.key, body: { text: "Tell nobody." } });
      return `games agreement ${gameId}`;
    },
    async holds(scene) {
      await scene.admin.delete("/admin/agreement");
      await claim(scene.ann, await scene.order());
    },
  },
  {
    says: /Version \S+, not accepted yet\./,
    by: "ann",
    async line({ server, owner, gameId, order }) {
      await server.request("PUT", `/games/${gameId}/agreement`, { key: owner.key, body: { text: "Tell nobody." } });
      return `tester agreement ${await order()}`;
    },
    holds: async ({ owner, gameId }) => expect((await owner.get(`/games/${gameId}/consents`)).body.data.consents).toEqual([]),
  },
  {
    says: /Other versions that you accepted: 1-\w+\./,
    by: "ann",
    async line(scene) {
      const order = await twoVersions(scene, `/games/${scene.gameId}/agreement`, scene.owner.key);
      return `tester agreement ${order}`;
    },
    async holds({ run, ann, owner, gameId }, { stderr, stdout }) {
      expect(stdout).toBe("Tell nobody at all.\n");
      const [playtest] = (await owner.get(`/games/${gameId}/playtests`)).body.data.playtests;
      const earlier = /accepted: (\S+)\./.exec(stderr)![1];
      const shown = await run(`tester agreement ${playtest.id} --version ${earlier}`, ann);
      expect([shown.code, shown.stdout]).toEqual([0, "Tell nobody.\n"]);
    },
  },
  {
    says: /The agreement has no version 7\. Versions: 2-\w+, 1-\w+\. $/,
    code: 3,
    async line(scene) {
      await twoVersions(scene, `/games/${scene.gameId}/agreement`, scene.owner.key);
      return `games agreement ${scene.gameId} --version 7`;
    },
    async holds({ run, owner, gameId }) {
      const shown = await run(`games agreement ${gameId} --version 1`, owner);
      expect([shown.stdout, shown.stderr]).toEqual(["Tell nobody.\n", expect.stringMatching(/Version 1-.*Other versions: 2-/s)]);
    },
  },
  {
    says: /This server has no agreement\. Earlier versions: \d+-\w+, \d+-\w+[,.]/,
    by: "admin",
    async line(scene) {
      await twoVersions(scene, "/admin/agreement", scene.admin.key);
      await scene.admin.delete("/admin/agreement");
      return "admin agreement show";
    },
    async holds({ run, admin }, { stderr }) {
      const [newest] = /\d+-\w+/.exec(stderr)!;
      expect((await run(`admin agreement show --version ${newest}`, admin)).stdout).toBe("Tell nobody at all.\n");
    },
  },
  {
    says: "This playtest has no agreement.",
    by: "ann",
    line: async ({ order }) => `tester agreement ${await order()}`,
    holds: async (scene) => void (await claim(scene.ann, await scene.order())),
  },
];

const rest: Fact[] = [
  {
    says: /then pass --accept-consent \S+\./,
    by: "ann",
    code: 2,
    async line({ server, owner, gameId, order }) {
      await server.request("PUT", `/games/${gameId}/agreement`, { key: owner.key, body: { text: "Tell nobody." } });
      return `tester claim ${await order()}`;
    },
    async holds({ ann, owner, gameId }, { stderr }) {
      expect((await ann.get("/playtester/slots")).body.data.slots).toEqual([]);
      const [playtest] = (await owner.get(`/games/${gameId}/playtests`)).body.data.playtests;
      const acceptConsent = /--accept-consent\s+(\S+)\./.exec(stderr)![1];
      expect((await ann.post(`/playtester/playtests/${playtest.id}/claim`, { acceptConsent })).status).toBe(201);
    },
  },
  {
    says: "Showing 1 result. Use --all or --limit N to list more.",
    async line({ server, ann, order }) {
      for (const tester of [ann, await registerPlaytester(server, "Bo")]) await play(server, tester, await order());
      await server.advance(0);
      return "review search fun --limit 1";
    },
    holds: async ({ owner }) => expect((await owner.get("/search?q=fun")).body.data.results).toHaveLength(2),
  },
  {
    says: /Created Moss\. Order playtests with `playtest order \S+`\./,
    line: () => "games create --name Moss --build-url https://example.com/moss.zip",
    async holds({ run }, { stderr }) {
      expect((await run(`${/`playtest (.+)`/.exec(stderr)![1]} --yes`)).code).toBe(0);
    },
  },
  {
    says: /^Created Moss \(\S+\)\. It is the default game in \S+\.playtest\.json\. $/,
    line({ cwd }) {
      writeFileSync(join(cwd, "game.yaml"), "name: Moss\nbuildUrl: https://example.com/moss.zip\n");
      return "games apply --from-file game.yaml";
    },
    async holds({ run, cwd, owner }) {
      const { gameId } = JSON.parse(readFileSync(join(cwd, ".playtest.json"), "utf8"));
      expect((await owner.get(`/games/${gameId}`)).body.data.game.name).toBe("Moss");
      expect(JSON.parse((await run("games show --json")).stdout).game.id).toBe(gameId);
    },
  },
  {
    says: "All notifications were marked as read.",
    async line(scene) {
      await play(scene.server, scene.ann, await scene.order());
      return "notifications read-all";
    },
    holds: async ({ owner }) => expect((await owner.get("/notifications")).body.data.unreadCount).toBe(0),
  },
  {
    says: "No email reaches this account: it has no confirmed address.",
    by: "admin",
    line({ server }) {
      // In a sandbox, what such an account would get is read in the sandbox.
      server.deps.config.sandbox = false;
      return "notifications settings";
    },
    async holds(scene) {
      const to = await emailOf(scene.admin);
      await scene.order({ isFreePublicTrial: true });
      await scene.server.advance(0);
      expect(scene.server.mails.filter((mail) => mail.to === to)).toEqual([]);
      scene.server.deps.config.sandbox = true;
    },
  },
];

commandFacts([...keys, ...secrets, ...administrators, ...factors, ...webhooks, ...ages, ...groups, ...agreements, ...rest]);
