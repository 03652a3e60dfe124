import { startSession } from "../../server/accounts/sessions.ts";
import { MailRefused } from "../../server/mail/mailer.ts";
import * as slots from "../../server/playtests/slots/store.ts";
import * as signals from "../../server/sharing/signals/store.ts";
import * as transcripts from "../../server/transcripts/store.ts";
import type { Contract, Operation } from "../../src/contract/index.ts";
import { flagPayment } from "./billing.ts";
import { openWallet } from "./crypto.ts";
import * as factories from "./factories.ts";
import { codeAt, setUpFactor } from "./factors.ts";
import { befriend, claimWith, confirm, nameHandle } from "./friends.ts";
import { mailedToken } from "./mails.ts";
import { addPasskey, nameServer, newPasskey } from "./passkeys.ts";
import type { TestServer } from "./server.ts";
import { slotIn } from "./slots.ts";
import { startTrackers } from "./trackers.ts";
import { metadataHeader, octets, raw, sha256, tus } from "./tus.ts";
import { evmWallet } from "./wallets.ts";
import { startYoutube } from "./youtube.ts";

/** In every name, text and address of the people whose requests these are: no other account may ever read it. */
export const secretWord = "Zanzibar";

const days = 86_400_000;
const url = (path: string) => `https://${secretWord.toLowerCase()}.example/${path}`;

/** A request that its account is allowed to send, and that has not been sent yet: nothing but authorization stands in its way. */
export interface RightfulRequest {
  as: factories.Person;
  /** Path parameters. */
  ids?: Record<string, string>;
  query?: Record<string, string>;
  body?: unknown;
  headers?: Record<string, string>;
  /** Path parameters that are this account's alone, where anybody may use those of the request. */
  ownIds?: Record<string, string>;
  /** What any account may read is in the reply. */
  shared?: boolean;
}

export interface RightfulWorld {
  server: TestServer;
  owner: factories.Person;
  playtester: factories.Person;
  admin: factories.Person;
  gameId: string;
  webhookId: string;
  deliveryId: string;
  conversationId: string;
  order(body?: Record<string, unknown>): Promise<string>;
  /** An owner or playtester that only one request is about. */
  bystander(role: "game_owner" | "playtester"): Promise<factories.Person>;
  claimed(): Promise<string>;
  submitted(): Promise<string>;
  /** An application to a playtest whose owner chooses, and that playtest. */
  application(): Promise<{ id: string; playtestId: string }>;
  payment(outcome?: "paid", by?: factories.Person): Promise<string>;
  payoutId(): Promise<string>;
  /** A batch with one pending payout, and the id of that payout. */
  payoutBatch(): Promise<{ batchId: string; payoutId: string }>;
}

/** `known`: the administrator of a server that has one already. */
export async function rightfulWorld(server: TestServer, known?: factories.Person): Promise<RightfulWorld> {
  const name = (who: string) => `${secretWord} ${who}`;
  const [owner, playtester] = [
    await factories.registerOwner(server, name("owner")),
    await factories.registerPlaytester(server, name("playtester")),
  ];
  const admin = known ?? (await factories.firstAdmin(server));
  await factories.giveCredit(server, owner, 10_000_000);
  const gameId = await factories.createGame(owner, {
    name: name("game"),
    buildUrl: url("build.zip"),
    instructions: name("instructions"),
  });
  const make = (body: Record<string, unknown> = {}) =>
    factories.order(owner, gameId, { notesForTesters: name("notes"), ...body });
  await factories.play(server, playtester, await make());
  const accepted = await factories.play(server, playtester, await make());
  await owner.post(`/slots/${accepted}/accept`);
  // Earnings may be held for some days before they may be paid out.
  await server.advance(server.deps.config.payouts.holdDays * days);
  const opened = await owner.post("/chat/conversations", { contactId: playtester.id });
  const conversationId: string = opened.body.data.conversation.id;
  await owner.post(`/chat/conversations/${conversationId}/messages`, { content: name("message") });
  const webhookId = await addWebhook(owner);
  await owner.post(`/webhooks/${webhookId}/test`);
  const { deliveries } = (await owner.get(`/webhooks/${webhookId}/deliveries`)).body.data;
  const payment = async (outcome?: "paid", by = owner) => {
    const { paymentId } = (await by.post("/billing/credit", { amountCents: 2000 })).body.data;
    if (outcome) await server.request("POST", `/sandbox/payments/${paymentId}/complete`, { body: { outcome } });
    return paymentId;
  };
  return {
    server,
    owner,
    playtester,
    admin,
    gameId,
    webhookId,
    deliveryId: deliveries[0].id,
    conversationId,
    order: make,
    bystander: (role) =>
      (role === "playtester" ? factories.registerPlaytester : factories.registerOwner)(server, name("bystander")),
    claimed: async () => factories.claim(playtester, await make()),
    submitted: async () => factories.play(server, playtester, await make()),
    async application() {
      const playtestId = await make({ selectionMode: "manual", qualifications: name("qualifications") });
      const reply = await playtester.post(`/playtester/playtests/${playtestId}/applications`, {
        qualificationsResponse: name("answer"),
      });
      return { id: reply.body.data.application.id, playtestId };
    },
    payment,
    async payoutBatch() {
      const details = { method: "paypal", email: "pay@example.com", password: "correct horse" };
      await playtester.post("/playtester/payout-details", details);
      await owner.post(`/slots/${await factories.play(server, playtester, await make())}/accept`);
      const batchId: string = (await admin.post("/admin/payout-batches", {})).body.data.batch.id;
      const { payouts } = (await admin.get(`/admin/payouts?batch=${batchId}`)).body.data;
      return { batchId, payoutId: payouts[0].id };
    },
    // Of new earnings: a batch leaves nothing to pay.
    payoutId: async () => {
      await owner.post(`/slots/${await factories.play(server, playtester, await make())}/accept`);
      return (await admin.post("/admin/payouts", { userId: playtester.id, amountCents: 100 })).body.data.payout.id as string;
    },
  };
}

