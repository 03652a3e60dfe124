import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { commandFacts, type Fact, type Scene } from "../helpers/command-facts.ts";
import { openWallet } from "../helpers/crypto.ts";
import { claim, giveMinutes, type Person, play, registerOwner, registerPlaytester } from "../helpers/factories.ts";

const [minute, day] = [60_000, 86_400_000];
const password = "correct horse";

const balance = async ({ owner }: Scene) => (await owner.get("/billing/balance")).body.data.balanceCents;
const minutesOf = async ({ owner }: Scene) => (await owner.get("/billing/balance")).body.data.playtestMinutes;
const earned = async ({ ann }: Scene) => (await ann.get("/playtester/earnings")).body.data.balanceCents;
const slot = async ({ owner }: Scene, id: string) => (await owner.get(`/slots/${id}`)).body.data.slot;
const slotsOf = async ({ owner }: Scene, playtestId: string): Promise<{ id: string; status: string }[]> =>
  (await owner.get(`/playtests/${playtestId}/slots`)).body.data.slots;
const onlyPlaytest = async ({ owner, gameId }: Scene) => (await owner.get(`/games/${gameId}/playtests`)).body.data.playtests[0];
const submitted = async ({ server, ann, order }: Scene, body = {}) => play(server, ann, await order(body));

/** Earnings of one accepted slot, with somewhere to send them. */
async function earner(scene: Scene, person: Person = scene.ann): Promise<void> {
  const id = await play(scene.server, person, await scene.order());
  await scene.owner.post(`/slots/${id}/accept`);
  await person.post("/playtester/payout-details", { method: "paypal", email: "pay@example.com", password });
}

/** What is published stays unpublished until this is called. */
function holdPublishing({ server }: Scene): () => void {
  let publish = () => {};
  const out = new Promise<void>((resolve) => {
    publish = resolve;
  });
  const { publishers } = server.deps;
  const own = publishers.own!;
  publishers.own = { ...own, start: (video) => out.then(() => own.start(video)) };
  return () => {
    publishers.own = own;
    publish();
  };
}

let publish: () => void;
async function publicSubmission(scene: Scene, person = scene.ann): Promise<string> {
  const { pricing } = scene.server.deps.config;
  const { publicPayoutCents } = pricing;
  pricing.publicPayoutCents = 300;
  const id = await scene.order({ visibility: "public" });
  pricing.publicPayoutCents = publicPayoutCents;
  publish = holdPublishing(scene);
  return play(scene.server, person, id);
}

/** Credit that was bought with a card, and its payment. */
async function bought({ owner, server }: Scene, person = owner): Promise<string> {
  const { paymentId } = (await person.post("/billing/credit", { amountCents: 2000 })).body.data;
  await server.request("POST", `/sandbox/payments/${paymentId}/complete`, { body: { outcome: "paid" } });
  return paymentId;
}

/** A playtest of two slots so many hours before its fixed time, one of them claimed. */
async function session({ server, order, ann }: Scene, hours: number) {
  const scheduledAt = new Date(server.clock.now() + 48 * 3_600_000).toISOString();
  const id = await order({ quantity: 2, scheduledAt });
  const { slot } = await ann.claimPlaytest({ params: { id }, body: { scheduledAt } });
  await server.advance((48 - hours) * 3_600_000);
  return { id, slotId: slot.id };
}

