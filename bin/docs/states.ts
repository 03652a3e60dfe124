import * as states from "../../src/contract/states/index.ts";
import type { Moves } from "../../src/contract/states/moves.ts";
import { code, table } from "./markdown.ts";
import * as meanings from "./meanings.ts";

/** The transition tables as the documentation shows them: as tables with the meaning of each state, and as diagrams. */

const described: Record<string, [Moves<string>, Record<string, string>]> = {
  slot: [states.slotMoves, meanings.slotMeanings],
  playtest: [states.playtestMoves, meanings.playtestMeanings],
  application: [states.applicationMoves, meanings.applicationMeanings],
  payment: [states.paymentMoves, meanings.paymentMeanings],
  subscription: [states.subscriptionMoves, meanings.subscriptionMeanings],
};

const words = (move: string) => move.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** Each state with what it means and what can follow, such as "`submitted` (submit)". */
export function stateTable(entity: string): string {
  const [moves, meaning] = described[entity]!;
  const rows = Object.entries(moves).map(([state, leaving]) => {
    const next = Object.entries(leaving).map(([move, target]) => `${code(target)} (${words(move)})`);
    return [code(state), meaning[state]!, next.join(", ") || "–"];
  });
  return table(["status", "meaning", "what can follow"], rows);
}

/** A transition table and the states in which a row of it can be created. */
const startingIn = <M extends Moves<string>>(moves: M, ...starts: (keyof M & string)[]) => ({
  moves: moves as Moves<string>,
  starts,
});

const drawn: Record<string, { moves: Moves<string>; starts: string[] }> = {
  slot: startingIn(states.slotMoves, "open"),
  playtest: startingIn(states.playtestMoves, "pending_payment"),
  application: startingIn(states.applicationMoves, "pending"),
  approval: startingIn(states.approvalMoves, "pending"),
  game: startingIn(states.gameMoves, "active"),
  payment: startingIn(states.paymentMoves, "pending", "completed"),
  reversal: startingIn(states.reversalMoves, "taken"),
  subscription: startingIn(states.subscriptionMoves, "incomplete"),
  deposit: startingIn(states.depositMoves, "credited", "suspense"),
  payout: startingIn(states.payoutMoves, "pending", "completed"),
  upload: startingIn(states.uploadMoves, "open"),
  transcription: startingIn(states.transcriptionMoves, "pending"),
  clip: startingIn(states.clipMoves, "pending"),
  publication: startingIn(states.publicationMoves, "waiting", "published"),
  delivery: startingIn(states.deliveryMoves, "pending", "held", "test"),
  job: startingIn(states.jobMoves, "queued"),
};

/** A Mermaid diagram of every move; `src/help/state-diagram.ts` reads it back where diagrams cannot be drawn. */
export function stateDiagram(entity: string): string {
  const { moves, starts } = drawn[entity]!;
  const arrows = Object.entries(moves).flatMap(([state, leaving]) => {
    const next = Object.entries(leaving).map(([move, target]) => `${state} --> ${target}: ${words(move)}`);
    return next.length > 0 ? next : [`${state} --> [*]`];
  });
  const lines = [...starts.map((state) => `[*] --> ${state}`), ...arrows];
  return ["```mermaid", "stateDiagram-v2", ...lines.map((line) => `  ${line}`), "```"].join("\n");
}
