import { ensureAdmin } from "../../server/accounts/service.ts";
import * as factories from "../helpers/factories.ts";
import type { Reply, TestServer } from "../helpers/server.ts";
import { type Action, kinds, type State } from "./model.ts";

/** The server, driven by the model's actions: model indices on one side, ids on the other. */
export interface World {
  server: TestServer;
  owner: factories.Person;
  admin: factories.Person;
  playtesters: factories.Person[];
  gameId: string;
  playtests: string[];
  slots: string[];
  applications: string[];
}

export const credit = 8_000;
export const people = 4;

const admins = new WeakMap<TestServer, factories.Person>();

async function adminOf(server: TestServer): Promise<factories.Person> {
  const known = admins.get(server) ?? factories.personWith(server, (await ensureAdmin(server.deps))!, "admin");
  admins.set(server, known);
  return known;
}

/** People and a game of their own, so that many worlds fit on one server. */
export async function createWorld(server: TestServer): Promise<World> {
  const owner = await factories.registerOwner(server);
  await factories.giveCredit(server, owner, credit);
  const playtesters: factories.Person[] = [];
  for (let n = 0; n < people; n++) playtesters.push(await factories.registerPlaytester(server));
  const nothing = { playtests: [], slots: [], applications: [] };
  return { server, owner, admin: await adminOf(server), playtesters, gameId: await factories.createGame(owner), ...nothing };
}

/** Sends what the action stands for; the status it got. `before` is the state it was chosen in. */
export async function act(world: World, action: Action, before: State): Promise<number> {
  if (action.do === "wait") {
    await world.server.advance(action.until - world.server.clock.now());
    return 0;
  }
  const reply = await send(world, action, before);
  if (reply.status === 201 && action.do === "order") world.playtests.push(reply.body.data.playtest.id);
  if (reply.status === 201 && action.do === "apply") world.applications.push(reply.body.data.application.id);
  // A public video is published by a job.
  await world.server.advance(0);
  return reply.status;
}

async function send(world: World, action: Exclude<Action, { do: "wait" }>, before: State): Promise<Reply> {
  const { owner, admin, playtesters } = world;
  if (action.do === "order") {
    const { kind, quantity } = action;
    return owner.post(`/games/${world.gameId}/playtests`, { ...kinds[kind]!.body, quantity });
  }
  if ("application" in action) {
    const id = world.applications[action.application];
    const mine = playtesters[before.applications[action.application]!.playtester]!;
    if (action.do === "withdraw") return mine.post(`/playtester/applications/${id}/withdraw`);
    return owner.post(`/playtests/playtest-applications/${id}/${action.do === "approve" ? "approve" : "reject"}`);
  }
  if ("playtest" in action) {
    const id = world.playtests[action.playtest];
    if (action.do === "claim") return playtesters[action.by]!.post(`/playtester/playtests/${id}/claim`);
    if (action.do === "apply") return playtesters[action.by]!.post(`/playtester/playtests/${id}/applications`);
    if (action.do === "pay") return owner.post(`/playtests/${id}/pay`, { method: "credit" });
    if (action.do === "cancel") return owner.post(`/playtests/${id}/cancel`);
    return admin.post(`/admin/playtests/${id}/${action.do === "approveTrial" ? "approve" : "reject"}`);
  }
  return sendToSlot(world, action, before);
}

async function sendToSlot(world: World, action: Extract<Action, { slot: number }>, before: State): Promise<Reply> {
  const { server, owner, admin } = world;
  const id = world.slots[action.slot]!;
  const slot = before.slots[action.slot]!;
  const holder = world.playtesters[slot.holder ?? 0]!;
  switch (action.do) {
    case "submit":
      if (slot.status === "reserved") await factories.giveVideo(server, id, holder);
      return holder.post(`/playtester/slots/${id}/submit`);
    case "report":
      return holder.post(`/playtester/slots/${id}/report`, { reasonCode: "crash" });
    case "release":
      return holder.post(`/playtester/slots/${id}/release`);
    case "delete":
      return owner.delete(`/playtests/slots/${id}`);
    case "retry":
      return owner.post(`/playtests/slots/${id}/reject`, { allowRetry: true });
    case "approveVideo":
    case "rejectVideo":
      return admin.post(`/admin/slots/${id}/${action.do === "approveVideo" ? "approve" : "reject"}`);
    default:
      return owner.post(`/playtests/slots/${id}/${action.do}`);
  }
}

interface Shown {
  status: string;
  deadlineAt: string | null;
  playtester: { id: string } | null;
  id: string;
}

/** What the API shows, in the model's words. */
export async function observe(world: World) {
  const { owner } = world;
  const [listed, balance, slots, applications] = await Promise.all([
    owner.get(`/games/${world.gameId}/playtests?limit=100`),
    owner.get("/billing/balance"),
    Promise.all(world.playtests.map((_, playtest) => slotsOf(world, playtest))),
    Promise.all(world.playtests.map((id) => owner.get(`/playtests/${id}/applications`))),
  ]);
  const statusOf = new Map<string, string>(listed.body.data.playtests.map((shown: Shown) => [shown.id, shown.status]));
  const received: ShownApplication[] = applications.flatMap((reply) => reply.body.data.applications);
  const known = new Map(received.map(({ id, status, assignedSlotId }) => [id, { status, slot: assignedSlotId }]));
  return {
    playtests: world.playtests.map((id) => statusOf.get(id)),
    slots: slots.flat(),
    applications: world.applications.map((id) => known.get(id)),
    credit: balance.body.data.balanceCents as number,
  };
}

interface ShownApplication {
  id: string;
  status: string;
  assignedSlotId: string | null;
}

/** A reserved slot has a deadline, a blocked one must not have one; what is left of it in later states says nothing. */
const hasDeadline = ({ status, deadlineAt }: Shown) => status === "reserved" || (status === "blocked" && deadlineAt !== null);

/** The slots of a playtest, oldest first. */
async function slotsOf({ owner, playtesters, playtests }: World, playtest: number) {
  const shown: Shown[] = (await owner.get(`/playtests/${playtests[playtest]}/slots?limit=100`)).body.data.slots;
  return shown.reverse().map((slot) => ({
    playtest,
    id: slot.id,
    status: slot.status,
    holder: slot.playtester && playtesters.findIndex((person) => person.id === slot.playtester!.id),
    deadline: hasDeadline(slot) ? Date.parse(slot.deadlineAt!) : null,
  }));
}

export const earned = (world: World): Promise<number[]> =>
  Promise.all(world.playtesters.map(async (person) => (await person.get("/playtester/earnings")).body.data.balanceCents));

/** What is still held for the slots of each playtest, in cents. */
export const holds = (world: World): Promise<number[]> =>
  world.server.deps.store.read((q) =>
    Promise.all(
      world.playtests.map(async (id) => {
        const row = await q.one<{ balance: number }>("SELECT balance FROM ledger_accounts WHERE id = ?", `liab:held:${id}`);
        return Math.abs(row?.balance ?? 0);
      }),
    ),
  );