const orders: Fact[] = [
  {
    says: "Its open slots are cancelled, and what was paid for them is refunded. Claimed slots continue, unless their fixed time is still ahead:",
    asks: true,
    async line(scene) {
      const id = await scene.order({ quantity: 3 });
      await claim(scene.ann, id);
      return `playtests cancel ${id}`;
    },
    async holds(scene) {
      expect(await balance(scene)).toBe(50_000 - 2_000);
      const slots = await slotsOf(scene, (await onlyPlaytest(scene)).id);
      expect(slots.map(({ status }) => status).sort()).toEqual(["cancelled", "cancelled", "reserved"]);
    },
  },
  {
    says: "Claimed slots continue, unless their fixed time is still ahead: those are cancelled too, and in the last 12 hours before it their playtesters are paid.",
    asks: true,
    line: async (scene) => `playtests cancel ${(await session(scene, 11)).id}`,
    async holds(scene) {
      expect([await balance(scene), await earned(scene)]).toEqual([50_000 - 2_000, 1_000]);
      const slots = await slotsOf(scene, (await onlyPlaytest(scene)).id);
      expect(slots.map(({ status }) => status)).toEqual(["cancelled", "cancelled"]);
    },
  },
  {
    says: "What was paid for them is refunded, but in the last 12 hours before that time it pays the playtester.",
    asks: true,
    line: async (scene) => `playtests cancel-slot ${(await session(scene, 11)).slotId}`,
    holds: async (scene) => expect([await balance(scene), await earned(scene)]).toEqual([50_000 - 2 * 2_000, 1_000]),
  },
  {
    says: "Cancel 1 slot? Only unclaimed slots can be cancelled, and claimed ones before a fixed time.",
    asks: true,
    line: async (scene) => `playtests cancel-slot ${(await session(scene, 13)).slotId}`,
    holds: async (scene) => expect([await balance(scene), await earned(scene)]).toEqual([50_000 - 2_000, 0]),
  },
  {
    says: "Cancel 1 slot? Only unclaimed slots can be cancelled, and claimed ones before a fixed time. What was paid for them is refunded,",
    asks: true,
    line: async (scene) => `playtests cancel-slot ${(await slotsOf(scene, await scene.order()))[0]!.id}`,
    holds: async (scene) => expect(await balance(scene)).toBe(50_000),
  },
  {
    says: /^Cancelled slot [0-9a-f]{8} and refunded \$20\.00\. $/,
    line: async (scene) => `playtests cancel-slot ${(await slotsOf(scene, await scene.order()))[0]!.id} --yes`,
    holds: async (scene) => expect(await balance(scene)).toBe(50_000),
  },
  {
    says: /^Cancelled slot [0-9a-f]{8} and refunded 60 playtest minutes\. $/,
    async line(scene) {
      await giveMinutes(scene.server, scene.owner, 60);
      return `playtests cancel-slot ${(await slotsOf(scene, await scene.order()))[0]!.id} --yes`;
    },
    holds: async (scene) => expect([await balance(scene), await minutesOf(scene)]).toEqual([50_000, 60]),
  },
  {
    says: /^Cancelled slot [0-9a-f]{8}\. $/,
    line: async (scene) =>
      `playtests cancel-slot ${(await slotsOf(scene, await scene.order({ visibility: "public" })))[0]!.id} --yes`,
    holds: async (scene) => expect(await balance(scene)).toBe(50_000),
  },
  {
    says: "What was paid for it is refunded, and its playtester is not paid.",
    asks: true,
    async line(scene) {
      const id = await claim(scene.ann, await scene.order());
      await scene.ann.post(`/playtester/slots/${id}/report`, { reasonCode: "crash" });
      return `review cancel ${id}`;
    },
    holds: async (scene) => expect([await balance(scene), await earned(scene)]).toEqual([50_000, 0]),
  },
  {
    says: "This order was already placed. Nothing was charged. It is shown as it was then.",
    async line({ run, gameId }) {
      await run(`order ${gameId} --yes --idempotency-key once`);
      return `order ${gameId} --yes --idempotency-key once`;
    },
    holds: async (scene) => expect(await balance(scene)).toBe(48_000),
  },
  {
    says: /is not paid yet\. Playtesters cannot see it until it is\./,
    code: 7,
    line: ({ gameId }) => `order ${gameId} --yes --pay card`,
    async holds(scene) {
      const offered = (await scene.ann.get("/playtester/playtests?limit=100")).body.data.playtests;
      expect(offered.map(({ id }: { id: string }) => id)).not.toContain((await onlyPlaytest(scene)).id);
    },
  },
  {
    says: "An order that stays unpaid expires.",
    code: 7,
    line: ({ gameId }) => `order ${gameId} --yes --pay card`,
    async holds(scene) {
      await scene.server.advance(scene.server.deps.config.orders.payWithinMs);
      expect((await onlyPlaytest(scene)).status).toBe("cancelled");
    },
  },
  {
    says: "free trial, waiting for admin approval",
    line: ({ gameId }) => `order ${gameId} --yes --is-free-public-trial`,
    async holds(scene) {
      expect(await balance(scene)).toBe(50_000);
      const { approvals } = (await scene.admin.get("/admin/approvals")).body.data;
      const ids = approvals.map(({ playtestId }: { playtestId: string }) => playtestId);
      expect(ids).toContain((await onlyPlaytest(scene)).id);
    },
  },
  {
    says: /^Pushed to .+\. .+ Ordered \S+ for \$20\.00: active\. $/,
    line({ gameId, cwd }) {
      writeFileSync(join(cwd, "order.json"), "{}");
      return `games push https://example.com/other.zip ${gameId} --order order.json --yes`;
    },
    async holds(scene) {
      expect([await balance(scene), (await onlyPlaytest(scene)).status]).toEqual([48_000, "active"]);
      expect((await scene.owner.get(`/games/${scene.gameId}`)).body.data.game.buildUrl).toBe("https://example.com/other.zip");
    },
  },
  {
    says: /^Pushed to .+\. .+ Already ordered \S+ for \$20\.00: active\. This order was already placed\. Nothing was charged\. It is shown as it was then\. $/,
    async line({ gameId, cwd, run }) {
      writeFileSync(join(cwd, "order.json"), "{}");
      const line = `games push https://example.com/other.zip ${gameId} --order order.json --yes --idempotency-key once`;
      await run(line);
      return line;
    },
    holds: async (scene) => expect([await balance(scene), (await onlyPlaytest(scene)).status]).toEqual([48_000, "active"]),
  },
];

