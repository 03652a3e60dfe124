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
import { conflict } from "../lib/problem.ts";
import type { Query, Value } from "./port.ts";
import { updateWhere } from "./rows.ts";

interface Entity<Row, M, Column> {
  /** What a row is, in a sentence. */
  noun: string;
  table: string;
  moves: M;
  /** The column of its state; `status` unless given. */
  column?: Column;
  /** The columns of its primary key; `id` unless given. */
  key?: readonly (keyof Row & string)[];
}

/**
 * Moves the rows of one table by its transition table. What is not in the table does not compile where the row's state is known; at run
 * time a move takes place only from the state the row was seen in, so that of several callers one makes it.
 */
export function stateMachine<
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

  /** The refusal of a move that does not leave this state. */
  const wrongState = (state: StateOf<M>, move: MoveOf<M>) =>
    conflict(`This ${noun} is ${plain(state)}, not ${sourcesOf(moves, move).map(plain).join(" or ")}. Nothing was changed.`);

  /** The row, which must be in a state that the move leaves: otherwise 409. */
  function requireMove<R extends Row, Move extends MoveOf<M>>(
    row: R,
    move: Move,
  ): R & Readonly<Record<Column, SourceOf<M, Move>>> {
    if (isIn(row, ...sourcesOf(moves, move))) return row;
    throw wrongState(row[column], move);
  }

  async function moveTo(tx: Query, row: object, to: string, from: readonly string[], changes: object): Promise<boolean> {
    const id = key.map((name) => [name, (row as Record<string, Value>)[name]!] as const);
    return (await updateWhere(tx, table, { ...changes, [column]: to }, { ...Object.fromEntries(id), [column]: from })) === 1;
  }

  /** Makes a move of a row; undefined when the row left the state meanwhile that it was seen in. */
  async function tryTransition<State extends StateOf<M>, Move extends MoveFrom<M, State>>(
    tx: Query,
    row: In<State>,
    move: Move,
    changes: Changes = {},
  ): Promise<In<TargetOf<M, Move>> | undefined> {
    if (!leaves(moves, row[column], move)) throw new Error(`a ${noun} that is ${row[column]} has no move ${move}`);
    const to = targetOf(moves, move);
    if (!(await moveTo(tx, row, to, [row[column]], changes))) return undefined;
    return { ...row, ...changes, [column]: to } as In<TargetOf<M, Move>>;
  }

  /** Makes a move of a row: 409 when the row left the state meanwhile that it was seen in. */
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

  /** Makes a move of a row from whichever state has it; false when the row is in none of those. */
  const transitionFromAny = (tx: Query, row: Partial<Row>, move: MoveOf<M>, changes: Changes = {}): Promise<boolean> =>
    moveTo(tx, row, targetOf(moves, move), sourcesOf(moves, move), changes);

  return { isIn, wrongState, requireMove, transition, tryTransition, transitionFromAny };
}

const plain = (state: string) => state.replaceAll("_", " ");
