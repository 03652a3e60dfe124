import {
  leaves,
  type MoveFrom,
  type MoveOf,
  type Moves,
  type SourceOf,
  type StateOf,
  sourcesOf,
  type TargetOf,
  targetOf,
} from "../../src/contract/states/moves.ts";
import { conflict } from "../lib/api-error.ts";
import type { Query, Value } from "./port.ts";
import { updateWhere } from "./rows.ts";
import type { TableName, Tables } from "./schema/index.ts";

interface Entity<Row, M, Column> {
  /** The name of the entity in messages. */
  noun: string;
  table: TableName;
  moves: M;
  /** The column with the state. Default: `status`. */
  column?: Column;
  /** The columns of the primary key. Default: `id`. */
  key?: readonly (keyof Row & string)[];
}

/**
 * Changes the state of rows of a table according to a transition table. Illegal moves do not compile when the row's state is known. At run
 * time a move succeeds only if the row still has the state that the caller saw, so that only one of several callers succeeds.
 */
export const stateMachine = <K extends TableName, M extends Moves<string>, Column extends "status" | "state" = "status">(
  entity: Entity<Tables[K], M, Column> & { table: K },
) => stateMachineOf<Tables[K] & Record<Column, StateOf<M>>, M, Column>(entity);

/** The same for rows with more than the columns of the table. */
export function stateMachineOf<
  Row extends Record<Column, StateOf<M>>,
  M extends Moves<string>,
  Column extends "status" | "state" = "status",
>({ noun, table, moves, column = "status" as Column, key = ["id" as keyof Row & string] }: Entity<Row, M, Column>) {
  type In<State> = Row & Readonly<Record<Column, State>>;
  type Changes = Partial<Omit<Row, Column>>;

  /** Whether the row is in one of these states. */
  const isIn = <R extends Row, State extends StateOf<M>>(
    row: R,
    ...states: readonly State[]
  ): row is R & Readonly<Record<Column, State>> => (states as readonly string[]).includes(row[column]);

  /** The 409 for a move that is not allowed from this state. */
  const wrongState = (state: StateOf<M>, move: MoveOf<M>) =>
    conflict(`This ${noun} is ${plain(state)}, not ${sourcesOf(moves, move).map(plain).join(" or ")}. Nothing was changed.`);

  /** Returns the row if the move is allowed from its state. Throws 409 otherwise. */
  function requireMove<R extends Row, Move extends MoveOf<M>>(
    row: R,
    move: Move,
  ): R & Readonly<Record<Column, SourceOf<M, Move>>> {
    if (isIn(row, ...sourcesOf(moves, move))) return row;
    throw wrongState(row[column], move);
  }

  async function moveTo(tx: Query, row: object, to: string, from: Value | readonly Value[], changes: object): Promise<boolean> {
    const expected: Record<string, Value | readonly Value[]> = { [column]: from };
    for (const name of key) expected[name] = (row as Record<string, Value>)[name]!;
    return (await updateWhere(tx, table, { ...changes, [column]: to }, expected)) === 1;
  }

  /** Makes a move. Undefined when the row no longer has the state that the caller saw. */
  async function tryTransition<State extends StateOf<M>, Move extends MoveFrom<M, State>>(
    tx: Query,
    row: In<State>,
    move: Move,
    changes: Changes = {},
  ): Promise<In<TargetOf<M, Move>> | undefined> {
    if (!leaves(moves, row[column], move))
      throw new Error(`the move ${move} is not allowed for a ${noun} that is ${row[column]}`);
    const to = targetOf(moves, move);
    if (!(await moveTo(tx, row, to, row[column], changes))) return undefined;
    return { ...row, ...changes, [column]: to } as In<TargetOf<M, Move>>;
  }

  /** Makes a move. Throws 409 when the row no longer has the state that the caller saw. */
  async function transition<State extends StateOf<M>, Move extends MoveFrom<M, State>>(
    tx: Query,
    row: In<State>,
    move: Move,
    changes: Changes = {},
  ): Promise<In<TargetOf<M, Move>>> {
    const moved = await tryTransition(tx, row, move, changes);
    if (moved) return moved;
    throw conflict(`The ${noun} was changed by someone else. Nothing was done. Reload and try again.`);
  }

  /** Makes a move from any state that allows it. False when the row's current state does not. */
  const transitionFromAny = (tx: Query, row: Partial<Row>, move: MoveOf<M>, changes: Changes = {}): Promise<boolean> =>
    moveTo(tx, row, targetOf(moves, move), sourcesOf(moves, move), changes);

  return { isIn, wrongState, requireMove, transition, tryTransition, transitionFromAny };
}

const plain = (state: string) => state.replaceAll("_", " ");