const asked: Fact[] = [
  {
    says: "Push the build and order 2 slots of 60 min for $40.00? Balance: $500.00.",
    asks: true,
    line({ gameId, cwd }) {
      writeFileSync(join(cwd, "order.json"), '{"quantity":2}');
      return `games push https://example.com/other.zip ${gameId} --order order.json`;
    },
    async holds(scene) {
      expect([await balance(scene), (await slotsOf(scene, (await onlyPlaytest(scene)).id)).length]).toEqual([46_000, 2]);
      expect((await scene.owner.get(`/games/${scene.gameId}`)).body.data.game.buildUrl).toBe("https://example.com/other.zip");
    },
  },
  {
    says: /Pay for playtest \S+ with credit for \$20\.00/,
    asks: true,
    async line(scene) {
      await scene.run(`order ${scene.gameId} --yes --pay card --allow-pending`);
      expect(await balance(scene)).toBe(50_000);
      return `playtests pay ${(await onlyPlaytest(scene)).id} --method credit`;
    },
    holds: async (scene) => expect([await balance(scene), (await onlyPlaytest(scene)).status]).toEqual([48_000, "active"]),
  },
  {
    says: "Reject 2 submissions and allow a retry?",
    asks: true,
    async line(scene) {
      const bo = await registerPlaytester(scene.server, "Bo");
      const second = await play(scene.server, bo, await scene.order());
      return `review reject ${await submitted(scene)} ${second} --reason Mute --retry`;
    },
    async holds(scene) {
      const [retry] = (await scene.ann.get("/playtester/slots")).body.data.slots;
      expect([retry.status, await balance(scene)]).toEqual(["reserved", 46_000]);
    },
  },
  {
    says: "Reject 2 submissions without a retry?",
    asks: true,
    async line(scene) {
      const bo = await registerPlaytester(scene.server, "Bo");
      const second = await play(scene.server, bo, await scene.order());
      return `review reject ${await submitted(scene)} ${second} --reason Mute`;
    },
    async holds(scene) {
      const { slots } = (await scene.ann.get("/playtester/slots")).body.data;
      expect(slots.map(({ status }: { status: string }) => status)).toEqual(["rejected"]);
    },
  },
  ...["approve --top 1", "reject --rest"].map(
    (how): Fact => ({
      says: "No applications are pending.",
      async line(scene) {
        const id = await scene.order({ selectionMode: "manual", quantity: 2 });
        const { application } = (await scene.ann.post(`/playtester/playtests/${id}/applications`)).body.data;
        await scene.run(`applications approve ${application.id}`);
        return `applications ${how} --playtest ${id} --yes`;
      },
      async holds(scene) {
        const { id } = await onlyPlaytest(scene);
        const { applications } = (await scene.owner.get(`/playtests/${id}/applications`)).body.data;
        expect(applications.map(({ status }: { status: string }) => status)).toEqual(["approved"]);
      },
    }),
  ),
  {
    says: "pay $520.00 with credit, $20.00 more than you have",
    line: () => "billing forecast --quantity 26",
    async holds(scene) {
      const order = async (quantity: number) =>
        (await scene.owner.post(`/games/${scene.gameId}/playtests`, { quantity }, { "x-payment-method": "credit" })).status;
      expect([await order(26), await balance(scene)]).toEqual([402, 50_000]);
      expect([await order(25), await balance(scene)]).toEqual([201, 0]);
    },
  },
];

