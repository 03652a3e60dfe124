import type { Query } from "../../database/port.ts";
import { deleteWhere, findRow, insertRow, updateWhere } from "../../database/rows.ts";
import type { Tables } from "../../database/schema/index.ts";

/** Issues of findings in a team's tracker. */

export type IssueRow = Tables["finding_issues"];

export const insert = (tx: Query, row: IssueRow) => insertRow(tx, "finding_issues", row);
export const update = (tx: Query, findingId: string, changes: Partial<IssueRow>) =>
  updateWhere(tx, "finding_issues", changes, { finding_id: findingId });
export const find = (q: Query, findingId: string) => findRow(q, "finding_issues", { finding_id: findingId });
export const remove = (tx: Query, findingId: string) => deleteWhere(tx, "finding_issues", { finding_id: findingId });

/** The issues of a game's findings. */
export const ofGame = (q: Query, gameId: string) =>
  q.all<IssueRow>("SELECT * FROM finding_issues WHERE game_id = ? ORDER BY finding_id", gameId);
