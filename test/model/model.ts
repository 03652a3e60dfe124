/**
 * The marketplace as a pure model: what the slot, playtest and application machines do, with nothing of how. One owner, one
 * game, a few playtesters. `step` answers the status a command must get and the state after it.
 */
export const hour = 3_600_000;
const week = 7 * 24 * hour;
/** Few, so that it matters in a short story. */
export const maxHeld = 1;

export type SlotStatus =
  | "open"
  | "reserved"
  | "submitted"
  | "accepted"
  | "rejected"
  | "blocked"
  | "expired"
  | "cancelled"
  | "publishing";

export interface Slot {
  playtest: number;
  status: SlotStatus;
  holder: number | null;
  deadline: number | null;
  /** An admin let the video of a trial through. */
  videoApproved: boolean;
}

/** What can be ordered: the body's fields, and what follows from them. */
export interface Kind {
  name: string;
  body: Record<string, unknown>;
  players: number;
  manual: boolean;
  isPublic: boolean;
  trial: boolean;
  target: "new" | "past" | null;
  price: number;
  payout: number;
}

const kind = (name: string, body: Record<string, unknown>, of: Partial<Kind> = {}): Kind => ({
  name,
  body,
  players: 1,
  manual: false,
  isPublic: false,
  trial: false,
  target: null,
  price: 2000,
  payout: 1000,
  ...of,
});
const free = { isPublic: true, price: 0, payout: 0 };

export const kinds: Kind[] = [
  kind("automatic", {}),
  kind("for two", { playerCount: 2 }, { players: 2, price: 3500, payout: 2000 }),
  kind("manual", { selectionMode: "manual" }, { manual: true }),
  kind("for newcomers", { targetingType: "new", targetingScope: "game" }, { target: "new" }),
  kind("for the accepted", { targetingType: "past", pastPlaytesterScope: "any", targetingScope: "game" }, { target: "past" }),
  kind("public", { visibility: "public" }, free),
  kind("public manual", { visibility: "public", selectionMode: "manual" }, { ...free, manual: true }),
  kind("trial", { isFreePublicTrial: true }, { ...free, trial: true }),
];

export interface Playtest {
  kind: Kind;
  quantity: number;
  status: "pending_payment" | "active" | "completed" | "cancelled" | "expired";
  payBy: number | null;
  windowAt: number | null;
  /** An admin let a trial be offered. */
  approved: boolean;
}

export interface Application {
  playtest: number;
  playtester: number;
  status: "pending" | "approved" | "rejected" | "auto_rejected" | "withdrawn";
  slot: number | null;
}

/** What happens by itself at a time; of two at once, the one queued first. */
type Alarm = { at: number; what: "deadline"; slot: number } | { at: number; what: "window" | "lapse"; playtest: number };

export interface State {
  now: number;
  credit: number;
  earned: number[];
  playtests: Playtest[];
  slots: Slot[];
  applications: Application[];
  alarms: Alarm[];
}

export const initial = (now: number, credit: number, playtesters: number): State => ({
  now,
  credit,
  earned: Array(playtesters).fill(0),
  playtests: [],
  slots: [],
  applications: [],
  alarms: [],
});

export type Action =
  | { do: "order"; kind: number; quantity: number }
  | { do: "claim" | "apply"; playtest: number; by: number }
  | { do: "pay" | "cancel" | "approveTrial" | "rejectTrial"; playtest: number }
  | { do: "withdraw" | "approve" | "rejectApplication"; application: number }
  | { do: "submit" | "report" | "release" | "accept" | "reject" | "retry" | "unblock" | "delete"; slot: number }
  | { do: "approveVideo" | "rejectVideo"; slot: number }
  | { do: "wait"; until: number };

const ended = (status: SlotStatus) => ["accepted", "rejected", "expired", "cancelled"].includes(status);

/** The command's HTTP status, 0 where there is none, and the state after it. */
export function step(before: State, action: Action): { status: number; state: State } {
  const state = structuredClone(before);
  const status = apply(state, action);
  return { status, state: status < 300 ? state : before };
}

function apply(s: State, action: Action): number {
  switch (action.do) {
    case "order":
      return order(s, kinds[action.kind]!, action.quantity);
    case "pay":
      return pay(s, action.playtest);
    case "cancel":
      return cancel(s, action.playtest);
    case "claim":
      return claim(s, action.playtest, action.by);
    case "apply":
      return applyTo(s, action.playtest, action.by);
    case "withdraw":
    case "rejectApplication":
      return decide(s.applications[action.application]!, action.do === "withdraw" ? "withdrawn" : "rejected");
    case "approve":
      return approve(s, s.applications[action.application]!);
    case "approveTrial":
    case "rejectTrial":
      return decideTrial(s, action.playtest, action.do === "approveTrial");
    case "wait":
      return wait(s, action.until);
    default:
      return move(s, action.do, action.slot);
  }
}