const reviews: Fact[] = [
  {
    says: /^Accepted [0-9a-f]{8}\. Ann will be paid \$3\.00 when the video is published\. $/,
    line: async (scene) => `review accept ${await publicSubmission(scene)}`,
    async holds(scene) {
      expect(await earned(scene)).toBe(0);
      publish();
      await scene.server.advance(0);
      expect(await earned(scene)).toBe(300);
    },
  },
  {
    says: "2 submissions accepted, $10.00 paid out, $3.00 to be paid when the videos are published.",
    async line(scene) {
      return `review accept ${await submitted(scene)} ${await publicSubmission(scene)} --yes`;
    },
    async holds(scene) {
      expect(await earned(scene)).toBe(1_000);
      publish();
      await scene.server.advance(0);
      expect(await earned(scene)).toBe(1_300);
    },
  },
  {
    says: /^Rejected [0-9a-f]{8}\. The playtester may try again\. $/,
    line: async (scene) => `review reject ${await submitted(scene)} --retry`,
    async holds(scene) {
      const retry = (await scene.ann.get("/playtester/slots")).body.data.slots[0];
      expect(retry.status).toBe("reserved");
      expect([await balance(scene), await earned(scene)]).toEqual([48_000, 0]);
    },
  },
  {
    says: /^Approved Ann: slot [0-9a-f]{8} is reserved, 0 slots left\. $/,
    async line(scene) {
      const id = await scene.order({ selectionMode: "manual" });
      const { application } = (await scene.ann.post(`/playtester/playtests/${id}/applications`)).body.data;
      return `applications approve ${application.id}`;
    },
    async holds(scene, { stdout }) {
      const [held] = (await scene.ann.get("/playtester/slots")).body.data.slots;
      expect([held.status, held.id.slice(-8)]).toEqual(["reserved", /slot (\S+)/.exec(stdout)![1]]);
    },
  },
];