async function addWebhook(owner: factories.Person): Promise<string> {
  const body = { url: `http://127.0.0.1:9/${secretWord}`, events: ["test.ping"] };
  return (await owner.post("/webhooks", body)).body.data.webhook.id;
}

type Row = (world: RightfulWorld) => RightfulRequest | Promise<RightfulRequest>;

const byOwner =
  (rest: Omit<RightfulRequest, "as"> = {}): Row =>
  ({ owner }) => ({ as: owner, ...rest });
const byAdmin =
  (rest: Omit<RightfulRequest, "as"> = {}): Row =>
  ({ admin }) => ({ as: admin, ...rest });
const byNobody =
  (make: (world: RightfulWorld) => Promise<Omit<RightfulRequest, "as">> | Omit<RightfulRequest, "as"> = () => ({})): Row =>
  async (world) => ({ as: world.owner, ...(await make(world)) });
const onGame =
  (body?: unknown): Row =>
  ({ owner, gameId }) => ({ as: owner, ids: { id: gameId, gameId }, body });
const onPlaytest =
  (body?: unknown): Row =>
  async ({ owner, order }) => ({ as: owner, ids: { id: await order() }, body });
const onWebhook =
  (body?: unknown): Row =>
  ({ owner, webhookId, deliveryId }) => ({ as: owner, ids: { id: webhookId, deliveryId }, body });
const onSlot =
  (status: string, body?: unknown): Row =>
  async ({ server, owner, playtester, gameId }) => ({
    as: owner,
    ids: { id: await slotIn[status]!(server, owner, playtester, gameId) },
    body,
  });
const onHeldSlot =
  (body?: unknown, headers?: Record<string, string>): Row =>
  async ({ playtester, claimed }) => ({ as: playtester, ids: { id: await claimed() }, body, ...(headers && { headers }) });
const onConversation =
  (body?: unknown): Row =>
  ({ owner, conversationId }) => ({ as: owner, ids: { id: conversationId }, body });
const onApplication: Row = async ({ owner, application }) => ({ as: owner, ids: { id: (await application()).id } });
const byPlaytester: Row = ({ playtester }) => ({ as: playtester });
const onAccount =
  (role: "game_owner" | "playtester", body?: unknown): Row =>
  async ({ admin, bystander }) => ({ as: admin, ids: { id: (await bystander(role)).id }, body });
const onBystandersGame: Row = async ({ admin, bystander }) => ({
  as: admin,
  ids: { id: await factories.createGame(await bystander("game_owner")) },
});
const onTrial: Row = async ({ admin, bystander }) => ({ as: admin, ids: { id: await trialOf(await bystander("game_owner")) } });
const onPublicVideo: Row = async ({ server, admin, bystander, playtester }) => {
  const owner = await bystander("game_owner");
  return { as: admin, ids: { id: await slotIn.publishing!(server, owner, playtester, await factories.createGame(owner)) } };
};
/** A slot of the owner whose video is published on the server's own page. */
async function published({ server, owner, playtester, order }: RightfulWorld): Promise<string> {
  const slotId = await factories.play(server, playtester, await order({ visibility: "public" }));
  await owner.post(`/slots/${slotId}/accept`);
  await server.advance(0);
  return slotId;
}
const onPublished =
  (body?: unknown): Row =>
  async (world) => ({ as: world.owner, ids: { id: await published(world) }, body });
/** A publication that waits for a platform to which this server is not connected. */
const onFailedPublication =
  (body?: unknown): Row =>
  async (world) => {
    const { publishing } = world.server.deps.config;
    publishing.to = "youtube";
    await published(world);
    publishing.to = "own";
    return { as: world.admin, ids: { id: (await world.admin.get("/admin/publications")).body.data.publications[0].id }, body };
  };
/** A sign-in with Google, where one answers. */
const onGoogle =
  (body: object = {}): Row =>
  async ({ server, admin }) => {
    const { url } = await startYoutube();
    Object.assign(server.deps.config.publishing.youtube, { clientId: "client", clientSecret: "secret", apiUrl: url });
    return { as: admin, body: { adapter: "youtube", ...body } };
  };
const onDeposit =
  (bodyFor: (owner: factories.Person) => unknown): Row =>
  async ({ server, admin, bystander }) => {
    const owner = await bystander("game_owner");
    const wallet = await openWallet(server, owner);
    await wallet.prove(await wallet.send(await wallet.ask(), { by: -1_000_000 }));
    return { as: admin, ids: { id: (await admin.get("/admin/suspense")).body.data.suspense[0].id }, body: bodyFor(owner) };
  };
const withRecoveryCode: Row = async ({ server, bystander }) => {
  const as = await bystander("game_owner");
  const { recoveryCodes } = await setUpFactor(server, as, "correct horse");
  return { as, body: { code: recoveryCodes[0] } };
};
const onApiKey = async ({ owner }: RightfulWorld) => {
  const { id } = (await owner.post("/auth/api-keys", { name: secretWord, scopes: ["game_owner"] })).body.data.key;
  return { as: owner, ids: { id } };
};
const budgeted = async ({ bystander }: RightfulWorld) => {
  const as = await bystander("game_owner");
  const { id } = (await as.post("/billing/budgets", { period: "day", limitCents: 5000 })).body.data.budget;
  return { as, ids: { id: id as string } };
};
/** An order that waits, and the key of its account that decides. */
const waiting = async ({ server, bystander }: RightfulWorld) => {
  const as = await bystander("game_owner");
  await factories.giveCredit(server, as, 100_000);
  const gameId = await factories.createGame(as, { name: secretWord });
  const budgets = [{ period: "order", approveOverCents: 1000 }];
  const { apiKey } = (await as.post("/auth/api-keys", { name: secretWord, budgets })).body.data;
  const reply = await server.request("POST", `/games/${gameId}/playtests`, {
    key: apiKey,
    body: { notesForTesters: secretWord },
  });
  return { as, ids: { id: reply.body.data.approval.id as string } };
};
const subscribed = async ({ server, bystander }: RightfulWorld, paid = true) => {
  const owner = await bystander("game_owner");
  const { subscriptionId } = (await owner.post("/billing/subscription/checkout", { planKey: "indie_monthly" })).body.data;
  const path = `/sandbox/subscriptions/${subscriptionId}/complete`;
  if (paid) await server.request("POST", path, { body: { outcome: "paid" } });
  return { owner, subscriptionId: subscriptionId as string };
};

