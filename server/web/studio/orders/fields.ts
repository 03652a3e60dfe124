import {
  type durations,
  durations as lengths,
  type PastPlaytesterScope,
  type SelectionMode,
  type TargetingScope,
  type TargetingType,
  type Visibility,
} from "../../../../src/contract/order-body.ts";
import { invalid } from "../../../lib/api-error.ts";
import { usd } from "../../../lib/money.ts";
import type { FormField } from "../../shared/types.ts";
import type { Form } from "../../types.ts";
import { commandLine } from "../review/commands.ts";
import { audienceFields, audienceFlags, audienceIn } from "./audience.ts";
import { isTimed, timeFields } from "./fixed-time.ts";

/** The fields of the form, by the names that the operation has for them. */
export const labels: Readonly<Record<string, FormField>> = {
  gameId: { label: "Game", id: "game" },
  quantity: { label: "Slots", id: "quantity" },
  durationMinutes: { label: "Minutes of video", id: "minutes" },
  playerCount: { label: "Players in each slot", id: "players" },
  visibility: { label: "Videos", id: "visibility" },
  isFreePublicTrial: { label: "Videos", id: "visibility" },
  selectionMode: { label: "Who chooses", id: "selection" },
  qualifications: { label: "Requirements", id: "qualifications" },
  notesForTesters: { label: "Notes for playtesters", id: "notes" },
  keysForTesters: { label: "Game keys", id: "keys" },
  pastPlaytesterScope: { label: "Offered to", id: "audience" },
  targetingType: { label: "Offered to", id: "audience" },
  targetedPlaytesterId: { label: "Offered to", id: "audience" },
  panel: { label: "Tester group", id: "panel" },
  ref: { label: "Your name for the order", id: "ref" },
  ...audienceFields,
  ...timeFields,
};

type Length = (typeof durations)[number];

interface Audience {
  targetingType: TargetingType;
  targetingScope?: TargetingScope;
  pastPlaytesterScope?: PastPlaytesterScope;
}

/** Whom an order is offered to, by the value of the field; another value is the id of a playtester. */
const audiences: Readonly<Record<string, Audience>> = {
  "new-game": { targetingType: "new", targetingScope: "game" },
  "new-owner": { targetingType: "new", targetingScope: "owner" },
  "past-game": { targetingType: "past", targetingScope: "game", pastPlaytesterScope: "any" },
  "past-owner": { targetingType: "past", targetingScope: "owner", pastPlaytesterScope: "any" },
};

export const audienceLabels: readonly (readonly [value: string, label: string])[] = [
  ["", "Everyone"],
  ["new-game", "Playtesters who have not played this game"],
  ["new-owner", "Playtesters who have played none of your games"],
  ["past-game", "Playtesters with an accepted video of this game"],
  ["past-owner", "Playtesters with an accepted video of one of your games"],
];

const textOf = (given: string | undefined): string => given?.trim() ?? "";

function numberIn(form: Form, field: "quantity" | "playerCount"): number {
  const text = form[field]?.trim() ?? "1";
  if (!/^\d{1,9}$/.test(text)) throw invalid(field, "must be a whole number");
  return Number(text);
}

const keysIn = (form: Form): string[] =>
  textOf(form.keys)
    .split("\n")
    .flatMap((line) => line.trim() || []);

/** What was filled in, as the operation takes it. Throws 422 for what is no number. */
export function bodyOf(form: Form) {
  const [audience, keys] = [form.audience ?? "", keysIn(form)];
  const [qualifications, notes, ref] = [textOf(form.qualifications), textOf(form.notes), textOf(form.ref)];
  const minutes = lengths.find((one) => String(one) === form.minutes) as Length | undefined;
  const isTrial = form.visibility === "trial";
  const targeting =
    audiences[audience] ??
    (audience === ""
      ? {}
      : { targetingType: "past" as const, pastPlaytesterScope: "specific" as const, targetedPlaytesterId: audience });
  return {
    quantity: numberIn(form, "quantity"),
    playerCount: numberIn(form, "playerCount"),
    visibility: (form.visibility === "private" ? "private" : "public") as Visibility,
    ...(isTrial && { isFreePublicTrial: true }),
    ...(form.visibility === "private" && minutes !== undefined && { durationMinutes: minutes }),
    selectionMode: (form.selection === "manual" ? "manual" : "automatic") as SelectionMode,
    ...targeting,
    ...(form.panel && { panel: form.panel }),
    ...audienceIn(form),
    ...(qualifications && { qualifications }),
    ...(notes && { notesForTesters: notes }),
    ...(keys.length > 0 && { keysForTesters: keys }),
    ...(ref && { ref }),
  };
}

export type OrderForm = ReturnType<typeof bodyOf>;

export const methods = ["any", "hours", "credit", "card"] as const;
export const methodOf = ({ method }: Form): (typeof methods)[number] => methods.find((one) => one === method) ?? "any";

/** The command that places the same order, at this price at most. */
export function orderCommand(gameId: string, form: Form, totalCents: number | undefined): string {
  const order = bodyOf(form);
  const audience = form.audience ? audiences[form.audience] : undefined;
  const method = methodOf(form);
  return commandLine(`playtest order ${gameId}`, [
    ["--quantity", String(order.quantity)],
    ["--visibility", order.isFreePublicTrial ? undefined : order.visibility],
    ["--is-free-public-trial", order.isFreePublicTrial ?? false],
    ["--duration-minutes", order.durationMinutes === undefined ? undefined : String(order.durationMinutes)],
    ["--player-count", order.playerCount === 1 ? undefined : String(order.playerCount)],
    ["--selection-mode", order.selectionMode === "manual" ? "manual" : undefined],
    ["--qualifications", order.qualifications],
    ["--targeting-type", audience?.targetingType],
    ["--targeting-scope", audience?.targetingScope],
    ["--past-playtester-scope", audience?.pastPlaytesterScope],
    ["--tester", audience || !form.audience ? undefined : form.audience],
    ["--panel", order.panel],
    ...audienceFlags(form),
    ["--at", isTimed(form) ? form.at : undefined],
    ["--time-zone", isTimed(form) ? form.atZone : undefined],
    ["--notes-for-testers", order.notesForTesters],
    ["--keys-file", order.keysForTesters ? "keys.txt" : undefined],
    ["--ref", order.ref],
    ["--pay", method === "any" ? undefined : method],
    ["--max-cost", totalCents === undefined ? undefined : usd(totalCents).replace(/[$,]/g, "")],
  ]);
}
