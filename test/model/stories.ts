import fc from "fast-check";
import { type Action, hour, kinds, type State, step } from "./model.ts";

/** At once, and in all. */
const maxLive = 3;
const maxPlaytests = 8;

/** A choice made before the state is known. */
export interface Choice {
  /** Which action; where it has no target in the state, another one. */
  roll: number;
  target: number;
  other: number;
  /** Takes a target on which the action works, or else one on which it is refused. */
  guided: boolean;
}

type What = Exclude<Action["do"], "wait">;

const weights: [number, What][] = [
  [5, "order"],
  [1, "delete"],
  [3, "pay"],
  [1, "cancel"],
  [8, "claim"],
  [14, "apply"],
  [12, "approve"],
  [3, "rejectApplication"],
  [3, "withdraw"],
  [6, "submit"],
  [5, "report"],
  [2, "unblock"],
  [5, "release"],
  [5, "accept"],
  [1, "reject"],
  [3, "retry"],
  [5, "approveTrial"],
  [1, "rejectTrial"],
  [4, "approveVideo"],
  [1, "rejectVideo"],
];

const wheel = weights.flatMap(([weight, what]) => Array<What>(weight).fill(what));
const everything = weights.map(([, what]) => what);
const number = fc.noBias(fc.nat(999));

const choice: fc.Arbitrary<Choice> = fc.record({
  roll: number,
  target: number,
  other: number,
  guided: number.map((n) => n >= 250),
});

/** So many choices; a failing story shrinks by leaving some out. */
export const stories = (length: number) =>
  fc.noBias(fc.array(fc.option(choice, { freq: 20 }), { minLength: length, maxLength: length, size: "max" }));

/** Manual playtests have the most to go wrong. */
const offeredKinds = kinds.flatMap(({ manual }, kind) => (manual ? [kind, kind, kind, kind] : [kind]));

const mayOrder = ({ playtests }: State) =>
  playtests.length < maxPlaytests &&
  playtests.filter(({ status }) => status === "active" || status === "pending_payment").length < maxLive;

/** Every action of this kind that the state has targets for. */
function candidates(state: State, what: What, { other }: Choice): Action[] {
  const all = (list: readonly unknown[]) => list.map((_, index) => index);
  switch (what) {
    case "order":
      return mayOrder(state) ? offeredKinds.map((kind) => ({ do: what, kind, quantity: 1 + (other % 3) })) : [];
    case "claim":
    case "apply":
      return all(state.playtests).flatMap((playtest) => all(state.earned).map((by) => ({ do: what, playtest, by })));
    case "pay":
    case "cancel":
    case "approveTrial":
    case "rejectTrial":
      return all(state.playtests).map((playtest) => ({ do: what, playtest }));
    case "approve":
    case "rejectApplication":
    case "withdraw":
      return all(state.applications).map((application) => ({ do: what, application }));
    default:
      return all(state.slots).map((slot) => ({ do: what, slot }));
  }
}

/** The action a choice means in this state, and whether the server is looked at before its jobs run. Time passes now and then. */
export function resolve(state: State, chosen: Choice): { action: Action; late: boolean } {
  const late = chosen.other % 20 === 0;
  if (late || chosen.other % 20 < 3) return { action: waiting(state, late, chosen), late };
  const first = everything.indexOf(wheel[chosen.roll % wheel.length]!);
  for (const what of [...everything.slice(first), ...everything.slice(0, first)]) {
    const action = target(state, what, chosen);
    if (action) return { action, late };
  }
  return { action: waiting(state, late, chosen), late };
}

function target(state: State, what: What, chosen: Choice): Action | undefined {
  const all = candidates(state, what, chosen);
  const from = all.filter((action) => step(state, action).status < 300 === chosen.guided);
  const rare = from.filter((action) => isRare(state, action));
  const among = rare.length > 0 ? rare : from;
  return among[chosen.target % among.length];
}

/** Refused only for what the person holds or did before; or the review window is over, and the slot goes on. */
function isRare(state: State, action: Action): boolean {
  const { playtests, slots, applications, now } = state;
  if (action.do === "claim" || action.do === "apply" || action.do === "approve") {
    const applied = action.do === "approve" ? applications[action.application]! : undefined;
    const by = applied?.playtester ?? (action as { by: number }).by;
    const free = slots.map((slot) => (slot.holder === by ? { ...slot, holder: null } : slot));
    const others = applications.filter((one) => one === applied || one.playtester !== by);
    const index = applied ? { application: others.indexOf(applied) } : {};
    return step({ ...state, slots: free, applications: others }, { ...action, ...index }).status < 300;
  }
  const windowAt = "slot" in action ? playtests[slots[action.slot]!.playtest]!.windowAt : null;
  return windowAt !== null && windowAt <= now;
}

/** To the next thing that happens by itself, to the millisecond before it, to the last hour of a window, or any way ahead. */
function waiting(state: State, late: boolean, { target, guided }: Choice): Action {
  const next = Math.min(...state.alarms.map((alarm) => alarm.at));
  if (late && Number.isFinite(next)) return { do: "wait", until: next };
  if (guided && target % 4 < 2 && Number.isFinite(next)) return { do: "wait", until: Math.max(state.now, next - (target % 2)) };
  const windows = state.alarms.flatMap((alarm) =>
    alarm.what === "window" && alarm.at - hour > state.now ? [alarm.at - hour] : [],
  );
  const ahead = [1, 23, 70].map((hours) => state.now + hours * hour);
  return { do: "wait", until: guided && windows.length > 0 ? windows[target % windows.length]! : ahead[target % ahead.length]! };
}