const administration: Fact[] = [
  {
    says: "Approved. It can be offered to playtesters now.",
    by: "admin",
    async line({ order, ann }) {
      const id = await order({ isFreePublicTrial: true });
      expect((await ann.post(`/playtester/playtests/${id}/claim`)).status).not.toBe(201);
      return `admin approvals approve ${id}`;
    },
    holds: async (scene) => void (await claim(scene.ann, (await onlyPlaytest(scene)).id)),
  },
  {
    says: "Approved. It will be published when its owner accepts it.",
    by: "admin",
    async line(scene) {
      const id = await scene.order({ isFreePublicTrial: true });
      await scene.admin.post(`/admin/playtests/${id}/approve`);
      return `admin approvals approve ${await play(scene.server, scene.ann, id)}`;
    },
    async holds(scene) {
      const { id } = (await slotsOf(scene, (await onlyPlaytest(scene)).id))[0]!;
      expect((await slot(scene, id)).publishedUrl).toBeNull();
      await scene.owner.post(`/slots/${id}/accept`);
      await scene.server.advance(0);
      expect((await slot(scene, id)).publishedUrl).toMatch(/^http/);
    },
  },
  {
    says: "Approved. The video is being published.",
    by: "admin",
    async line(scene) {
      const id = await scene.order({ isFreePublicTrial: true });
      await scene.admin.post(`/admin/playtests/${id}/approve`);
      const slotId = await play(scene.server, scene.ann, id);
      await scene.owner.post(`/slots/${slotId}/accept`);
      return `admin approvals approve ${slotId}`;
    },
    async holds(scene) {
      await scene.server.advance(0);
      const { id } = (await slotsOf(scene, (await onlyPlaytest(scene)).id))[0]!;
      expect((await slot(scene, id)).publishedUrl).toMatch(/^http/);
    },
  },
  {
    says: "now has $505.00 credit and 0 playtest minutes.",
    by: "admin",
    line: ({ owner }) => `admin grant ${owner.id} --credit 5 --note goodwill`,
    holds: async (scene) => expect(await balance(scene)).toBe(50_500),
  },
  {
    says: "now has $500.00 credit and 1 playtest minute.",
    by: "admin",
    line: ({ owner }) => `admin grant ${owner.id} --minutes 1 --note goodwill`,
    holds: async (scene) => expect(await minutesOf(scene)).toBe(1),
  },
  {
    says: "The credit or hours it paid for are removed from the account.",
    asks: true,
    by: "admin",
    line: async (scene) => `admin chargeback ${await bought(scene)}`,
    holds: async (scene) => expect(await balance(scene)).toBe(50_000),
  },
  {
    says: "Its earnings can then be paid out.",
    asks: true,
    by: "admin",
    async line(scene) {
      const other = await registerOwner(scene.server);
      const paymentId = await bought(scene, other);
      const { game } = (await other.post("/games", { name: "Other", buildUrl: "https://example.com/x.zip" })).body.data;
      const { playtest } = (await other.post(`/games/${game.id}/playtests`, {})).body.data;
      await other.post(`/slots/${await play(scene.server, scene.ann, playtest.id)}/accept`);
      await scene.admin.post(`/admin/payments/${paymentId}/chargeback`);
      expect((await scene.ann.get("/playtester/earnings")).body.data.disputedCents).toBe(1_000);
      return `admin disputes lift ${paymentId} --note settled`;
    },
    async holds(scene) {
      expect((await scene.ann.get("/playtester/earnings")).body.data.disputedCents).toBe(0);
      const body = { userId: scene.ann.id, amountCents: 1_000 };
      expect((await scene.admin.post("/admin/payouts", body)).status).toBe(201);
    },
  },
  {
    says: /Not paid: \d+ playtesters? with a suspended account\./,
    by: "admin",
    async line(scene) {
      for (const person of [scene.ann, await registerPlaytester(scene.server)]) await earner(scene, person);
      await scene.admin.post(`/admin/users/${scene.ann.id}/suspend`);
      return "admin payouts create --all --yes";
    },
    async holds({ admin, ann }) {
      const { payouts } = (await admin.get(`/admin/payouts?user=${ann.id}`)).body.data;
      expect(payouts.filter(({ userId }: { userId: string }) => userId === ann.id)).toEqual([]);
      const { owed } = (await admin.get("/admin/owed?limit=100")).body.data;
      expect(owed).toContainEqual(expect.objectContaining({ userId: ann.id, balanceCents: 1_000 }));
    },
  },
  {
    says: "It cannot be credited afterwards.",
    asks: true,
    by: "admin",
    async line(scene) {
      const wallet = await openWallet(scene.server, scene.owner);
      await wallet.prove(await wallet.send(await wallet.ask(), { by: -1_000_000 }));
      const { suspense } = (await scene.admin.get("/admin/suspense")).body.data;
      expect(suspense).toHaveLength(1);
      return `admin suspense refund ${suspense[0].id} --note back`;
    },
    async holds(scene) {
      const { suspense } = (await scene.admin.get("/admin/suspense?status=refunded")).body.data;
      const again = await scene.admin.post(`/admin/suspense/${suspense[0].id}/resolve`, { userId: scene.owner.id, note: "x" });
      expect([again.status, await balance(scene)]).toEqual([409, 50_000]);
    },
  },
  ...[1, 2].map(
    (left): Fact => ({
      says:
        left === 1 ? "1 payout of $10.00 of the batch is still pending." : "2 payouts of $20.00 of the batch are still pending.",
      by: "admin",
      async line(scene) {
        for (let number = 0; number <= left; number++) await earner(scene, await registerPlaytester(scene.server));
        const { batch } = (await scene.admin.post("/admin/payout-batches", { method: "paypal" })).body.data;
        const { payouts } = (await scene.admin.get(`/admin/payouts?batch=${batch.id}`)).body.data;
        writeFileSync(join(scene.cwd, "returned.csv"), `reference,status\n${payouts[0].reference},paid\n`);
        return `admin payouts settle ${batch.id} --file returned.csv`;
      },
      async holds({ admin }) {
        const [batch] = (await admin.get("/admin/payout-batches")).body.data.batches;
        const { payouts } = (await admin.get(`/admin/payouts?batch=${batch.id}&status=pending`)).body.data;
        expect(payouts.map(({ amountCents }: { amountCents: number }) => amountCents)).toEqual(Array(left).fill(1_000));
      },
    }),
  ),
];