let handles = 0;
/** A playtester with a handle. */
async function withHandle({ bystander }: RightfulWorld): Promise<{ person: factories.Person; handle: string }> {
  const [person, handle] = [await bystander("playtester"), `${secretWord.toLowerCase()}-${++handles}`];
  await nameHandle(person, handle);
  return { person, handle };
}

/** A playtester with a handle, and a request that waits for them. */
async function requested(world: RightfulWorld) {
  const [asking, asked] = [await withHandle(world), await withHandle(world)];
  await asking.person.requestFriend({ body: { handle: asked.handle } });
  return { as: asked.person, ids: { id: (await asked.person.listFriends()).friends[0]!.id } };
}

/** A slot for two players that one friend claimed and the other was asked for; a third friend is free. */
async function asked(world: RightfulWorld) {
  const { multiplayer } = world.server.deps.config;
  const [one, two, three] = [await withHandle(world), await withHandle(world), await withHandle(world)];
  for (const other of [two, three]) await befriend(one.person, other.person);
  multiplayer.friends = true;
  const id = await claimWith(one.person, await world.order({ playerCount: 2 }), two.handle);
  multiplayer.friends = false;
  return { claimant: one.person, member: two, free: three, ids: { id } };
}

/** A game with an agreement. */
async function withAgreement({ server, owner }: RightfulWorld): Promise<{ gameId: string; version: string }> {
  const gameId = await factories.createGame(owner);
  const reply = await server.request("PUT", `/games/${gameId}/agreement`, { key: owner.key, body: { text: secretWord } });
  return { gameId, version: reply.body.data.agreement.version };
}

const newGroup = async ({ admin, server }: RightfulWorld) =>
  (await admin.createGroup({ body: { name: `group-${server.deps.newId()}` } })).group.id;

const trialOf = async (owner: factories.Person) =>
  factories.order(owner, await factories.createGame(owner), { isFreePublicTrial: true });
const upload = { ...tus, "upload-length": "12" };
const video = { ...upload, "upload-metadata": metadataHeader({ filename: "a.mp4", filetype: "video/mp4" }) };
const build = {
  ...upload,
  "upload-metadata": metadataHeader({ filename: "a.zip", filetype: "application/zip", sha256: "0".repeat(64) }),
};
const account = (name: string) => ({ email: `${name}@example.com`, password: "correct horse", role: "game_owner" });

