import type { ServerResponse } from "node:http";
import type { ProblemBody } from "../../src/contract/problems.ts";
import type { Problem } from "../lib/problem.ts";

/** A finished reply: nothing below the listener writes to a socket. */
export interface Rendered {
  status: number;
  headers: Record<string, string>;
  body: string | Uint8Array;
}

export interface Meta {
  requestId: string;
  timestamp: string;
  cursor?: string | null;
  hasMore?: boolean;
  totalCount?: number;
}

const json = { "Content-Type": "application/json; charset=utf-8" };

export const renderData = (status: number, data: unknown, meta: Meta): Rendered => ({
  status,
  headers: { ...json },
  body: JSON.stringify({ data, meta }),
});

export function renderProblem(problem: Problem, meta: Meta): Rendered {
  const { code, message, details, payment } = problem;
  const body: ProblemBody = { error: { code, message, ...(details && { details }), ...(payment && { payment }) }, meta };
  return { status: problem.status, headers: { ...json, ...problem.headers }, body: JSON.stringify(body) };
}

/** Ends the response; `common`, the headers all replies have, takes in the others. */
export function send(response: ServerResponse, rendered: Rendered, common: Record<string, string>): void {
  const { status, headers, body } = rendered;
  const length = typeof body === "string" ? Buffer.byteLength(body) : body.length;
  response.writeHead(status, Object.assign(common, headers, { "Content-Length": length }));
  response.end(body);
}
