import { copied } from "../shared/parts.ts";
import * as shared from "../shared/types.ts";

export interface OperatorContext extends shared.PageContext {
  /** What is left on the disk of the data folder, and below how much uploads are refused. */
  disk(): Promise<{ freeBytes: number; minFreeBytes: number }>;
}

export type OperatorPage = shared.AreaPage<OperatorContext>;
export const action = shared.actionFor<OperatorContext>();

/** Whether somebody searches by an id. */
export const isId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** A command to copy, for what is left to the command line. */
export const command = (text: string) => copied(text, `the command ${text}`);