/** How each operation of the contract is called so that it succeeds. The type asks for a row for each. */
export const rightfulRequests: { [O in keyof Contract]: Row } = {
  registerApiKey: byNobody(() => ({ body: account("first") })),
  register: byNobody(() => ({ body: account("second") })),
  getMe: byOwner(),
  updateProfile: byOwner({ body: { websiteUrl: url("") } }),
  changePassword: async ({ bystander }) => ({
    as: await bystander("game_owner"),
    body: { currentPassword: "correct horse", newPassword: "a stable for the battery" },
  }),
  changeEmail: byOwner({ body: { newEmail: "moved@example.com", password: "correct horse" } }),
  getFactor: byOwner(),
  startFactor: async ({ bystander }) => ({ as: await bystander("game_owner"), body: { password: "correct horse" } }),
  enableFactor: async ({ server, bystander }) => {
    const as = await bystander("game_owner");
    const { secret } = (await as.post("/auth/factor", { password: "correct horse" })).body.data;
    return {
      as,
      // The code of the moment at which it is sent.
      get body() {
        return { code: codeAt(secret, server.clock.real()) };
      },
    };
  },
  disableFactor: withRecoveryCode,
  renewRecoveryCodes: withRecoveryCode,
  confirmKey: withRecoveryCode,
  listPasskeys: byPlaytester,
  startPasskey: ({ server, playtester }) => {
    nameServer(server);
    return { as: playtester, body: { password: "correct horse" } };
  },
  addPasskey: async ({ server, bystander }) => {
    const as = await bystander("playtester");
    return { as, body: (await newPasskey(server, as)).body };
  },
  removePasskey: async ({ server, bystander }) => {
    const as = await bystander("playtester");
    return { as, ids: { id: (await addPasskey(server, as)).id }, body: { password: "correct horse" } };
  },
  createApiKey: byOwner({ body: { name: "Another" } }),
  listApiKeys: byOwner(),
  revokeApiKey: onApiKey,
  rotateApiKey: onApiKey,
  listSessions: byPlaytester,
  endSession: async ({ server, playtester }) => {
    const client = { address: "192.0.2.1", agent: secretWord, signal: new AbortController().signal };
    await server.deps.store.write((tx) => startSession(tx, playtester.id, client));
    return { as: playtester, ids: { id: (await playtester.get("/auth/sessions")).body.data.sessions[0].id } };
  },
  signOutEverywhere: byPlaytester,
  exportAccount: byOwner(),
  exportAccountInFull: async ({ bystander }) => ({ as: await bystander("playtester"), body: { password: "correct horse" } }),
  deleteAccount: async ({ bystander }) => ({ as: await bystander("game_owner"), body: { password: "correct horse" } }),
  resendVerification: byNobody(() => ({ body: { email: "game_owner1@example.com" } })),
  requestPasswordReset: byNobody(() => ({ body: { email: "nobody@example.com" } })),
  confirmPasswordReset: byNobody(async ({ server, bystander }) => {
    const { email } = (await (await bystander("game_owner")).get("/auth/me")).body.data;
    await server.request("POST", "/auth/password-reset", { body: { email } });
    await server.advance(0);
    return { body: { token: mailedToken(server, "reset"), newPassword: "a stable for the battery" } };
  }),
  listGames: byOwner(),
  createGame: byOwner({ body: { name: "Tide", buildUrl: url("tide.zip") } }),
  getGame: onGame(),
  updateGame: onGame({ description: secretWord }),
  listBuilds: onGame(),
  createBuildUpload: ({ owner, gameId }) => ({ as: owner, ids: { id: gameId }, headers: build }),
  getBuildDownloadUrl: async ({ server, owner, gameId }) => ({ as: owner, ids: await storedBuild(server, owner, gameId) }),
  listPlaytests: onGame(),
  createPlaytest: onGame({ quantity: 1 }),
  getPlaytest: onPlaytest(),
  updatePlaytest: onPlaytest({ notesForTesters: secretWord }),
  listPlaytestKeys: onPlaytest(),
  addPlaytestKeys: onPlaytest({ keys: [secretWord] }),
  findPlaytestsByRef: byOwner({ body: { refs: ["a1"] } }),
  quotePlaytest: ({ owner, gameId }) => ({ as: owner, body: { gameId } }),
  payPlaytest: async ({ server, bystander }) => {
    const as = await bystander("game_owner");
    const id = await factories.order(as, await factories.createGame(as));
    await factories.giveCredit(server, as, 100_000);
    return { as, ids: { id }, body: { method: "credit" } };
  },
  cancelPlaytest: onPlaytest(),
  getDashboardStats: byOwner(),
  getStatistics: byOwner(),
  getSpending: byOwner(),
  listSlots: onPlaytest(),
  getPublishedVideo: byNobody(async (world) => ({
    ids: { id: await publishedVideo(world) },
    ownIds: { id: await world.submitted() },
  })),
  listPublishedVideos: byNobody(),
  getSlot: onSlot("submitted"),
  deleteSlot: onSlot("open"),
  acceptSlot: onSlot("submitted", { rating: 5 }),
  rejectSlot: onSlot("submitted", { reason: "Silent." }),
  unblockSlot: onSlot("blocked"),
  getSlotPublication: onPublished(),
  unpublishSlot: onPublished({ reason: secretWord }),
  withdrawVideo: async (world) => ({ as: world.playtester, ids: { id: await published(world) }, body: { reason: secretWord } }),
  listPublications: byAdmin(),
  listPublishers: byAdmin(),
  startPublisherSignIn: onGoogle(),
  connectPublisher: onGoogle({ deviceCode: "device-1" }),
  disconnectPublisher: async (world) => {
    const request = await onGoogle({ deviceCode: "device-1" })(world);
    await world.admin.post("/admin/publishers/connect", request.body);
    return { as: world.admin, body: { adapter: "youtube" } };
  },
  retryPublication: onFailedPublication(),
  movePublication: onFailedPublication({ to: "own" }),
  removePublication: onFailedPublication({ reason: secretWord }),
  getSlotDownloadUrl: onSlot("submitted"),
  getSlotTranscript: async (world) => ({ as: world.owner, ids: { id: await transcribed(world) } }),
  putSlotTranscript: async (world) => ({
    as: world.owner,
    ids: { id: await transcribed(world) },
    body: { vtt: `WEBVTT\n\n00:00.000 --> 00:02.000\n${secretWord}\n` },
  }),
  createMoment: async ({ owner, submitted }) => ({
    as: owner,
    ids: { id: await submitted() },
    body: { atMs: 1000, text: `${secretWord} note`, tags: ["onboarding"] },
  }),
  listSlotMoments: async (world) => ({ as: world.owner, ids: { id: (await momentIn(world)).slotId } }),
  listPlaytestMoments: async (world) => ({ as: world.owner, ids: { id: (await momentIn(world)).playtestId } }),
  listGameMoments: async (world) => ({ as: world.owner, ids: { id: (await momentIn(world)).gameId } }),
  updateMoment: async (world) => ({ as: world.owner, ids: { id: (await momentIn(world)).id }, body: { severity: 3 } }),
  deleteMoment: async (world) => ({ as: world.owner, ids: { id: (await momentIn(world)).id } }),
  putStill: async (world) => ({ as: world.owner, ids: { id: (await momentIn(world)).id } }),
  getStill: async (world) => ({ as: world.owner, ids: { id: await pictured(world) } }),
  deleteStill: async (world) => ({ as: world.owner, ids: { id: await pictured(world) } }),
  getSlotSignals: async (world) => ({ as: world.owner, ids: { id: await measured(world) } }),
  listPlaytestHighlights: async (world) => ({ as: world.owner, ids: { id: (await momentIn(world)).playtestId } }),
  listGameHighlights: async (world) => ({ as: world.owner, ids: { id: (await momentIn(world)).gameId } }),
  createFinding: ({ owner, gameId }) => ({
    as: owner,
    ids: { id: gameId },
    body: { title: `${secretWord} finding`, tags: ["door"] },
  }),
  listFindings: async (world) => ({ as: world.owner, ids: { id: (await findingIn(world)).gameId } }),
  getFinding: async (world) => ({ as: world.owner, ids: { id: (await findingIn(world)).id } }),
  updateFinding: async (world) => ({ as: world.owner, ids: { id: (await findingIn(world)).id }, body: { status: "fixed" } }),
  deleteFinding: async (world) => ({ as: world.owner, ids: { id: (await findingIn(world)).id } }),
  addEvidence: async (world) => ({
    as: world.owner,
    ids: { id: (await findingIn(world)).id },
    body: { momentId: (await momentIn(world)).id },
  }),
  removeEvidence: async (world) => {
    const { id, evidence } = await seenIn(world);
    return { as: world.owner, ids: { id, evidenceId: evidence[0]!.id } };
  },
  mergeFinding: async (world) => ({
    as: world.owner,
    ids: { id: (await findingIn(world)).id },
    body: { findingId: (await findingIn(world)).id },
  }),
  splitFinding: async (world) => {
    const { id, evidence } = await seenIn(world);
    return { as: world.owner, ids: { id }, body: { evidenceIds: [evidence[0]!.id], title: `${secretWord} part` } };
  },
  listTrackers: byOwner(),
  connectTracker: async ({ owner, server }) => ({ as: owner, body: await trackerOf(server, "github") }),
  // Another one than findings are filed in.
  disconnectTracker: async (world) => {
    await connectedTo(world, "gitlab");
    return { as: world.owner, body: { tracker: "gitlab" } };
  },
  fileFinding: async (world) => {
    await connectedTo(world, "github");
    return { as: world.owner, ids: { id: (await findingIn(world)).id }, body: { tracker: "github", target: "acme/lantern" } };
  },
  syncFindings: async (world) => ({ as: world.owner, ids: { id: (await findingIn(world)).gameId } }),
  undoFinding: async (world) => {
    const [{ id }, other] = [await findingIn(world), await findingIn(world)];
    await world.owner.post(`/findings/${id}/merge`, { findingId: other.id });
    return { as: world.owner, ids: { id } };
  },
  createClip: async ({ owner, submitted }) => ({
    as: owner,
    ids: { id: await submitted() },
    body: { atMs: 0, endMs: 1000, name: secretWord },
  }),
  createReel: async ({ owner, submitted, gameId }) => ({
    as: owner,
    ids: { id: gameId },
    body: { name: secretWord, parts: [{ slotId: await submitted(), atMs: 0, endMs: 1000 }] },
  }),
  listClips: async (world) => ({ as: world.owner, ids: { id: (await clipIn(world)).slotId } }),
  getClip: async (world) => ({ as: world.owner, ids: { id: (await clipIn(world)).id } }),
  deleteClip: async (world) => ({ as: world.owner, ids: { id: (await clipIn(world)).id } }),
  createSlotShare: async ({ owner, submitted }) => ({
    as: owner,
    ids: { id: await submitted() },
    body: { password: `the gate of ${secretWord}` },
  }),
  createClipShare: async (world) => {
    const { id } = await clipIn(world);
    await world.server.advance(0);
    return { as: world.owner, ids: { id }, body: { password: `the gate of ${secretWord}` } };
  },
  createPlaytestShare: async (world) => ({ as: world.owner, ids: { id: (await sharedIn(world)).playtestId }, body: {} }),
  listShares: async (world) => {
    await sharedIn(world);
    return { as: world.owner };
  },
  deleteShare: async (world) => ({ as: world.owner, ids: { id: (await sharedIn(world)).id } }),
  search: async (world) => {
    await momentIn(world);
    await world.server.advance(0);
    return { as: world.owner, query: { q: secretWord } };
  },
  deleteSlotTranscript: async (world) => ({ as: world.owner, ids: { id: await transcribed(world) } }),
  listSubmissions: byOwner(),
  listApplications: async ({ owner, application }) => ({ as: owner, ids: { id: (await application()).playtestId } }),
  approveApplication: onApplication,
  rejectApplication: onApplication,
  listOrderApprovals: byOwner(),
  getOrderApproval: waiting,
  approveOrder: waiting,
  declineOrder: waiting,
  listBudgets: byOwner(),
  setBudget: async ({ bystander }) => ({ as: await bystander("game_owner"), body: { period: "month", limitCents: 20_000 } }),
  removeBudget: budgeted,
  getBalance: byOwner(),
  listPayments: byOwner(),
  getPayment: async ({ owner, payment }) => ({ as: owner, ids: { id: await payment() } }),
  getInvoice: async ({ owner, payment }) => ({ as: owner, ids: { id: await payment("paid") } }),
  listInvoices: byOwner(),
  getInvoiceFile: async ({ owner, payment }) => ({ as: owner, ids: { id: await payment("paid") } }),
  getBillingDetails: byOwner(),
  updateBillingDetails: byOwner({
    body: { name: "Lantern GmbH", address: "Kai 1\n20457 Hamburg", country: "DE", taxNumber: "DE 1" },
  }),
  buyCredit: byOwner({ body: { amountCents: 2000 } }),
  buyCreditWithCrypto: async ({ server, owner }) => {
    const wallet = await openWallet(server, owner);
    const txHash = await wallet.send(await wallet.ask());
    return { as: owner, headers: { "x-payment": JSON.stringify({ txHash, chain: "base", currency: "USDC" }) } };
  },
  getProofMessage: async ({ server, bystander }) => {
    const { owner, id, query } = await lateDeposit(server, await bystander("game_owner"));
    return { as: owner, ids: { id }, query };
  },
  proveDeposit: async ({ server, bystander }) => {
    const { owner, id, query, signature } = await lateDeposit(server, await bystander("game_owner"));
    return { as: owner, ids: { id }, body: { ...query, signature } };
  },
  listPlans: byOwner(),
  getSubscription: byOwner(),
  checkoutSubscription: byOwner({ body: { planKey: "indie_monthly" } }),
  cancelSubscription: async (world) => ({ as: (await subscribed(world)).owner }),
  resumeSubscription: async (world) => {
    const { owner } = await subscribed(world);
    await owner.post("/billing/subscription/cancel");
    return { as: owner };
  },
  getPlaytestHours: byOwner(),
  listPlaytestHoursHistory: byOwner(),
  listContacts: byOwner(),
  listMessages: onConversation(),
  sendMessage: onConversation({ content: secretWord }),
  getUnreadCount: byOwner(),
  openConversation: ({ owner, playtester }) => ({ as: owner, body: { contactId: playtester.id } }),
  blockConversation: onConversation(),
  unblockConversation: onConversation(),
  listCategories: byOwner({ shared: true }),
  listDevices: byOwner({ shared: true }),
  listPlatforms: byOwner({ shared: true }),
  getServerInfo: byNobody(),
  getOpenapi: byNobody(),
  listWebhooks: byOwner(),
  createWebhook: byOwner({ body: { url: "http://127.0.0.1:9/", events: ["test.ping"] } }),
  updateWebhook: onWebhook({ events: ["test.ping", "slot.accepted"] }),
  deleteWebhook: async ({ owner }) => ({ as: owner, ids: { id: await addWebhook(owner) } }),
  listDeliveries: onWebhook(),
  redeliver: onWebhook(),
  redeliverSince: onWebhook({ since: "2026-01-01T00:00:00.000Z" }),
  testWebhook: onWebhook(),
  enableWebhook: onWebhook(),
  rotateWebhookSecret: onWebhook(),
  listEvents: byOwner(),
  getInbox: byOwner(),
  listNotifications: byOwner(),
  markAllRead: byOwner(),
  listNotificationSettings: byOwner(),
  updateNotificationSettings: byOwner({ body: { kinds: ["slot.submitted"], mail: "digest" } }),
  listOffers: ({ playtester }) => ({ as: playtester, shared: true }),
  getOffer: async ({ playtester, order, bystander }) => ({
    as: playtester,
    ids: { id: await order() },
    ownIds: { id: await trialOf(await bystander("game_owner")) },
  }),
  claimPlaytest: async ({ playtester, order, bystander }) => ({
    as: playtester,
    ids: { id: await order() },
    ownIds: { id: await trialOf(await bystander("game_owner")) },
  }),
  applyToPlaytest: async ({ playtester, order, bystander }) => ({
    as: playtester,
    ids: { id: await order({ selectionMode: "manual" }) },
    ownIds: { id: await trialOf(await bystander("game_owner")) },
  }),
  listOwnApplications: byPlaytester,
  withdrawApplication: async ({ playtester, application }) => ({ as: playtester, ids: { id: (await application()).id } }),
  listHeldSlots: byPlaytester,
  getHeldSlot: onHeldSlot(),
  createVideoUpload: onHeldSlot(undefined, video),
  submitSlot: async ({ server, playtester, claimed }) => {
    const id = await claimed();
    await factories.giveVideo(server, id, playtester);
    return { as: playtester, ids: { id }, body: { notes: secretWord } };
  },
  releaseSlot: onHeldSlot(),
  rescheduleSlot: async (world) => ({ as: world.playtester, ids: { id: await moved(world) }, body: { accept: true } }),
  reportSlot: onHeldSlot({ reasonCode: "crash" }),
  listFriends: byPlaytester,
  requestFriend: async (world) => {
    const [asking, asked] = [await withHandle(world), await withHandle(world)];
    return { as: asking.person, body: { handle: asked.handle } };
  },
  acceptFriend: requested,
  removeFriend: requested,
  blockPlaytester: async (world) => ({ as: world.playtester, body: { handle: (await withHandle(world)).handle } }),
  getPlaytesterProfile: byPlaytester,
  updatePlaytesterProfile: ({ playtester }) => ({ as: playtester, body: { available: false } }),
  confirmTeam: async (world) => {
    const { member, ids } = await asked(world);
    return { as: member.person, ids, body: { shareCents: 1000 } };
  },
  declineTeam: async (world) => {
    const { member, ids } = await asked(world);
    return { as: member.person, ids };
  },
  leaveTeam: async (world) => {
    const { member, ids } = await asked(world);
    await confirm(member.person, ids.id);
    return { as: member.person, ids };
  },
  replaceTeamMember: async (world) => {
    const { claimant, free, ids } = await asked(world);
    return { as: claimant, ids, body: { with: free.handle } };
  },
  setTeamShares: async (world) => {
    const { claimant, member, ids } = await asked(world);
    return { as: claimant, ids, body: { shares: [{ handle: member.handle, shareCents: 500 }] } };
  },
  getEarnings: byPlaytester,
  getPayoutDetails: byPlaytester,
  getStatementFile: ({ playtester }) => ({ as: playtester, query: { year: "2026" } }),
  getStatement: ({ playtester }) => ({ as: playtester, query: { month: "2026-03" } }),
  setPayoutDetails: ({ playtester }) => ({
    as: playtester,
    body: { method: "paypal", email: "pay@example.com", password: "correct horse" },
  }),
  // By a playtester of their own: a batch pays the other one.
  removePayoutDetails: async ({ bystander }) => {
    const [person, proof] = [await bystander("playtester"), { password: "correct horse" }];
    await person.post("/playtester/payout-details", { method: "paypal", email: "pay@example.com", ...proof });
    return { as: person, body: proof };
  },
  listAdmins: byAdmin(),
  createAdmin: byAdmin({ body: { name: secretWord, scopes: ["money"] } }),
  revokeAdmin: async ({ admin }) => {
    const reply = await admin.post("/admin/admins", { name: secretWord, scopes: ["money"] });
    return { as: admin, ids: { id: reply.body.data.admin.id } };
  },
  listAudit: byAdmin(),
  listApprovals: byAdmin(),
  listProblems: byAdmin(),
  approvePlaytest: onTrial,
  rejectPlaytest: onTrial,
  approveVideo: onPublicVideo,
  rejectVideo: onPublicVideo,
  listUsers: byAdmin(),
  verifyUser: onAccount("game_owner"),
  suspendUser: onAccount("playtester"),
  unsuspendUser: onAccount("playtester"),
  resetFactor: async ({ server, admin, bystander }) => {
    const owner = await bystander("game_owner");
    await setUpFactor(server, owner, "correct horse");
    return { as: admin, ids: { id: owner.id } };
  },
  deleteUser: onAccount("playtester"),
  getGameAgreement: onGame(),
  putGameAgreement: async ({ owner }) => ({
    as: owner,
    ids: { id: await factories.createGame(owner) },
    body: { text: secretWord },
  }),
  deleteGameAgreement: async (world) => ({ as: world.owner, ids: { id: (await withAgreement(world)).gameId } }),
  listGameConsents: onGame(),
  getPlaytestAgreement: async ({ playtester, order, bystander }) => ({
    as: playtester,
    ids: { id: await order() },
    ownIds: { id: await trialOf(await bystander("game_owner")) },
  }),
  acceptAgreement: async (world) => {
    const { gameId, version } = await withAgreement(world);
    return {
      as: world.playtester,
      ids: { id: await factories.order(world.owner, gameId) },
      ownIds: { id: await trialOf(await world.bystander("game_owner")) },
      body: { version },
    };
  },
  getServerAgreement: byAdmin(),
  putServerAgreement: byAdmin({ body: { text: secretWord } }),
  deleteServerAgreement: byAdmin(),
  listConsents: byAdmin(),
  listPanels: byOwner({ shared: true }),
  listGroups: byAdmin(),
  createGroup: byAdmin({ body: { name: "created" } }),
  deleteGroup: async (world) => ({ as: world.admin, ids: { id: await newGroup(world) } }),
  listGroupMembers: async (world) => ({ as: world.admin, ids: { id: await newGroup(world) } }),
  addGroupMembers: async (world) => ({
    as: world.admin,
    ids: { id: await newGroup(world) },
    body: { emails: ["nobody@example.com"] },
  }),
  removeGroupMembers: async (world) => ({
    as: world.admin,
    ids: { id: await newGroup(world) },
    body: { emails: ["nobody@example.com"] },
  }),
  suspendGame: onBystandersGame,
  unsuspendGame: onBystandersGame,
  grantCredit: onAccount("game_owner", { amountCents: 100, note: "sorry" }),
  grantHours: onAccount("game_owner", { minutes: 60, note: "sorry" }),
  // By an owner of their own: a disputed payment refuses their orders.
  chargebackPayment: async ({ admin, server, payment }) => ({
    as: admin,
    ids: { id: await payment("paid", await factories.registerOwner(server)) },
  }),
  listAllPlaytests: byAdmin(),
  getAnyPlaytest: async ({ admin, order }) => ({ as: admin, ids: { id: await order() } }),
  listDisputes: byAdmin(),
  liftDispute: async ({ admin, server, payment }) => {
    const id = await payment("paid", await factories.registerOwner(server));
    await admin.post(`/admin/payments/${id}/chargeback`);
    return { as: admin, ids: { id }, body: { note: "settled" } };
  },
  listInvitations: byAdmin(),
  invite: byAdmin({ body: { invitations: [{ email: `${secretWord}@example.com` }] } }),
  revokeInvitation: async ({ admin }) => {
    const body = { invitations: [{ email: `revoked-${secretWord}@example.com` }], again: true };
    const reply = await admin.post("/admin/invitations", body);
    return { as: admin, ids: { id: reply.body.data.results[0].invitation.id } };
  },
  listMails: byAdmin(),
  retryMail: async ({ admin, server }) => {
    server.refusals.set(`refused-${secretWord}@example.com`, new MailRefused("550 5.1.1 No such mailbox"));
    await admin.post("/admin/invitations", { invitations: [{ email: `refused-${secretWord}@example.com` }], again: true });
    await server.advance(0);
    const { mails } = (await admin.get("/admin/mails?state=failed")).body.data;
    return { as: admin, ids: { id: mails[0].id } };
  },
  listFlaggedPayments: byAdmin(),
  clearPaymentFlag: async ({ admin, server, payment }) => {
    const id = await payment("paid", await factories.registerOwner(server));
    await flagPayment(server, id);
    return { as: admin, ids: { id }, body: { note: "looked at" } };
  },
  listFailedJobs: byAdmin(),
  retryJob: async ({ admin, server }) => ({ as: admin, ids: { id: await failedJob(server) } }),
  listSuspense: byAdmin(),
  resolveSuspense: onDeposit(({ id }) => ({ userId: id, note: "matched" })),
  refundSuspense: onDeposit(() => ({ note: "sent back" })),
  createCategory: byAdmin({ body: { name: "Genre", slug: "genre" } }),
  listOwed: byAdmin(),
  listPayouts: byAdmin(),
  createPayout: ({ admin, playtester }) => ({ as: admin, body: { userId: playtester.id, amountCents: 100 } }),
  completePayout: async ({ admin, payoutBatch }) => ({ as: admin, ids: { id: (await payoutBatch()).payoutId } }),
  listPayoutBatches: byAdmin(),
  listPayoutTotals: byAdmin({ query: { year: "2026" } }),
  getPayoutBatch: async ({ admin, payoutBatch }) => ({ as: admin, ids: { id: (await payoutBatch()).batchId } }),
  createPayoutBatch: async ({ admin, playtester }) => {
    const details = { method: "paypal", email: "pay@example.com", password: "correct horse" };
    await playtester.post("/playtester/payout-details", details);
    return { as: admin, body: { minCents: 100 } };
  },
  readPayoutInstructions: async ({ admin, payoutBatch }) => ({
    as: admin,
    ids: { id: (await payoutBatch()).batchId },
    body: { method: "paypal" },
  }),
  settlePayoutBatch: async ({ admin, payoutBatch }) => {
    const { batchId, payoutId } = await payoutBatch();
    return { as: admin, ids: { id: batchId }, body: { rows: [{ reference: payoutId, status: "paid" }] } };
  },
  failPayout: async ({ admin, payoutId }) => ({ as: admin, ids: { id: await payoutId() } }),
  getStats: byAdmin(),
  getClock: byNobody(),
  advanceClock: byNobody(() => ({ body: { seconds: 0 } })),
  completePayment: byNobody(async ({ payment }) => ({ ids: { id: await payment() }, body: { outcome: "paid" } })),
  completeSubscription: byNobody(async (world) => ({
    ids: { id: (await subscribed(world, false)).subscriptionId },
    body: { outcome: "paid" },
  })),
  setRenewals: byNobody(async (world) => ({
    ids: { id: (await subscribed(world)).subscriptionId },
    body: { outcome: "failed" },
  })),
  createTransaction: byNobody(() => ({ body: { chain: "base", currency: "USDC", to: `0x${"1".repeat(40)}`, amount: "5" } })),
  listOutbox: byNobody(),
  createTesters: byNobody(() => ({ body: { count: 1 } })),
  playSlot: byNobody(async ({ server, owner, playtester, gameId }) => ({
    ids: { id: await slotIn.open!(server, owner, playtester, gameId) },
  })),
  emitEvent: byOwner({ body: { event: "slot.submitted" } }),
} satisfies Record<Operation, Row>;