const payouts: Fact[] = [
  {
    says: /Record a payout to \S+ for \$4\.00\?/,
    asks: true,
    by: "admin",
    async line(scene) {
      await earner(scene);
      return `admin payouts create ${scene.ann.id} --amount 4`;
    },
    holds: async (scene) => expect(await earned(scene)).toBe(600),
  },
  {
    says: /Make \d+ pending payouts?, \$[\d,]+\.00 in total: all that is available to each playtester who can be paid\?/,
    asks: true,
    by: "admin",
    async line(scene) {
      for (const person of [scene.ann, await registerPlaytester(scene.server)]) await earner(scene, person);
      await scene.ann.post("/playtester/payout-details/remove", { password });
      return "admin payouts create --all";
    },
    async holds(scene) {
      const [batch] = (await scene.admin.get("/admin/payout-batches")).body.data.batches;
      const { payouts } = (await scene.admin.get(`/admin/payouts?batch=${batch.id}`)).body.data;
      const isPending = payouts.every(({ status, amountCents }: Payout) => status === "pending" && amountCents > 0);
      expect([isPending, payouts.map(({ userId }: Payout) => userId).includes(scene.ann.id)]).toEqual([true, false]);
      expect(await earned(scene)).toBe(1_000);
    },
  },
  {
    says: "nobody is paid twice, whoever else runs it",
    by: "admin",
    line: () => "admin payouts create --help",
    async holds(scene) {
      await earner(scene);
      const pay = () => scene.run("admin payouts create --all --yes", scene.admin);
      await Promise.all([pay(), pay(), pay()]);
      const { payouts } = (await scene.admin.get("/admin/payouts?status=pending&limit=100")).body.data;
      expect(payouts.filter(({ userId }: Payout) => userId === scene.ann.id)).toMatchObject([{ amountCents: 1_000 }]);
      expect(await earned(scene)).toBe(0);
    },
  },
  {
    says: "The batch has no pending payouts by bank. No file was written.",
    by: "admin",
    code: 2,
    async line(scene) {
      await earner(scene);
      const { batch } = (await scene.admin.post("/admin/payout-batches", { method: "paypal" })).body.data;
      return `admin payouts file ${batch.id} --format bank --file ${join(scene.cwd, "bank.csv")}`;
    },
    async holds({ admin, cwd }) {
      const [batch] = (await admin.get("/admin/payout-batches")).body.data.batches;
      const { payouts } = (await admin.get(`/admin/payouts?batch=${batch.id}`)).body.data;
      expect([payouts.every(({ method }: Payout) => method === "paypal"), readdirSync(cwd)]).toEqual([true, []]);
    },
  },
  ...["reference,status\n,paid\n", "reference,status\nREF,maybe\n"].map(
    (text): Fact => ({
      says: text.includes("maybe")
        ? /returned\.csv, line 3: the status "maybe" is not known\. Nothing was recorded\./
        : /returned\.csv, line 3: there is no reference\. Nothing was recorded\./,
      by: "admin",
      code: 2,
      async line(scene) {
        await earner(scene);
        const { batch } = (await scene.admin.post("/admin/payout-batches", {})).body.data;
        const [{ reference }] = (await scene.admin.get(`/admin/payouts?batch=${batch.id}`)).body.data.payouts;
        const file = join(scene.cwd, "returned.csv");
        writeFileSync(file, text.replace("\n", `\n${reference},paid\n`).replace("REF", reference));
        return `admin payouts settle ${batch.id} --file ${file}`;
      },
      async holds({ admin, ann }) {
        const { payouts } = (await admin.get("/admin/payouts?status=pending&limit=100")).body.data;
        expect(payouts.map(({ userId }: Payout) => userId)).toContain(ann.id);
      },
    }),
  ),
  {
    says: "Record that a payout failed; the amount is owed again",
    by: "admin",
    line: () => "admin payouts fail --help",
    async holds(scene) {
      await earner(scene);
      await scene.run("admin payouts create --all --yes", scene.admin);
      expect(await earned(scene)).toBe(0);
      const { payouts } = (await scene.admin.get("/admin/payouts?status=pending&limit=100")).body.data;
      const { id } = payouts.find(({ userId }: Payout) => userId === scene.ann.id);
      expect((await scene.run(`admin payouts fail ${id}`, scene.admin)).code).toBe(0);
      expect(await earned(scene)).toBe(1_000);
    },
  },
];