const of = (s: State, playtest: number) => s.slots.filter((slot) => slot.playtest === playtest);
const openOf = (s: State, playtest: number) => of(s, playtest).filter((slot) => slot.status === "open");
const windowOver = (s: State, p: Playtest) => p.windowAt !== null && p.windowAt <= s.now;
const held = (s: State, by: number) =>
  s.slots.filter((slot) => slot.holder === by && (slot.status === "reserved" || slot.status === "blocked")).length;

function order(s: State, of: Kind, quantity: number): number {
  if (of.trial && s.playtests.some((p) => p.kind.trial && p.status !== "cancelled")) return 409;
  const total = of.price * quantity;
  if (total > s.credit && s.credit > 0) return 402;
  const unpaid = total > s.credit;
  s.playtests.push({ kind: of, quantity, status: "pending_payment", payBy: s.now + 24 * hour, windowAt: null, approved: false });
  const index = s.playtests.length - 1;
  if (unpaid) s.alarms.push({ at: s.now + 24 * hour, what: "lapse", playtest: index });
  else activate(s, index);
  return 201;
}

function activate(s: State, index: number): void {
  const p = s.playtests[index]!;
  s.credit -= p.kind.price * p.quantity;
  Object.assign(p, { status: "active", payBy: null, windowAt: p.kind.manual ? s.now + week : null });
  for (let n = 0; n < p.quantity; n++) openSlot(s, index);
  if (p.windowAt !== null) s.alarms.push({ at: p.windowAt, what: "window", playtest: index });
}

function openSlot(s: State, playtest: number): number {
  return s.slots.push({ playtest, status: "open", holder: null, deadline: null, videoApproved: false }) - 1;
}

function pay(s: State, index: number): number {
  const p = s.playtests[index]!;
  if (p.status !== "pending_payment") return 409;
  if (s.credit < p.kind.price * p.quantity) return 402;
  activate(s, index);
  return 200;
}

function cancel(s: State, index: number): number {
  const p = s.playtests[index]!;
  if (p.status === "pending_payment") {
    p.status = "cancelled";
    return 200;
  }
  const open = openOf(s, index);
  if (open.length === 0) return 409;
  for (const slot of open) refundSlot(s, slot, "cancelled");
  closeWhenFull(s, index);
  finish(s, index);
  return 200;
}

/** An unfilled slot ends and its price returns. */
function refundSlot(s: State, slot: Slot, status: "cancelled" | "expired"): void {
  slot.status = status;
  s.credit += s.playtests[slot.playtest]!.kind.price;
}

function finish(s: State, index: number): void {
  const statuses = of(s, index).map((slot) => slot.status);
  if (!statuses.every(ended)) return;
  const only = (...these: SlotStatus[]) => statuses.every((status) => these.includes(status));
  s.playtests[index]!.status = only("cancelled") ? "cancelled" : only("cancelled", "expired") ? "expired" : "completed";
}

function hidden({ status, kind: { trial }, approved }: Playtest): boolean {
  return status === "pending_payment" || (trial && !approved);
}

function isFor(s: State, index: number, by: number): boolean {
  const mine = s.slots.filter((slot) => slot.holder === by);
  if (mine.some((slot) => slot.playtest === index)) return false;
  const { target } = s.playtests[index]!.kind;
  if (target === "new") return mine.length === 0;
  return target === null || mine.some((slot) => slot.status === "accepted");
}

function claim(s: State, index: number, by: number): number {
  const p = s.playtests[index]!;
  if (hidden(p)) return 404;
  if (p.kind.manual) return 400;
  const [open] = openOf(s, index);
  if (!isFor(s, index, by) || held(s, by) >= maxHeld || !open) return 409;
  reserve(s, open, by);
  return 201;
}

function reserve(s: State, slot: Slot, by: number): void {
  const { manual, players } = s.playtests[slot.playtest]!.kind;
  slot.holder = by;
  runUntil(s, slot, s.now + (manual || players > 1 ? 72 : 24) * hour);
}

function runUntil(s: State, slot: Slot, deadline: number): void {
  Object.assign(slot, { status: "reserved", deadline });
  s.alarms.push({ at: deadline, what: "deadline", slot: s.slots.indexOf(slot) });
}

function applyTo(s: State, index: number, by: number): number {
  const p = s.playtests[index]!;
  if (hidden(p)) return 404;
  if (!p.kind.manual) return 400;
  const before = s.applications.some((application) => application.playtest === index && application.playtester === by);
  if (before || !isFor(s, index, by) || windowOver(s, p) || openOf(s, index).length === 0) return 409;
  s.applications.push({ playtest: index, playtester: by, status: "pending", slot: null });
  return 201;
}

function decide(application: Application, status: "withdrawn" | "rejected"): number {
  if (application.status !== "pending") return 409;
  application.status = status;
  return 200;
}