/** A deposit of another amount than its payment asked for, and what its sender signs to have it credited. */
async function lateDeposit(server: TestServer, owner: factories.Person) {
  const sender = evmWallet();
  const wallet = await openWallet(server, owner);
  const asked = await wallet.ask();
  const txHash = await wallet.send(asked, { by: -1_000_000, from: sender.address });
  await wallet.prove(txHash);
  const id: string = (await owner.get("/billing/payments")).body.data.payments[0].id;
  const query = { txHash, chain: "base" };
  const { message } = (await owner.get(`/billing/payments/${id}/proof?${new URLSearchParams(query)}`)).body.data.proof;
  return { owner, id, query, signature: sender.sign(message) };
}

/** A job that failed for good. */
export async function failedJob({ deps }: TestServer): Promise<string> {
  const slotId = deps.newId();
  await deps.store.write(async (tx) => {
    await deps.jobs.schedule(tx, { kind: "transcribe", key: slotId, payload: { slotId }, runAt: deps.clock.now() + 365 * days });
    await tx.run(
      "UPDATE jobs SET state = 'dead', attempts = 25, last_error = 'Error: gone' WHERE unique_key = ?",
      `transcribe:${slotId}`,
    );
  });
  return (await deps.store.read((q) =>
    q.one<{ id: string }>("SELECT id FROM jobs WHERE unique_key = ?", `transcribe:${slotId}`),
  ))!.id;
}

