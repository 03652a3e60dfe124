import type { Data, Input } from "../../../api/client.ts";
import { CliError, exitCodes, notFound, usage } from "../../../errors.ts";

/** Findings of a game on this computer. Pure: each change makes a new book, as the server would have changed its rows. */

export type Finding = Data<"getFinding">["finding"];
type Described = Omit<NonNullable<Input<"createFinding">["body"]>, "evidence">;
export type FindingBody = Described & { evidence?: EvidenceBody[] };
export type FindingChanges = NonNullable<Input<"updateFinding">["body"]>;
/** Whose video it is, the server says when it is shown. */
export type Evidence = Omit<Finding["evidence"][number], "playtester">;

/** What is stored of a finding; how many met it is counted when it is shown. */
export interface Kept
  extends Omit<Finding, "evidence" | "testers" | "builds" | "firstSeenMs" | "rank" | "against" | "absence" | "issue"> {
  evidence: Evidence[];
}

interface Change {
  kind: "merge" | "split";
  fromId: string;
  toId: string;
  evidenceIds: readonly string[];
}

export interface Book {
  gameId: string;
  /** The number that was given last. */
  last: number;
  findings: readonly Kept[];
  /** The merges and splits that were not undone, the oldest first. */
  changes: readonly Change[];
}

/** The new id and the present time (ISO 8601) of a change. */
export interface Stamp {
  id: string;
  now: string;
}

const conflict = (message: string) => new CliError("CONFLICT", exitCodes.conflict, message);

export const emptyBook = (gameId: string): Book => ({ gameId, last: 0, findings: [], changes: [] });

export function inBook(book: Book, id: string): Kept {
  const found = book.findings.find((one) => one.id === id);
  if (!found) throw notFound("No such finding of this game is on this computer. Nothing was changed.");
  return found;
}

function requireOwn(book: Book, id: string): Kept {
  const found = inBook(book, id);
  if (found.mergedInto === null) return found;
  const into = inBook(book, found.mergedInto);
  throw conflict(`#${found.number} was merged into #${into.number}. Nothing was changed. Change that one, or undo the merge.`);
}

const replaced = (book: Book, id: string, changes: Partial<Kept>): Book => ({
  ...book,
  findings: book.findings.map((one) => (one.id === id ? { ...one, ...changes } : one)),
});

export function create(book: Book, body: Required<Described>, { id, now }: Stamp): Book {
  const number = book.last + 1;
  const { gameId } = book;
  const made: Kept = { id, number, gameId, ...body, evidence: [], mergedInto: null, createdAt: now, updatedAt: now };
  return { ...book, last: number, findings: [...book.findings, made] };
}

export function update(book: Book, id: string, changes: FindingChanges, now: string): Book {
  requireOwn(book, id);
  return replaced(book, id, { ...changes, updatedAt: now });
}

/** Without the finding and those that were merged into it. */
export function remove(book: Book, id: string): Book {
  const inner = book.findings.filter(({ mergedInto }) => mergedInto === id);
  const rest = inner.reduce((left, one) => remove(left, one.id), book);
  return {
    ...rest,
    findings: rest.findings.filter((one) => one.id !== id),
    changes: rest.changes.filter(({ fromId, toId }) => fromId !== id && toId !== id),
  };
}

export function add(book: Book, id: string, evidence: Evidence, now: string): Book {
  const found = requireOwn(book, id);
  const { momentId } = evidence;
  const other = book.findings.find((one) => momentId !== null && one.evidence.some((e) => e.momentId === momentId));
  if (other) throw conflict(`This moment is evidence of #${other.number} already. Nothing was added.`);
  return replaced(book, id, { evidence: [...found.evidence, evidence], updatedAt: now });
}

export function removeEvidence(book: Book, id: string, evidenceId: string, now: string): Book {
  const { evidence } = requireOwn(book, id);
  const left = evidence.filter((one) => one.id !== evidenceId);
  if (left.length === evidence.length) throw notFound("The finding has no such evidence. Nothing was changed.");
  return replaced(book, id, { evidence: left, updatedAt: now });
}

/** Moves evidence from one finding to another: all of it, or these pieces. */
function moved(book: Book, fromId: string, toId: string, now: string, ids?: readonly string[]): Book {
  const [from, to] = [inBook(book, fromId), inBook(book, toId)];
  const goes = ({ id }: Evidence) => ids === undefined || ids.includes(id);
  const left = replaced(book, fromId, { evidence: from.evidence.filter((one) => !goes(one)), updatedAt: now });
  return replaced(left, toId, { evidence: [...to.evidence, ...from.evidence.filter(goes)], updatedAt: now });
}

const endedIn = (book: Book, fromId: string, toId: string, now: string) =>
  replaced(moved(book, fromId, toId, now), fromId, { mergedInto: toId });

export function merge(book: Book, id: string, otherId: string, now: string): Book {
  if (id === otherId) throw usage("A finding cannot be merged with itself. Nothing was changed.");
  requireOwn(book, id);
  const { evidence } = requireOwn(book, otherId);
  const change: Change = { kind: "merge", fromId: otherId, toId: id, evidenceIds: evidence.map((one) => one.id) };
  return { ...endedIn(book, otherId, id, now), changes: [...book.changes, change] };
}

export function split(book: Book, id: string, evidenceIds: readonly string[], title: string, { id: newId, now }: Stamp): Book {
  const { kind, severity, tags, evidence } = requireOwn(book, id);
  if (evidenceIds.some((one) => !evidence.some((e) => e.id === one)))
    throw notFound("The finding has no such evidence. Nothing was changed.");
  const made = create(book, { title, text: "", kind, severity, tags, status: "open" }, { id: newId, now });
  const change: Change = { kind: "split", fromId: id, toId: newId, evidenceIds };
  return { ...moved(made, id, newId, now, evidenceIds), changes: [...book.changes, change] };
}

/** Undoes the last merge or split of a finding, if it is the last of both that took part. */
export function undo(book: Book, id: string, now: string): Book {
  const last = (of: string) => book.changes.findLast(({ fromId, toId }) => fromId === of || toId === of);
  const { number } = inBook(book, id);
  const change = last(id);
  if (!change) throw conflict(`#${number} has no merge or split to undo. Nothing was changed.`);
  const { kind, fromId, toId, evidenceIds } = change;
  for (const end of [fromId, toId])
    if (last(end) !== change)
      throw conflict(`#${inBook(book, end).number} was merged or split since. Nothing was changed. Undo that first.`);
  const before =
    kind === "split"
      ? endedIn(book, toId, fromId, now)
      : replaced(moved(book, toId, fromId, now, evidenceIds), fromId, { mergedInto: null });
  return { ...before, changes: book.changes.filter((one) => one !== change) };
}

/** What is added to a finding: a moment, or a span of a video in ms. */
export type EvidenceBody =
  | { momentId: string }
  | { slotId: string; fromMs: number; toMs?: number | undefined; quote?: string | undefined };

export type Reply = Promise<{ finding: Finding }>;

/** Where findings are: on the server, or on this computer for a server that stores none. */
export interface Findings {
  create(gameId: string, body: FindingBody): Reply;
  get(id: string): Reply;
  update(id: string, changes: FindingChanges): Reply;
  remove(id: string): Promise<{ message: string }>;
  add(id: string, evidence: EvidenceBody): Reply;
  removeEvidence(id: string, evidenceId: string): Reply;
  merge(id: string, otherId: string): Reply;
  split(id: string, evidenceIds: readonly string[], title: string): Reply;
  undo(id: string): Reply;
}
