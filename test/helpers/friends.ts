import type { Config } from "../../server/config/schema.ts";
import { order, ownerWithGame, type Person, registerPlaytester } from "./factories.ts";
import type { TestServer, TestServerOptions } from "./server.ts";

/** Gives a playtester a handle. */
export const nameHandle = (person: Person, handle: string) => person.updatePlaytesterProfile({ body: { handle } });

/** Makes a playtester with this handle, which is their name too. */
export async function registerWithHandle(server: TestServer, handle: string): Promise<Person> {
  const person = await registerPlaytester(server, handle);
  await nameHandle(person, handle);
  return person;
}

/** Makes two playtesters with handles friends. */
export async function befriend(one: Person, other: Person): Promise<void> {
  const { profile } = await other.getPlaytesterProfile();
  await one.requestFriend({ body: { handle: profile.handle! } });
  const mine = (await one.getPlaytesterProfile()).profile.handle!;
  const { friends } = await other.listFriends();
  const { id } = friends.find(({ handle }) => handle === mine)!;
  await other.acceptFriend({ params: { id } });
}

/** Claims a slot with friends, by their handles; the slot's id. */
export async function claimWith(person: Person, playtestId: string, ...handles: string[]): Promise<string> {
  const body = { with: handles.map((handle) => ({ handle })) };
  return (await person.claimPlaytest({ params: { id: playtestId }, body })).slot.id;
}

/** Confirms for the share, and at the fixed time, that the slot shows. */
export async function confirm(person: Person, slotId: string) {
  const params = { id: slotId };
  const { slot } = await person.getHeldSlot({ params });
  const { team, scheduledAt } = slot;
  return person.confirmTeam({ params, body: { shareCents: team!.yourShareCents, ...(scheduledAt && { scheduledAt }) } });
}

export const teamsOn = (config: Config) => {
  config.multiplayer.friends = true;
};
type Serve = (options?: Omit<TestServerOptions, "store">) => Promise<TestServer>;

/** A server where claims name friends, with Ann, who is a friend of Ben, Cleo and Dana, and an order for three players. */
export async function teamMarket(serve: Serve, body: Record<string, unknown> = {}) {
  const server = await serve({ config: teamsOn });
  const { owner, gameId } = await ownerWithGame(server, 1_000_000, "Olive");
  const made: Person[] = [];
  for (const handle of ["ann", "ben", "cleo", "dana"]) made.push(await registerWithHandle(server, handle));
  const people = { ann: made[0]!, ben: made[1]!, cleo: made[2]!, dana: made[3]! };
  for (const other of [people.ben, people.cleo, people.dana]) await befriend(people.ann, other);
  const make = (more: Record<string, unknown> = {}) => order(owner, gameId, { playerCount: 3, ...body, ...more });
  return { server, owner, gameId, ...people, make, playtestId: await make() };
}
export type TeamMarket = Awaited<ReturnType<typeof teamMarket>>;