/** A slot at a fixed time, for which its owner proposes another. */
async function moved({ server, owner, playtester, order }: RightfulWorld): Promise<string> {
  const [at, another] = [2, 3].map((count) => new Date(server.clock.now() + count * days).toISOString());
  const id = await order({ scheduledAt: at });
  const { slot } = await playtester.claimPlaytest({ params: { id }, body: { scheduledAt: at! } });
  await owner.updatePlaytest({ params: { id }, body: { scheduledAt: another! } });
  return slot.id;
}

async function momentIn({ owner, submitted }: RightfulWorld) {
  const body = { atMs: 2000, text: `${secretWord} moment` };
  const reply = await owner.post(`/slots/${await submitted()}/moments`, body);
  return reply.body.data.moment as { id: string; slotId: string; playtestId: string; gameId: string };
}

/** A slot whose video is measured. */
async function measured({ server, submitted }: RightfulWorld): Promise<string> {
  const slotId = await submitted();
  // The server's own measurement would replace this one.
  await server.advance(0);
  const now = server.deps.clock.now();
  const series = { loudness: "[-20]", motion: "[0]", luma: "[100]", picture_percent: 100, sound_percent: 100 };
  const found = { error: null, ...series, created_at: now, updated_at: now };
  await server.deps.store.write(async (tx) => {
    const { blob_key } = (await slots.submissionOf(tx, slotId))!;
    await signals.replace(tx, { slot_id: slotId, blob_key, status: "ready", ...found });
  });
  return slotId;
}