interface Payout {
  userId: string;
  status: string;
  method: string;
  amountCents: number;
}

const earnings: Fact[] = [
  {
    says: "Balance: $0.00. Paid out so far: $0.00. On the way to you: $10.00.",
    by: "ann",
    async line(scene) {
      await earner(scene);
      await scene.admin.post("/admin/payout-batches", {});
      return "tester earnings";
    },
    async holds({ admin, ann }) {
      const { payouts } = (await admin.get("/admin/payouts?status=pending")).body.data;
      expect(payouts).toContainEqual(expect.objectContaining({ userId: ann.id, amountCents: 1_000 }));
    },
  },
  {
    says: "The operator's payout batches skip you until you enter them again.",
    asks: true,
    by: "ann",
    stdin: `${password}\n`,
    async line(scene) {
      await earner(scene);
      return "tester payout-details remove --password-file -";
    },
    async holds(scene) {
      await scene.admin.post("/admin/payout-batches", {});
      expect(await earned(scene)).toBe(1_000);
      const byHand = await scene.admin.post("/admin/payouts", { userId: scene.ann.id, amountCents: 400 });
      expect([byHand.status, await earned(scene)]).toEqual([201, 600]);
      await scene.ann.post("/playtester/payout-details", { method: "paypal", email: "pay@example.com", password });
      await scene.admin.post("/admin/payout-batches", {});
      expect(await earned(scene)).toBe(0);
    },
  },
  {
    says: "The operator's payout batches skip you: enter payout details with `playtest tester payout-details set`.",
    by: "ann",
    async line(scene) {
      await scene.owner.post(`/slots/${await submitted(scene)}/accept`);
      return "tester earnings";
    },
    async holds(scene) {
      await scene.admin.post("/admin/payout-batches", {});
      expect(await earned(scene)).toBe(1_000);
      const file = join(scene.cwd, "password");
      writeFileSync(file, password, { mode: 0o600 });
      const set = `tester payout-details set --method paypal --email pay@example.com --password-file ${file}`;
      expect(await scene.run(set, scene.ann)).toMatchObject({ code: 0, stderr: "" });
      await scene.admin.post("/admin/payout-batches", {});
      expect(await earned(scene)).toBe(0);
    },
  },
  {
    says: "Payouts that were already made are not changed.",
    by: "ann",
    async line(scene) {
      await earner(scene);
      await scene.admin.post("/admin/payout-batches", {});
      return "tester payout-details remove --help";
    },
    async holds(scene) {
      const made = async () => (await scene.admin.get("/admin/payouts?status=pending&limit=1")).body.data.payouts[0];
      const [before] = [await made(), await scene.ann.post("/playtester/payout-details/remove", { password })];
      const { batchId } = before;
      const { payments } = (await scene.admin.post(`/admin/payout-batches/${batchId}/instructions`, { method: "paypal" })).body
        .data;
      expect([await made(), payments]).toEqual([before, [expect.objectContaining({ email: "pay@example.com" })]]);
    },
  },
  {
    says: /Of the balance, \$10\.00 may come from card payments and is held\. All of it is available from \S+Z\./,
    by: "ann",
    async line(scene) {
      scene.server.deps.config.payouts.holdDays = 7;
      await earner(scene);
      return "tester earnings";
    },
    async holds(scene, { stderr }) {
      const { admin, ann, server } = scene;
      const pay = async () => (await admin.post("/admin/payouts", { userId: ann.id, amountCents: 1_000 })).status;
      await server.advance(
        Date.parse(/available from (\S+Z)/.exec(stderr.replace(/\s+/g, " "))![1]!) - minute - server.clock.now(),
      );
      expect([await pay(), await earned(scene)]).toEqual([409, 1_000]);
      await server.advance(minute);
      expect([await pay(), await earned(scene)]).toEqual([201, 0]);
      server.deps.config.payouts.holdDays = 0;
    },
  },
  {
    says: /Your new payout details can be used from \S+Z\./,
    by: "ann",
    async line(scene) {
      const { payouts } = scene.server.deps.config;
      payouts.detailsHoldHours = 48;
      await earner(scene);
      return "tester earnings";
    },
    async holds(scene, { stderr }) {
      const { admin, server } = scene;
      const from = Date.parse(/used from (\S+Z)/.exec(stderr)![1]!);
      await server.advance(from - minute - server.clock.now());
      await admin.post("/admin/payout-batches", {});
      expect(await earned(scene)).toBe(1_000);
      await server.advance(minute);
      await admin.post("/admin/payout-batches", {});
      expect(await earned(scene)).toBe(0);
      server.deps.config.payouts.detailsHoldHours = 0;
    },
  },
];

