import { expect } from "vitest";
import { startRetention } from "../../server/operations/retention.ts";
import { openWallet } from "../helpers/crypto.ts";
import { onBothDatabases } from "../helpers/each.ts";
import * as factories from "../helpers/factories.ts";
import { type AuthenticatorApp, setUpFactor } from "../helpers/factors.ts";
import { type Authenticator, addPasskey, nameServer, signInWithPasskey } from "../helpers/passkeys.ts";
import { signedIn, type Visitor, visitor } from "../helpers/portal.ts";
import { type Receiver, startReceiver, status } from "../helpers/receiver.ts";
import type { TestServer } from "../helpers/server.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const password = "correct horse";

/** The time in the words of an email, in milliseconds. */
const timeIn = (text: string, before: string) =>
  Date.parse(`${new RegExp(`${before} \\w{3} (\\d{4}-\\d\\d-\\d\\d) (\\d\\d:\\d\\d), UTC`).exec(text)!.slice(1).join("T")}Z`);

interface MailScene {
  server: TestServer;
  owner: factories.Person;
  tess: factories.Person;
  admin: factories.Person;
  gameId: string;
  /** Of the last playtest. */
  slots(): Promise<{ id: string; status: string }[]>;
  balance(): Promise<number>;
  earned(): Promise<number>;
  /** What happened, for what holds. */
  app?: AuthenticatorApp;
  key?: Authenticator;
  browser?: Visitor;
  hook?: { receiver: Receiver; path: string };
}

/** A sentence of an email, how it comes to be sent, and that it is so. */
interface MailFact {
  says: string | RegExp;
  happen(scene: MailScene): Promise<unknown>;
  holds(scene: MailScene, text: string): Promise<unknown>;
}

const emailOf = async (person: factories.Person): Promise<string> => (await person.getMe()).email;
/** The path of the first link of an email. */
const linkIn = (text: string) => {
  const { pathname, search } = new URL(/https?:\/\/\S+/.exec(text)![0]);
  return pathname + search;
};
const tokenIn = (text: string) => /token=([\w-]+)/.exec(text)![1]!;
const opens = async ({ server }: MailScene, path: string) => (await visitor(server).get(path)).status;
/** Signs in on the command line. */
const signIn = async ({ server }: MailScene, person: factories.Person, given: { password?: string; code?: string } = {}) => {
  const body = { name: "new", email: await emailOf(person), password, ...given };
  return (await server.request("POST", "/auth/api-keys", { body })).status;
};
const isSignedIn = async (browser: Visitor) => (await browser.get("/play/account")).status === 200;
const claims = async (person: factories.Person, playtestId: string) =>
  (await person.post(`/playtester/playtests/${playtestId}/claim`)).status;
const offers = async (person: factories.Person): Promise<string[]> =>
  (await person.listOffers()).playtests.map(({ id }: { id: string }) => id);
const claimed = async ({ owner, tess, gameId }: MailScene) => factories.claim(tess, await factories.order(owner, gameId));
const played = async ({ server, owner, tess, gameId }: MailScene) =>
  factories.play(server, tess, await factories.order(owner, gameId));
const report = (person: factories.Person, slotId: string) =>
  person.post(`/playtester/slots/${slotId}/report`, { reasonCode: "crash" });
const orderTrial = async ({ owner, gameId, admin }: MailScene, decision?: "approve" | "reject") => {
  const id = await factories.order(owner, gameId, { isFreePublicTrial: true });
  if (decision) await admin.post(`/admin/playtests/${id}/${decision}`, {});
  return id;
};
const ofTheTrial = async (scene: MailScene) => factories.play(scene.server, scene.tess, await orderTrial(scene, "approve"));

const details = { method: "paypal", email: "pay@example.com", password };
const askForReset = async ({ server, tess }: MailScene) =>
  server.request("POST", "/auth/password-reset", { body: { email: await emailOf(tess) } });
const registerIda = ({ server }: MailScene) => {
  Object.assign(server.deps.config, { autoVerify: false, sandbox: false });
  const body = { email: "ida@example.com", password, role: "playtester" };
  return server.request("POST", "/auth/register", { body });
};
async function pay({ server, owner }: MailScene, outcome: string) {
  const { paymentId } = await owner.buyCredit({ body: { amountCents: 2000 } });
  await server.request("POST", `/sandbox/payments/${paymentId}/complete`, { body: { outcome } });
}

/** A playtester asked for emails about new playtests, then one was ordered, and it is the next morning. */
const askedAndOrdered =
  (body: Record<string, unknown> = {}) =>
  async ({ server, owner, tess, gameId }: MailScene) => {
    await tess.updateNotificationSettings({ body: { kinds: ["new_playtests"], mail: "on" } });
    await factories.order(owner, gameId, body);
    await server.advance(20 * hour);
  };

/** A webhook whose endpoint answers with `code` until it is disabled, after which an order is placed. */
async function disableWebhook(scene: MailScene, code: number) {
  const { server, owner, gameId } = scene;
  const receiver = await startReceiver(status(code));
  const { webhook } = await owner.createWebhook({ body: { url: receiver.url, events: ["slot.reserved"] } });
  const claimOne = async (name: string) =>
    factories.claim(await factories.registerPlaytester(server, name), await factories.order(owner, gameId));
  for (let times = 0; times < (code === 410 ? 1 : 2); times++) await claimOne("Bo");
  await server.advance(40 * hour);
  const isActive = async () => (await owner.listWebhooks()).webhooks[0]!.isActive;
  expect(await isActive()).toBe(false);
  await claimOne("Cy");
  await server.advance(0);
  scene.hook = { receiver, path: `/webhooks/${webhook.id}` };
}