interface Found {
  id: string;
  gameId: string;
  evidence: { id: string }[];
}

const findingIn = async ({ owner, gameId }: RightfulWorld): Promise<Found> =>
  (await owner.post(`/games/${gameId}/findings`, { title: `${secretWord} finding` })).body.data.finding;

const trackerOf = async (server: TestServer, tracker: "github" | "gitlab") => {
  const { url } = await startTrackers(server.clock.now);
  return { tracker, token: "token", site: url };
};

const connectedTo = async ({ owner, server }: RightfulWorld, tracker: "github" | "gitlab") =>
  owner.post("/trackers/connect", await trackerOf(server, tracker));

/** A finding with evidence. */
async function seenIn(world: RightfulWorld): Promise<Found> {
  const [{ id }, moment] = [await findingIn(world), await momentIn(world)];
  return (await world.owner.post(`/findings/${id}/evidence`, { momentId: moment.id })).body.data.finding;
}

async function clipIn({ owner, submitted }: RightfulWorld) {
  const reply = await owner.post(`/slots/${await submitted()}/clips`, { atMs: 0, endMs: 1000, name: secretWord });
  return reply.body.data.clip as { id: string; slotId: string };
}

async function pictured(world: RightfulWorld): Promise<string> {
  const { id } = await momentIn(world);
  await world.server.request("PUT", `/moments/${id}/still`, { key: world.owner.key });
  return id;
}

