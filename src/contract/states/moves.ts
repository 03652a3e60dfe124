/**
 * A transition table: for each state the moves that leave it, and the state each move leads to. A state without moves is final. A move
 * has one name wherever it starts, and always leads to the same state.
 */
export type Moves<State extends string> = { readonly [S in State]: { readonly [move: string]: State } };

export type StateOf<M> = keyof M & string;

/** Every move of a table. */
export type MoveOf<M> = { [S in keyof M]: keyof M[S] }[keyof M] & string;

/** The moves that leave `From`; of several states, those that leave each of them. */
export type MoveFrom<M, From extends keyof M> = keyof M[From] & string;

/** The states that a move leaves. */
export type SourceOf<M, Move> = { [S in keyof M]: Move extends keyof M[S] ? S : never }[keyof M] & string;

/** The state that a move leads to. */
export type TargetOf<M, Move> = { [S in keyof M]: Move extends keyof M[S] ? M[S][Move] : never }[keyof M] & string;

/** Whether a move leaves this state. */
export const leaves = <M extends Moves<string>, Move extends MoveOf<M>>(
  moves: M,
  state: string,
  move: Move,
): state is SourceOf<M, Move> => Object.hasOwn(moves[state] ?? {}, move);

/** The states that a move leaves, in the order of the table. */
export const sourcesOf = <M extends Moves<string>, Move extends MoveOf<M>>(moves: M, move: Move): SourceOf<M, Move>[] =>
  Object.keys(moves).filter((state) => leaves(moves, state, move));

/** The state that a move leads to. */
export function targetOf<M extends Moves<string>, Move extends MoveOf<M>>(moves: M, move: Move): TargetOf<M, Move>;
export function targetOf(moves: Moves<string>, move: string): string {
  for (const leaving of Object.values(moves)) {
    const target = leaving[move];
    if (target !== undefined) return target;
  }
  throw new Error(`No state has a move ${move}.`);
}
