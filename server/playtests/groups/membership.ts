import { plural } from "../../../src/contract/text/plural.ts";
import type { Query } from "../../database/port.ts";
import { invalid, notFound } from "../../lib/api-error.ts";
import * as store from "./store.ts";

/** What a playtest that is offered to a group refuses and warns of. */

/** 422 for an order that names a group which does not exist. */
export async function requireGroup(q: Query, name: string | undefined): Promise<void> {
  if (name === undefined || (await store.findByName(q, name))) return;
  throw invalid("panel", `is not a tester group of this server`);
}

/** 404 for a playtest that is offered to a group without this playtester: others do not know that it exists. */
export async function requireMember(q: Query, { panel }: { panel: string | null }, playtesterId: string): Promise<void> {
  if (panel !== null && !(await store.isMember(q, panel, playtesterId))) throw notFound();
}

/** What an owner should know before ordering for a group. */
export async function groupWarnings(q: Query, name: string | undefined, quantity: number): Promise<string[]> {
  const group = name === undefined ? undefined : await store.findByName(q, name);
  if (!group || group.members >= quantity) return [];
  if (group.members === 0) return [`The group ${group.name} has no members, so nobody can claim a slot.`];
  return [`The group ${group.name} has ${plural(group.members, "member")}, and each can claim one of the ${quantity} slots.`];
}