async function sharedIn({ owner, submitted }: RightfulWorld) {
  const reply = await owner.post(`/slots/${await submitted()}/shares`, {});
  return reply.body.data.share as { id: string; playtestId: string };
}

/** A slot with a transcript, as the transcriber leaves it. */
async function transcribed({ server, submitted }: RightfulWorld): Promise<string> {
  const slotId = await submitted();
  const { newId, clock, store } = server.deps;
  const [created_at, updated_at] = [clock.now(), clock.now()];
  const row = { id: newId(), slot_id: slotId, edited_key: null, key_takeaways: "[]", error: null, created_at, updated_at };
  const original_key = `transcripts/${slotId}`;
  await store.write((tx) => transcripts.insert(tx, { ...row, status: "approved", selected_version: "original", original_key }));
  return slotId;
}

/** A build that this server stores. */
async function storedBuild(server: TestServer, owner: factories.Person, gameId: string): Promise<Record<string, string>> {
  const bytes = Buffer.from(secretWord);
  const metadata = metadataHeader({ filename: "b.zip", filetype: "application/zip", sha256: sha256(bytes) });
  const headers = { ...octets, "upload-length": String(bytes.length), "upload-metadata": metadata };
  const { status } = await raw(server, owner, "POST", `/games/${gameId}/builds`, headers, bytes);
  if (status !== 201) throw new Error(`could not upload a build: ${status}`);
  const { builds } = (await owner.get(`/games/${gameId}/builds`)).body.data;
  return { id: gameId, buildId: builds[0].id };
}

async function publishedVideo(world: RightfulWorld): Promise<string> {
  const { as, ids } = await onPublicVideo(world);
  await as.post(`/admin/slots/${ids!.id}/approve`);
  return ids!.id!;
}
