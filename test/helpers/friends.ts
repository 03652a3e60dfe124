import { type Person, registerPlaytester } from "./factories.ts";
import type { TestServer } from "./server.ts";

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

/** Confirms for the share that the slot shows. */
export async function confirm(person: Person, slotId: string) {
  const params = { id: slotId };
  const { slot } = await person.getHeldSlot({ params });
  return person.confirmTeam({ params, body: { shareCents: slot.team!.yourShareCents } });
}