/** Days that the clock of a sandbox was moved before: what is said counts from its time. */
const moved = 100 * day;
let conversation: string;

const ages: Fact[] = [
  {
    says: /invoice-PT-/,
    async line(scene) {
      await bought(scene);
      await scene.server.advance(moved);
      await bought(scene);
      return "billing invoice --since 2h --dir .";
    },
    async holds({ owner, cwd }) {
      const [newest, ...older] = (await owner.get("/billing/payments?type=credit")).body.data.payments;
      expect(older).not.toEqual([]);
      expect(readdirSync(cwd).filter((name) => name.endsWith(".pdf"))).toEqual([`invoice-${newest.document.number}.pdf`]);
    },
  },
  {
    says: "1 reported problem waits for an answer, first deadline in 14d:",
    async line({ server, ann, order }) {
      await server.advance(moved);
      await ann.post(`/playtester/slots/${await claim(ann, await order())}/report`, { reasonCode: "crash" });
      return "status";
    },
    async holds(scene) {
      const status = async () => (await slotsOf(scene, (await onlyPlaytest(scene)).id))[0]!.status;
      await scene.server.advance(14 * day - minute);
      expect(await status()).toBe("blocked");
      await scene.server.advance(minute);
      expect([await status(), await balance(scene)]).toEqual(["cancelled", 50_000]);
    },
  },
  {
    says: "2h ago",
    async line(scene) {
      const { server, owner, ann } = scene;
      await owner.post(`/slots/${await submitted(scene)}/accept`);
      conversation = (await owner.post("/chat/conversations", { contactId: ann.id })).body.data.conversation.id;
      await server.advance(moved);
      await ann.post(`/chat/conversations/${conversation}/messages`, { content: "Hello" });
      await server.advance(2 * 60 * minute);
      return "chat read Ann";
    },
    async holds({ server, owner }, { stdout }) {
      const [message] = (await owner.get(`/chat/conversations/${conversation}`)).body.data.messages;
      expect([stdout.includes("Hello"), server.clock.now() - Date.parse(message.createdAt)]).toEqual([true, 2 * 60 * minute]);
    },
  },
];

const subscriptions: Fact[] = [
  {
    says: "The subscription ends in 1mo.",
    async line({ server, run }) {
      await server.advance(moved);
      await run("billing subscription checkout --plan-key indie_monthly --sandbox");
      return "billing subscription cancel --yes";
    },
    async holds({ server, owner }) {
      const status = async () => (await owner.get("/billing/subscription")).body.data.subscription?.status;
      await server.advance(27 * day);
      expect(await status()).toBe("active");
      await server.advance(5 * day);
      expect(await status()).not.toBe("active");
    },
  },
  {
    says: "Cancel the subscription? It ends with its period, or now if it is past due. Past payments are not refunded.",
    asks: true,
    async line({ run }) {
      await run("billing subscription checkout --plan-key indie_monthly --sandbox");
      return "billing subscription cancel";
    },
    async holds(scene) {
      await scene.server.advance(40 * day);
      const { payments } = (await scene.owner.get("/billing/payments")).body.data;
      const statuses = new Set(payments.map(({ status }: { status: string }) => status));
      expect([await balance(scene), [...statuses]]).toEqual([50_000, ["completed"]]);
    },
  },
];

commandFacts([...orders, ...asked, ...reviews, ...administration, ...payouts, ...earnings, ...ages, ...subscriptions]);