async function enableAfter({ server, owner, hook }: MailScene, ms: number) {
  server.deps.config.retention.everyMs = day;
  await startRetention(server.deps);
  await server.advance(ms);
  hook!.receiver.received.length = 0;
  hook!.receiver.answer(status(200));
  await owner.post(`${hook!.path}/enable`);
  await server.advance(0);
}

/** What was pending comes when the webhook is enabled, and what occurred until then from the time in the email. */
async function resumes(scene: MailScene, text: string) {
  const { server, owner, hook } = scene;
  const { receiver, path } = hook!;
  expect(text).toContain("Deliveries are kept for 90 days.");
  await enableAfter(scene, 90 * day - 44 * hour);
  const ids = () => new Set(receiver.received.map(({ headers }) => headers["webhook-id"]));
  const pending = ids().size;
  const since = new Date(timeIn(text, "occurred since")).toISOString();
  expect((await owner.post(`${path}/redeliver`, { since, onlyUndelivered: true })).status).toBe(200);
  await server.advance(0);
  const all = (await owner.get("/events?limit=100")).body.data.events.filter(
    ({ event }: { event: string }) => event === "slot.reserved",
  );
  expect([pending > 0, ids().size]).toEqual([true, all.length]);
  await receiver.close();
}

const facts: MailFact[] = [
  {
    says: "There is no deadline, but Tess is paid only after you accept it.",
    happen: async ({ server, owner, tess, gameId }) => factories.play(server, tess, await factories.order(owner, gameId)),
    async holds({ server, owner, slots, earned }) {
      await server.advance(400 * day);
      const [slot] = await slots();
      expect([slot!.status, await earned()]).toEqual(["submitted", 0]);
      await owner.post(`/slots/${slot!.id}/accept`);
      expect(await earned()).toBe(1000);
    },
  },
  {
    says: "A slot is reserved for you until then.",
    async happen({ server, owner, tess, gameId }) {
      const id = await factories.play(server, tess, await factories.order(owner, gameId));
      await owner.post(`/slots/${id}/reject`, { reason: "Mute.", allowRetry: true });
    },
    async holds({ server, tess }, text) {
      const status = async () => (await tess.listHeldSlots()).slots[0]!.status;
      await server.advance(timeIn(text, "another video before") - minute - server.clock.now());
      expect(await status()).toBe("reserved");
      await server.advance(minute);
      expect(await status()).toBe("expired");
    },
  },
  {
    says: "The rejection is final, and the slot is not paid.",
    async happen({ server, owner, tess, gameId }) {
      const id = await factories.play(server, tess, await factories.order(owner, gameId));
      await owner.post(`/slots/${id}/reject`, { reason: "Wrong game.", allowRetry: false });
    },
    async holds({ tess, owner, slots, earned }) {
      const [slot] = await slots();
      expect([(await owner.post(`/slots/${slot!.id}/accept`)).status, await earned()]).toEqual([409, 0]);
      expect((await tess.post(`/playtester/slots/${slot!.id}/submit`, { notes: "Again." })).status).toBe(409);
    },
  },
  {
    says: "After that the slot expires and becomes available to other playtesters.",
    async happen({ server, owner, tess, gameId }) {
      await factories.claim(tess, await factories.order(owner, gameId));
      await server.advance(23 * hour);
    },
    async holds({ server, owner, gameId }, text) {
      const bo = await factories.registerPlaytester(server, "Bo");
      const { id } = (await owner.get(`/games/${gameId}/playtests`)).body.data.playtests[0];
      const claims = async () => (await bo.post(`/playtester/playtests/${id}/claim`)).status;
      await server.advance(timeIn(text, "your video before") - minute - server.clock.now());
      expect(await claims()).toBe(409);
      await server.advance(minute);
      expect(await claims()).toBe(201);
    },
  },
  {
    says: "after that it is rejected automatically, and slots without a playtester are refunded.",
    async happen({ owner, tess, gameId }) {
      const id = await factories.order(owner, gameId, { selectionMode: "manual" });
      await tess.applyToPlaytest({ params: { id }, body: { qualificationsResponse: "I play a lot." } });
    },
    async holds({ server, tess, balance }, text) {
      const status = async () => (await tess.listOwnApplications()).applications[0]!.status;
      await server.advance(timeIn(text, "the application before") - minute - server.clock.now());
      expect([await status(), await balance()]).toEqual(["pending", 8_000]);
      await server.advance(minute);
      expect([await status(), await balance()]).toEqual(["auto_rejected", 10_000]);
    },
  },
  {
    says: /Answer by .+: after that the slot is cancelled, you are refunded, and the playtester is not paid\./,
    async happen({ owner, tess, gameId }) {
      const id = await factories.claim(tess, await factories.order(owner, gameId));
      await tess.reportSlot({ params: { id }, body: { reasonCode: "crash" } });
    },
    async holds({ server, slots, balance, earned }, text) {
      await server.advance(timeIn(text, "Answer by") - minute - server.clock.now());
      expect([(await slots())[0]!.status, await balance()]).toEqual(["blocked", 8_000]);
      await server.advance(minute);
      expect([(await slots())[0]!.status, await balance(), await earned()]).toEqual(["cancelled", 10_000, 0]);
    },
  },
  {
    says: "Signing in to your account takes no code any more, and the recovery codes no longer work.",
    async happen({ server, owner }) {
      const app = await setUpFactor(server, owner, "correct horse");
      [recoveryCode] = app.recoveryCodes;
      await owner.disableFactor({ body: { code: await app.nextCode() } });
    },
    async holds({ server, owner }) {
      const { email } = await owner.getMe();
      const signIn = (code?: string) =>
        server.request("POST", "/auth/api-keys", { body: { name: "new", email, password: "correct horse", code } });
      expect((await signIn()).status).toBe(201);
      await setUpFactor(server, owner, "correct horse");
      expect((await signIn(recoveryCode)).status).toBe(422);
    },
  },
  {
    says: "You earn $5.00 when the video is published.",
    async happen(scene) {
      scene.server.deps.config.pricing.publicPayoutCents = 500;
      await scene.owner.post(`/slots/${await ofTheTrial(scene)}/accept`);
    },
    async holds({ server, admin, slots, earned }) {
      await server.advance(30 * day);
      const [slot] = await slots();
      expect([slot!.status, await earned()]).toEqual(["publishing", 0]);
      await admin.approveVideo({ params: { id: slot!.id } });
      await server.advance(0);
      expect([(await slots())[0]!.status, await earned()]).toEqual(["accepted", 500]);
    },
  },
  {
    says: "It will be published. This playtest is not paid.",
    async happen(scene) {
      await scene.owner.post(`/slots/${await ofTheTrial(scene)}/accept`);
    },
    async holds({ server, owner, admin, slots, earned }) {
      const [slot] = await slots();
      await admin.approveVideo({ params: { id: slot!.id } });
      await server.advance(0);
      const { publishedUrl } = (await owner.get(`/slots/${slot!.id}`)).body.data.slot;
      expect([(await fetch(publishedUrl)).status, await earned()]).toEqual([200, 0]);
    },
  },
  {
    says: "You can order the free trial again.",
    happen: (scene) => orderTrial(scene, "reject"),
    async holds({ owner, gameId }) {
      const again = () => owner.post(`/games/${gameId}/playtests`, { isFreePublicTrial: true });
      expect([(await again()).status, (await again()).status]).toEqual([201, 409]);
    },
  },
  {
    says: "The free trial of Lantern Deep is approved and now visible to playtesters.",
    happen: (scene) => orderTrial(scene, "approve"),
    holds: async ({ tess }) => expect(await offers(tess)).toHaveLength(1),
  },
  {
    says: "The free trial of Lantern Deep waits for your approval. Playtesters cannot see it until then.",
    happen: (scene) => orderTrial(scene),
    async holds({ owner, tess, admin, gameId }) {
      const [{ id }] = (await owner.get(`/games/${gameId}/playtests`)).body.data.playtests;
      expect([await offers(tess), (await claims(tess, id)) < 300]).toEqual([[], false]);
      await admin.approvePlaytest({ params: { id } });
      expect(await offers(tess)).toEqual([id]);
    },
  },
  {
    says: "A video of the free trial of Lantern Deep waits for your approval. It is not published until then.",
    async happen(scene) {
      await scene.owner.post(`/slots/${await ofTheTrial(scene)}/accept`);
    },
    async holds({ server, owner, admin, slots }) {
      const [slot] = await slots();
      const url = async () => (await owner.get(`/slots/${slot!.id}`)).body.data.slot.publishedUrl;
      await server.advance(30 * day);
      expect(await url()).toBeNull();
      await admin.approveVideo({ params: { id: slot!.id } });
      await server.advance(0);
      expect((await fetch(await url())).status).toBe(200);
    },
  },
  {
    says: /was disabled because too many deliveries in a row failed\.\n\nPending deliveries resume when you enable the webhook, and events that occur until then can be redelivered\./,
    happen: (scene) => disableWebhook(scene, 500),
    holds: resumes,
  },
  {
    says: /was disabled because its endpoint responded with 410 Gone\./,
    happen: (scene) => disableWebhook(scene, 410),
    async holds(scene, text) {
      const { notifications } = await scene.owner.listNotifications();
      expect(notifications.map(({ body }: { body: string }) => body)).toContainEqual(
        expect.stringMatching(/responded with 410 Gone and was disabled\./),
      );
      expect(text).toContain("Deliveries are kept for 90 days.");
      await enableAfter(scene, 91 * day);
      expect(scene.hook!.receiver.received).toEqual([]);
      await scene.hook!.receiver.close();
    },
  },
  {
    says: "Emails about what waits for you come here after you open this link, within 24 hours. It can be used once.",
    happen: ({ admin }) => admin.post("/admin/admins", { name: "Ada", scopes: ["approve"], email: "ada@example.com" }),
    async holds(scene, text) {
      const { server } = scene;
      const toAda = () => server.mails.filter(({ to }) => to === "ada@example.com").map(({ subject }) => subject);
      const confirm = async (token: string) => (await visitor(server).send("/change-email", { token })).status;
      await server.advance(24 * hour - minute);
      await orderTrial(scene, "reject");
      await server.advance(0);
      expect(toAda()).toEqual(["Confirm your address as an operator of playtest"]);
      expect([await confirm(tokenIn(text)), await confirm(tokenIn(text))]).toEqual([200, 410]);
      await orderTrial(scene);
      await server.advance(0);
      expect(toAda()).toHaveLength(2);
    },
  },
  {
    says: "If you do not expect this, ignore this email: then nothing else is sent here.",
    happen: ({ admin }) => admin.post("/admin/admins", { name: "Ada", scopes: ["approve"], email: "ada@example.com" }),
    async holds(scene, text) {
      const { server } = scene;
      await orderTrial(scene);
      await server.advance(24 * hour);
      expect((await visitor(server).send("/change-email", { token: tokenIn(text) })).status).toBe(410);
      expect(server.mails.filter(({ to }) => to === "ada@example.com")).toHaveLength(1);
    },
  },
  {
    says: "This happens if somebody copied it. The sign-in was refused, and the passkey is not accepted any more.",
    async happen(scene) {
      scene.key = (await addPasskey(scene.server, scene.tess)).key;
      nameServer(scene.server);
      expect((await signInWithPasskey(scene.server, scene.key, { counter: 7 })).reply.status).toBe(303);
      const copy = await signInWithPasskey(scene.server, scene.key, { counter: 7 });
      scene.browser = copy.person;
    },
    async holds({ server, tess, key, browser }) {
      expect(await isSignedIn(browser!)).toBe(false);
      expect((await signInWithPasskey(server, key!, { counter: 100 })).reply.status).toBe(401);
      // As it asks: remove it and add a new one.
      const [{ id }] = (await tess.get("/auth/passkeys")).body.data.passkeys;
      expect((await tess.post(`/auth/passkeys/${id}/remove`, { password })).status).toBe(200);
      const fresh = await addPasskey(server, tess);
      expect((await signInWithPasskey(server, fresh.key)).reply.status).toBe(303);
    },
  },
  {
    says: "It can be used to sign in without your password.",
    async happen(scene) {
      scene.key = (await addPasskey(scene.server, scene.tess)).key;
    },
    async holds({ server, key }) {
      nameServer(server);
      const { person } = await signInWithPasskey(server, key!);
      expect(await isSignedIn(person)).toBe(true);
    },
  },
  {
    says: "It can no longer be used to sign in.",
    async happen(scene) {
      const { key, id } = await addPasskey(scene.server, scene.tess);
      scene.key = key;
      await scene.tess.removePasskey({ params: { id }, body: { password } });
    },
    async holds({ server, key }) {
      nameServer(server);
      expect((await signInWithPasskey(server, key!)).reply.status).toBe(401);
    },
  },
  {
    says: "Signing in now takes a code in addition to the password or the sign-in link.",
    async happen(scene) {
      scene.app = await setUpFactor(scene.server, scene.tess, password);
    },
    async holds(scene) {
      const { server, tess, app } = scene;
      expect(await signIn(scene, tess)).toBe(401);
      expect(await signIn(scene, tess, { code: await app!.nextCode() })).toBe(201);
      const browser = visitor(server);
      await browser.submit("/play/sign-in", "/play/sign-in/link", { email: await emailOf(tess) });
      await server.advance(0);
      const link = server.mails.findLast(({ subject }) => subject === "Your sign-in link")!;
      expect((await browser.submit(linkIn(link.text), "/play/sign-in/confirm")).location).toMatch(/^\/play\/sign-in\/code/);
    },
  },
  {
    says: "An operator of this server removed the second factor and the passkeys of your account. Signing in takes no code any more, and the recovery codes no longer work.",
    async happen(scene) {
      const { server, tess, admin } = scene;
      await addPasskey(server, tess);
      scene.app = await setUpFactor(server, tess, password);
      expect((await admin.post(`/admin/users/${tess.id}/reset-factor`)).status).toBe(200);
    },
    async holds(scene) {
      const { server, tess, app } = scene;
      expect([await signIn(scene, tess), (await tess.listPasskeys()).passkeys]).toEqual([201, []]);
      await setUpFactor(server, tess, password);
      expect(await signIn(scene, tess, { code: app!.recoveryCodes[0]! })).toBe(422);
    },
  },
  {
    says: "Your account got new recovery codes. The earlier ones no longer work.",
    async happen(scene) {
      scene.app = await setUpFactor(scene.server, scene.tess, password);
      const reply = await scene.tess.renewRecoveryCodes({ body: { code: await scene.app.nextCode() } });
      [recoveryCode] = reply.recoveryCodes;
    },
    async holds(scene) {
      const { tess, app } = scene;
      expect(await signIn(scene, tess, { code: app!.recoveryCodes[0]! })).toBe(422);
      expect(await signIn(scene, tess, { code: recoveryCode! })).toBe(201);
    },
  },
  {
    says: "was used instead of a code of your authenticator app. 9 of them are left.",
    async happen(scene) {
      scene.app = await setUpFactor(scene.server, scene.tess, password);
      expect(await signIn(scene, scene.tess, { code: scene.app.recoveryCodes[0]! })).toBe(201);
    },
    async holds(scene) {
      expect((await scene.tess.getFactor()).recoveryCodesLeft).toBe(9);
      expect(await signIn(scene, scene.tess, { code: scene.app!.recoveryCodes[0]! })).toBe(422);
    },
  },
  {
    says: "Further attempts now have to wait.",
    async happen(scene) {
      scene.app = await setUpFactor(scene.server, scene.tess, password);
      for (let attempt = 0; attempt < 5; attempt++) await signIn(scene, scene.tess, { code: "000000" });
    },
    async holds(scene) {
      const { tess, app } = scene;
      expect(await signIn(scene, tess, { code: "000000" })).toBe(429);
      expect(await signIn(scene, tess, { code: app!.recoveryCodes[0]! })).toBe(201);
    },
  },
  {
    says: "Your crypto payment of $18.50 was refunded instead of credited.",
    async happen({ server, owner, admin }) {
      const wallet = await openWallet(server, owner);
      const asked = await wallet.ask(2000);
      await wallet.prove(await wallet.send(asked, { by: -1_500_000 }));
      const [deposit] = (await admin.listSuspense({ query: { status: "suspense" } })).suspense;
      await admin.refundSuspense({ params: { id: deposit!.id }, body: { note: "Sent back by 0x9f." } });
    },
    async holds({ server, owner, admin, balance }, text) {
      expect(text).toContain("Reason: Sent back by 0x9f.");
      const wallet = await openWallet(server, owner);
      expect([await balance(), await wallet.received()]).toEqual([10_000, 0]);
      const [deposit] = (await admin.listSuspense({ query: { status: "refunded" } })).suspense;
      expect(deposit!.amountCents).toBe(1850);
      expect((await admin.post(`/admin/suspense/${deposit!.id}/resolve`, { note: "No.", userId: owner.id })).status).toBe(409);
    },
  },
  {
    says: "Your payment of $20.00 did not go through, and you were not charged.",
    happen: (scene) => pay(scene, "declined"),
    async holds({ owner, balance }, text) {
      const [, id] = /Payment: (\S+)/.exec(text)!;
      expect([(await owner.get(`/billing/payments/${id}`)).body.data.payment.status, await balance()]).toEqual([
        "failed",
        10_000,
      ]);
    },
  },
  {
    says: "We received your payment of $20.00 on",
    happen: (scene) => pay(scene, "paid"),
    async holds({ owner, balance }, text) {
      const [, id] = /Payment: (\S+)/.exec(text)!;
      expect([(await owner.get(`/billing/payments/${id}/invoice`)).status, await balance()]).toEqual([200, 12_000]);
    },
  },
  {
    says: "Playtests that are running are paid for and continue.",
    async happen({ owner, gameId }) {
      await factories.order(owner, gameId, { quantity: 4 });
      await factories.order(owner, gameId, { durationMinutes: 30 });
    },
    async holds({ server, owner, tess, balance, earned }, text) {
      expect(text).toContain("your credit is $5.00, less than $20.00.");
      for (const id of await offers(tess)) await owner.post(`/slots/${await factories.play(server, tess, id)}/accept`);
      expect([await balance(), await earned()]).toEqual([500, 1500]);
    },
  },
  {
    says: "was shown to a playtester who cannot use it any more, so nobody else gets it.",
    async happen({ owner, tess, gameId }) {
      const slotId = await factories.claim(tess, await factories.order(owner, gameId, { keysForTesters: ["K-1"] }));
      await tess.releaseSlot({ params: { id: slotId } });
    },
    async holds({ server, owner, gameId }, text) {
      expect(text).toContain("The open slots need 1 key, and 0 are left. Nobody can claim a slot without its keys.");
      const bo = await factories.registerPlaytester(server, "Bo");
      const [{ id }] = (await owner.get(`/games/${gameId}/playtests`)).body.data.playtests;
      expect(await claims(bo, id)).toBe(409);
      await owner.addPlaytestKeys({ params: { id }, body: { keys: ["K-2"] } });
      const slotId = await factories.claim(bo, id);
      expect((await bo.getHeldSlot({ params: { id: slotId } })).slot.keys).toEqual(["K-2"]);
    },
  },
  {
    says: "Read the new version and accept it. Until then the owner cannot approve your application.",
    async happen({ server, owner, tess, gameId }) {
      const id = await factories.order(owner, gameId, { selectionMode: "manual" });
      await tess.applyToPlaytest({ params: { id } });
      await owner.putGameAgreement({ params: { id: gameId }, body: { text: "Tell nobody." } });
      await server.advance(minute);
    },
    async holds({ server, owner, tess }, text) {
      const [{ id }] = (await tess.get("/playtester/applications")).body.data.applications;
      const approve = async () => (await owner.post(`/playtest-applications/${id}/approve`)).status;
      expect(await approve()).toBe(409);
      const path = linkIn(text);
      await (await signedIn(server, tess)).submit(path, path, { accepted: "on" });
      expect(await approve()).toBe(200);
    },
  },
  {
    says: "When the problem is fixed, unblock the slot, which starts a new deadline.",
    happen: async (scene) => report(scene.tess, await claimed(scene)),
    async holds({ server, owner, tess, slots }) {
      await server.advance(3 * day);
      const { id } = (await slots())[0]!;
      await owner.post(`/slots/${id}/unblock`, { message: "Fixed." });
      const { deadlineAt } = (await tess.getHeldSlot({ params: { id } })).slot;
      await server.advance(0);
      const told = server.mails.findLast(({ subject }) => subject === "Continue your playtest of Lantern Deep")!.text;
      expect(told).toContain("was answered, and the slot is yours again.");
      expect([timeIn(told, "your video before"), Date.parse(deadlineAt!)]).toEqual(Array(2).fill(server.clock.now() + day));
    },
  },
  {
    says: "If you cannot fix it, cancel the slot.",
    happen: async (scene) => report(scene.tess, await claimed(scene)),
    async holds({ server, owner, tess, gameId, slots, balance, earned }) {
      await owner.delete(`/slots/${(await slots())[0]!.id}`);
      await server.advance(0);
      const told = server.mails.findLast(({ subject }) => subject === "Your slot of Lantern Deep was cancelled")!.text;
      expect(told).toContain(
        "cancelled your slot because of the problem you reported.\n\nThe slot is not paid. You can claim slots of other playtests.",
      );
      expect([await balance(), await earned(), await claims(tess, await factories.order(owner, gameId))]).toEqual([
        10_000, 0, 201,
      ]);
    },
  },
  {
    says: "You got $20.00 back. The playtester is not paid.",
    async happen(scene) {
      await report(scene.tess, await claimed(scene));
      await scene.server.advance(14 * day);
    },
    holds: async ({ balance, earned }) => expect([await balance(), await earned()]).toEqual([10_000, 0]),
  },
  {
    says: "There was nothing to refund. The playtester is not paid.",
    async happen(scene) {
      scene.server.deps.config.pricing.publicPayoutCents = 500;
      await report(scene.tess, await factories.claim(scene.tess, await orderTrial(scene, "approve")));
      await scene.server.advance(14 * day);
    },
    async holds({ slots, balance, earned }) {
      expect([(await slots())[0]!.status, await balance(), await earned()]).toEqual(["cancelled", 10_000, 0]);
    },
  },
  {
    says: "If the build does not work, report it: your deadline is then paused.",
    async happen(scene) {
      await claimed(scene);
      await scene.server.advance(23 * hour);
    },
    async holds({ server, tess, slots }) {
      await report(tess, (await slots())[0]!.id);
      await server.advance(3 * day);
      expect((await slots())[0]!.status).toBe("blocked");
    },
  },
  {
    says: "If you cannot finish, release the slot.",
    async happen({ owner, tess, gameId }) {
      const id = await factories.order(owner, gameId, { selectionMode: "manual" });
      const applied = await tess.applyToPlaytest({ params: { id } });
      await owner.post(`/playtest-applications/${applied.application.id}/approve`);
    },
    async holds({ server, owner, tess, gameId }, text) {
      const [slot] = (await tess.listHeldSlots()).slots;
      expect(timeIn(text, "your video before")).toBe(Math.floor(Date.parse(slot!.deadlineAt!) / minute) * minute);
      await tess.releaseSlot({ params: { id: slot!.id } });
      const bo = await factories.registerPlaytester(server, "Bo");
      const [{ id }] = (await owner.get(`/games/${gameId}/playtests`)).body.data.playtests;
      const applied = await bo.applyToPlaytest({ params: { id } });
      await owner.post(`/playtest-applications/${applied.application.id}/approve`);
      expect((await bo.listHeldSlots()).slots).toMatchObject([{ status: "reserved" }]);
    },
  },
  {
    says: "is closed, so your application was rejected automatically. You can apply to other playtests.",
    async happen({ server, owner, tess, gameId }) {
      await tess.applyToPlaytest({ params: { id: await factories.order(owner, gameId, { selectionMode: "manual" }) } });
      await server.advance(8 * day);
    },
    async holds({ owner, tess, gameId }) {
      const applications = (await tess.listOwnApplications()).applications;
      expect(applications).toMatchObject([{ status: "auto_rejected" }]);
      const other = await factories.order(owner, gameId, { selectionMode: "manual" });
      expect((await tess.post(`/playtester/playtests/${other}/applications`)).status).toBe(201);
    },
  },
  {
    says: "The amount was returned to your earnings and can be paid out again.",
    async happen(scene) {
      const { owner, tess, admin } = scene;
      await owner.post(`/slots/${await played(scene)}/accept`);
      const { payout } = await admin.createPayout({ body: { userId: tess.id, amountCents: 750 } });
      await admin.failPayout({ params: { id: payout.id } });
    },
    async holds({ tess, admin, earned }) {
      expect(await earned()).toBe(1000);
      expect((await admin.post("/admin/payouts", { userId: tess.id, amountCents: 1000 })).status).toBe(201);
    },
  },
  {
    says: /recorded on .+ that a payout of \$7\.50 was sent to you\. If it does not arrive, contact the operator\./,
    async happen({ server, owner, tess, admin, gameId }) {
      await owner.post(`/slots/${await factories.play(server, tess, await factories.order(owner, gameId))}/accept`);
      await server.advance(hour);
      await admin.createPayout({ body: { userId: tess.id, amountCents: 750 } });
    },
    async holds({ server, earned, admin }, text) {
      const now = server.clock.now();
      expect([timeIn(text, "recorded on"), await earned()]).toEqual([now - (now % minute), 250]);
      const [, id] = /Payout: (\S+)/.exec(text)!;
      const { payouts } = await admin.listPayouts();
      expect(payouts).toMatchObject([{ id, amountCents: 750, status: "completed" }]);
    },
  },
  {
    says: "so that you have time to object.",
    async happen(scene) {
      scene.server.deps.config.payouts.detailsHoldHours = 48;
      await scene.owner.post(`/slots/${await played(scene)}/accept`);
      await scene.tess.post("/playtester/payout-details", details);
    },
    async holds({ server, admin, earned }, text) {
      const from = timeIn(text, "No payout goes there before");
      await server.advance(from - minute - server.clock.now());
      await admin.post("/admin/payout-batches", {});
      expect(await earned()).toBe(1000);
      await server.advance(2 * minute);
      await admin.createPayoutBatch({ body: {} });
      expect(await earned()).toBe(0);
    },
  },
  {
    says: "Your earnings will be paid by PayPal. Your next payout goes there.",
    async happen(scene) {
      scene.server.deps.config.payouts.detailsHoldHours = 0;
      await scene.owner.post(`/slots/${await played(scene)}/accept`);
      await scene.tess.post("/playtester/payout-details", details);
    },
    async holds({ admin, earned }) {
      const batch = await admin.post("/admin/payout-batches", {});
      expect([batch.status, await earned()]).toEqual([201, 0]);
    },
  },
  {
    says: "The operator's payout batches skip you until you enter payout details again.",
    async happen(scene) {
      scene.server.deps.config.payouts.detailsHoldHours = 0;
      await scene.owner.post(`/slots/${await played(scene)}/accept`);
      await scene.tess.post("/playtester/payout-details", details);
      const browser = await signedIn(scene.server, scene.tess);
      await browser.submit("/play/earnings/details", "/play/earnings/details/remove", { password });
    },
    async holds({ tess, admin, earned }) {
      await admin.post("/admin/payout-batches", {});
      expect(await earned()).toBe(1000);
      await tess.post("/playtester/payout-details", details);
      await admin.createPayoutBatch({ body: {} });
      expect(await earned()).toBe(0);
    },
  },
  {
    says: "Open this link within 24 hours to verify your email address. It can be used once.",
    happen: registerIda,
    async holds(scene, text) {
      const verify = async () =>
        (await visitor(scene.server).send("/verify-email", { token: tokenIn(text), action: "verify" })).status;
      await scene.server.advance(24 * hour - minute);
      expect([await verify(), await verify()]).toEqual([200, 410]);
    },
  },
  {
    says: "the page shows from where it was created and lets you delete it. An account that is not verified is deleted after 7 days.",
    happen: registerIda,
    async holds({ server }, text) {
      await startRetention(server.deps);
      const { html } = await visitor(server).get(linkIn(text));
      expect([html.includes("127.0.0.1"), html.includes('value="delete"')]).toEqual([true, true]);
      const exists = async () =>
        (await server.deps.store.read((q) => q.all("SELECT id FROM users WHERE email = 'ida@example.com'"))).length;
      await server.advance(7 * day - minute);
      expect(await exists()).toBe(1);
      await server.advance(day);
      expect(await exists()).toBe(0);
    },
  },
  {
    says: "Open this link within one hour. It can be used once.",
    happen: askForReset,
    async holds(scene, text) {
      const { server, tess } = scene;
      expect(text).toContain(`On the command line, use this token: ${tokenIn(text)}`);
      expect([await signIn(scene, tess), text.includes("Your password was not changed.")]).toEqual([201, true]);
      await server.advance(hour - minute);
      const reset = async (newPassword: string) =>
        (await server.request("POST", "/auth/password-reset/confirm", { body: { token: tokenIn(text), newPassword } })).status;
      expect([await reset("a new password"), (await reset("another password")) < 300]).toEqual([200, false]);
      expect(await signIn(scene, tess, { password: "a new password" })).toBe(201);
    },
  },
  {
    says: "We received a request to reset your password.",
    happen: askForReset,
    async holds(scene, text) {
      await scene.server.advance(hour + 1);
      expect([await opens(scene, linkIn(text)), await signIn(scene, scene.tess)]).toEqual([410, 201]);
    },
  },
  {
    says: "Open this link within 15 minutes to sign in. It can be used once.",
    async happen({ server, tess }) {
      await visitor(server).submit("/play/sign-in", "/play/sign-in/link", { email: await emailOf(tess) });
    },
    async holds({ server }, text) {
      const press = async () =>
        (
          await visitor(server)
            .submit(linkIn(text), "/play/sign-in/confirm")
            .catch(() => null)
        )?.location;
      await server.advance(14 * minute);
      expect([await press(), (await press()) ?? null]).toEqual(["/play", null]);
    },
  },
  {
    says: "If you did not request this, do not open the link: then nothing changes.",
    happen: async ({ tess }) => tess.post("/auth/change-email", { newEmail: "new@example.com", password }),
    async holds(scene, text) {
      const { server, tess } = scene;
      const before = await emailOf(tess);
      const other = server.mails.find((mail) => mail.subject.startsWith("Confirm the change") && mail.text !== text)!;
      expect((await visitor(server).submit(linkIn(other.text), "/change-email")).status).toBe(200);
      await server.advance(24 * hour + 1);
      expect([await emailOf(tess), await opens(scene, linkIn(text))]).toEqual([before, 410]);
    },
  },
  {
    says: "The password of your account was changed, and every browser was signed out.",
    async happen(scene) {
      scene.browser = await signedIn(scene.server, scene.tess);
      await scene.tess.changePassword({ body: { currentPassword: password, newPassword: "a new password" } });
    },
    async holds(scene) {
      expect([await isSignedIn(scene.browser!), await signIn(scene, scene.tess)]).toEqual([false, 401]);
    },
  },
  {
    says: "If this was not you, revoke it, then reset your password.",
    happen: async (scene) => signIn(scene, scene.tess),
    async holds({ tess }, text) {
      expect(text).toContain("/play/account/keys\n");
      const { keys: listed } = await tess.listApiKeys();
      const { id } = listed.find(({ name }: { name: string }) => name === "new")!;
      const keys = async () => (await tess.listApiKeys()).keys.map((key: { id: string }) => key.id);
      expect(await keys()).toContain(id);
      await tess.delete(`/auth/api-keys/${id}`);
      expect(await keys()).not.toContain(id);
    },
  },
  {
    says: "If not, reset your password now: that signs out every browser.",
    async happen(scene) {
      scene.browser = await signedIn(scene.server, scene.tess);
      await signedIn(scene.server, scene.tess);
    },
    async holds(scene) {
      await askForReset(scene);
      await scene.server.advance(0);
      const { text } = scene.server.mails.findLast(({ subject }) => subject === "Reset your password")!;
      expect(await isSignedIn(scene.browser!)).toBe(true);
      await visitor(scene.server).submit(linkIn(text), "/reset-password", { password: "a new password" });
      expect(await isSignedIn(scene.browser!)).toBe(false);
    },
  },
  {
    says: "Open this link within 14 days to join. It creates your account, once, and you then set a password.",
    happen: ({ admin }) => admin.post("/admin/invitations", { invitations: [{ email: "olga@example.com", role: "game_owner" }] }),
    async holds({ server }, text) {
      const browser = visitor(server);
      const welcome = await browser.submit(linkIn(text), "/invite", { name: "Olga" });
      expect(welcome.html).toMatch(/Set a password within one hour, then sign in to <a href="\/studio\/sign-in">Studio<\/a>/);
      expect(await isSignedIn(browser)).toBe(false);
    },
  },
  {
    says: "Open this link within 3 days to join. It creates your account and signs you in, once.",
    happen({ server, admin }) {
      server.deps.config.invitations.validDays = 3;
      return admin.post("/admin/invitations", { invitations: [{ email: "ida@example.com" }] });
    },
    async holds(scene, text) {
      const { server } = scene;
      expect(text).toContain("If you do not want to join, ignore this email: without you, no account is created.");
      const ida = () => server.deps.store.read((q) => q.all("SELECT id FROM users WHERE email = 'ida@example.com'"));
      await server.advance(3 * day - minute);
      expect(await ida()).toEqual([]);
      const browser = visitor(server);
      await browser.submit(linkIn(text), "/invite", { name: "Ida" });
      expect([(await ida()).length, await isSignedIn(browser), await opens(scene, linkIn(text))]).toEqual([1, true, 410]);
    },
  },
  {
    says: "A new playtest is open to you. A slot may be taken before you look.",
    happen: askedAndOrdered(),
    async holds({ server, tess }, text) {
      const [, id] = /offers\/(\S+)/.exec(text)!;
      const bo = await factories.registerPlaytester(server, "Bo");
      expect([await offers(tess), await offers(bo)]).toEqual([[id], [id]]);
      expect([await claims(bo, id!), await claims(tess, id!)]).toEqual([201, 409]);
    },
  },
  {
    says: "$10.00 for 60 minutes.\n  Submit your video within 24 hours after you claim it.",
    happen: askedAndOrdered(),
    async holds(scene, text) {
      const { server, owner, tess } = scene;
      const [, id] = /offers\/(\S+)/.exec(text)!;
      expect((await owner.getPlaytest({ params: { id: id! } })).playtest.durationMinutes).toBe(60);
      await server.advance(5 * hour);
      await factories.claim(tess, id!);
      const { slots } = await tess.listHeldSlots();
      expect(Date.parse(slots[0]!.deadlineAt!) - server.clock.now()).toBe(day);
      await factories.giveVideo(server, slots[0]!.id, tess);
      await tess.submitSlot({ params: { id: slots[0]!.id } });
      await owner.post(`/slots/${slots[0]!.id}/accept`);
      expect(await scene.earned()).toBe(1000);
    },
  },
  {
    says: "$10.00 in all for 30 minutes with 2 players.\n  The owner chooses who plays. Submit your video within 72 hours after the owner chooses you.",
    happen: askedAndOrdered({ selectionMode: "manual", playerCount: 2, durationMinutes: 30 }),
    async holds({ server, owner, tess }, text) {
      const [, id] = /offers\/(\S+)/.exec(text)!;
      expect(await claims(tess, id!)).toBe(400);
      const { application } = await tess.applyToPlaytest({ params: { id: id! } });
      await server.advance(5 * hour);
      await owner.post(`/playtest-applications/${application.id}/approve`);
      const [slot] = (await tess.listHeldSlots()).slots;
      expect(Date.parse(slot!.deadlineAt!) - server.clock.now()).toBe(3 * day);
      expect(slot!.playtest).toMatchObject({ payoutCents: 1000, durationMinutes: 30, playerCount: 2 });
    },
  },
  {
    says: "You hold 3 slots, the most at once. Before you claim another one, submit or release one.",
    async happen(scene) {
      for (let held = 0; held < 3; held++) await claimed(scene);
      await askedAndOrdered()(scene);
    },
    async holds({ tess }, text) {
      const [, id] = /offers\/(\S+)/.exec(text)!;
      expect(await claims(tess, id!)).toBe(409);
      const { slots } = await tess.listHeldSlots();
      await tess.releaseSlot({ params: { id: slots[0]!.id } });
      expect(await claims(tess, id!)).toBe(201);
    },
  },
];
let recoveryCode: string | undefined;

onBothDatabases("what emails state", (_serve, it) => {
  it.for(facts)("$says", async ({ says, happen, holds }, { server }) => {
    const admin = await factories.reachableAdmin(server);
    const [owner, tess] = [await factories.registerOwner(server, "Olive"), await factories.registerPlaytester(server, "Tess")];
    await factories.giveCredit(server, owner, 10_000);
    const gameId = await factories.createGame(owner);
    const slots = async () => {
      const { id } = (await owner.get(`/games/${gameId}/playtests`)).body.data.playtests[0];
      return (await owner.listSlots({ params: { id } })).slots;
    };
    const balance = async () => (await owner.getBalance()).balanceCents;
    const earned = async () => (await tess.getEarnings()).balanceCents;
    const scene: MailScene = { server, owner, tess, admin, gameId, slots, balance, earned };
    await happen(scene);
    await server.advance(0);
    const has = ({ text }: { text: string }) => (typeof says === "string" ? text.includes(says) : says.test(text));
    const mail = server.mails.findLast(has);
    expect(mail?.text ?? server.mails.map(({ text }) => text)).toEqual(expect.any(String));
    await holds(scene, mail!.text);
  });
});