function approve(s: State, application: Application): number {
  const [open] = openOf(s, application.playtest);
  if (application.status !== "pending" || held(s, application.playtester) >= maxHeld || !open) return 409;
  reserve(s, open, application.playtester);
  Object.assign(application, { status: "approved", slot: s.slots.indexOf(open) });
  closeWhenFull(s, application.playtest);
  return 200;
}

function closeWhenFull(s: State, index: number): void {
  if (openOf(s, index).length === 0) closePending(s, index);
}

function closePending(s: State, index: number): void {
  for (const application of s.applications)
    if (application.playtest === index && application.status === "pending") application.status = "auto_rejected";
}

function decideTrial(s: State, index: number, yes: boolean): number {
  const p = s.playtests[index]!;
  if (!p.kind.trial || p.status !== "active" || p.approved) return 409;
  if (yes) p.approved = true;
  else for (const slot of openOf(s, index)) refundSlot(s, slot, "cancelled");
  finish(s, index);
  return 200;
}

type Move = Extract<Action, { slot: number }>["do"];

function move(s: State, what: Move, index: number): number {
  const slot = s.slots[index]!;
  const p = s.playtests[slot.playtest]!;
  const byHolder = what === "submit" || what === "report" || what === "release";
  if (byHolder && slot.holder === null) return 404;
  const allowed: Record<Move, SlotStatus[]> = {
    submit: ["reserved"],
    report: ["reserved"],
    release: ["reserved", "blocked"],
    accept: ["submitted"],
    reject: ["submitted"],
    retry: ["submitted"],
    unblock: ["blocked"],
    delete: ["open", "blocked"],
    approveVideo: p.kind.trial && !slot.videoApproved ? ["submitted", "publishing"] : [],
    rejectVideo: p.kind.isPublic && !slot.videoApproved ? ["submitted", "publishing"] : [],
  };
  if (!allowed[what].includes(slot.status)) return 409;
  moves[what](s, slot, p);
  finish(s, slot.playtest);
  return 200;
}

const moves: Record<Move, (s: State, slot: Slot, p: Playtest) => void> = {
  submit: (_, slot) => void Object.assign(slot, { status: "submitted" }),
  report: (_, slot) => void Object.assign(slot, { status: "blocked", deadline: null }),
  release(s, slot, p) {
    slot.status = "cancelled";
    const replacement = s.slots[openSlot(s, slot.playtest)]!;
    if (windowOver(s, p)) refundSlot(s, replacement, "expired");
  },
  accept: (s, slot, p) =>
    p.kind.trial && !slot.videoApproved ? void Object.assign(slot, { status: "publishing" }) : earn(s, slot, p),
  reject: (_, slot) => void Object.assign(slot, { status: "rejected" }),
  retry(s, slot) {
    slot.status = "rejected";
    const another = s.slots[openSlot(s, slot.playtest)]!;
    another.holder = slot.holder;
    runUntil(s, another, s.now + 24 * hour);
  },
  unblock: (s, slot) => reserve(s, slot, slot.holder!),
  delete(s, slot) {
    refundSlot(s, slot, "cancelled");
    closeWhenFull(s, slot.playtest);
  },
  approveVideo(s, slot, p) {
    slot.videoApproved = true;
    if (slot.status === "publishing") earn(s, slot, p);
  },
  rejectVideo: (_, slot) => void Object.assign(slot, { status: "rejected" }),
};

function earn(s: State, slot: Slot, p: Playtest): void {
  slot.status = "accepted";
  s.earned[slot.holder!]! += p.kind.payout;
}

/** Time passes: what falls due on the way happens at its time. */
function wait(s: State, until: number): number {
  for (;;) {
    const due = s.alarms.reduce<Alarm | undefined>((first, alarm) => (!first || alarm.at < first.at ? alarm : first), undefined);
    if (!due || due.at > until) break;
    s.alarms.splice(s.alarms.indexOf(due), 1);
    s.now = due.at;
    ring(s, due);
  }
  s.now = until;
  return 0;
}

function ring(s: State, alarm: Alarm): void {
  if (alarm.what === "lapse") {
    const p = s.playtests[alarm.playtest]!;
    if (p.status === "pending_payment") p.status = "cancelled";
  }
  if (alarm.what === "window") {
    for (const slot of openOf(s, alarm.playtest)) refundSlot(s, slot, "expired");
    closePending(s, alarm.playtest);
    finish(s, alarm.playtest);
  }
  if (alarm.what === "deadline") endReserved(s, alarm);
}

function endReserved(s: State, alarm: Extract<Alarm, { what: "deadline" }>): void {
  const slot = s.slots[alarm.slot]!;
  if (slot.status !== "reserved" || slot.deadline !== alarm.at) return;
  if (windowOver(s, s.playtests[slot.playtest]!)) refundSlot(s, slot, "expired");
  else {
    slot.status = "expired";
    openSlot(s, slot.playtest);
  }
  finish(s, slot.playtest);
}
