import type { Tx } from "../app/tx.ts";
import type { EntryRow } from "./chain.ts";
import { isSubjectKind, type State, type SubjectKind, stateOf } from "./subjects-store.ts";

/** The account, credentials and address of the caller. */
export type Actor = Pick<EntryRow, "actor_id" | "key_id" | "session_id" | "address" | "request_id">;

/** The actor for changes that the server makes by itself. */
export const server: Actor = { actor_id: null, key_id: null, session_id: null, address: null, request_id: null };

/** A resource that the transaction changes. */
interface Subject {
  action: string;
  kind: SubjectKind;
  id: string;
  actorId: string | null;
  before: State | null;
}

interface About {
  /** Default: the action of the trail. The part before the dot is the kind of subject that `id` belongs to. */
  action?: string;
  /** The acting account, if the request has no API key or session: identified by a password or a mailed link. */
  by?: string;
}

/** Collects the audit entries of one transaction. Each contains the state of its subject before and after. */
export class Trail {
  readonly #tx: Tx;
  readonly #actor: Actor;
  readonly #action: string | undefined;
  readonly #details: State;
  readonly #subjects: Subject[] = [];
  #unchanged = false;

  constructor(tx: Tx, actor: Actor, action?: string, details: State = {}) {
    this.#tx = tx;
    this.#actor = actor;
    this.#action = action;
    this.#details = details;
  }

  /** Records the current state of a subject. Call it before changing the subject. */
  async changing(id: string, about: About = {}): Promise<void> {
    const { action, kind } = this.#actionOf(about);
    this.#add({ action, kind, id, about, before: await stateOf(this.#tx, kind, id) });
  }

  created(id: string, about: About = {}): void {
    this.#add({ ...this.#actionOf(about), id, about, before: null });
  }

  /** Says that there is nothing to record, because the request found everything as it should be. */
  unchanged(): void {
    this.#unchanged = true;
  }

  /** Writes the entries. Call it after the changes. Throws when there are none, because the action would not be recorded. */
  async write(): Promise<void> {
    if (this.#subjects.length === 0 && !this.#unchanged) throw new Error(`${this.#action} has no subject for the audit log`);
    for (const subject of this.#subjects) await this.#write(subject);
  }

  #add({ about, ...subject }: Omit<Subject, "actorId"> & { about: About }): void {
    this.#subjects.push({ ...subject, actorId: about.by ?? this.#actor.actor_id });
  }

  #actionOf({ action = this.#action }: About): { action: string; kind: SubjectKind } {
    const kind = action?.split(".")[0] ?? "";
    if (action === undefined || !isSubjectKind(kind)) throw new Error(`${action} is not an action of the audit log`);
    return { action, kind };
  }

  async #write({ action, kind, id, actorId, before }: Subject): Promise<void> {
    const after = await stateOf(this.#tx, kind, id);
    // The id belongs to another kind of resource.
    if (before === null && after === null) throw new Error(`${action} names a ${kind} that does not exist`);
    const changes = changed(before, after);
    await this.#tx.audit({
      id: this.#tx.newId(),
      created_at: this.#tx.now,
      ...this.#actor,
      actor_id: actorId,
      action,
      target_kind: kind,
      target_id: id,
      details: JSON.stringify(this.#details),
      state_before: changes.before && JSON.stringify(changes.before),
      state_after: changes.after && JSON.stringify(changes.after),
    });
  }
}

/** The fields that differ; all fields if the subject was created or removed. */
function changed(before: State | null, after: State | null): { before: State | null; after: State | null } {
  if (before === null || after === null) return { before, after };
  const names = Object.keys(after).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  const only = (state: State) => Object.fromEntries(names.map((name) => [name, state[name]]));
  return { before: only(before), after: only(after) };
}
