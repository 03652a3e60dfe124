import type { IncomingHttpHeaders } from "node:http";
import type { Form } from "../types.ts";
import { behind, type Door } from "./doors.ts";

/** What was typed into a form that was sent after its session had ended. It is in the pages that follow, and nowhere else. */
export interface Kept {
  /** What the form posts to. */
  action: string;
  fields: Readonly<Record<string, string>>;
}

/** Secrets are typed again, and the token of the session that ended is worth nothing. */
const left = /^csrf$|password|^current$|^code$|^kept$|^uri$|^response$|^given$/i;

/** Whether a form is from a page of this server: what another site sends must not wait for somebody to sign in. */
export function isOwnForm({ origin, "sec-fetch-site": site }: IncomingHttpHeaders, baseUrl: string): boolean {
  return site === undefined ? origin === new URL(baseUrl).origin : site === "same-origin";
}

/** Undefined for a form without anything that was typed. */
export function keptOf(door: Pick<Door, "base">, postedTo: string, form: Form): Kept | undefined {
  const action = behind(door, postedTo);
  const fields = Object.fromEntries(
    Object.entries(form).filter((entry): entry is [string, string] => entry[1] !== undefined && !left.test(entry[0])),
  );
  const isTyped = Object.entries(fields).some(([name, text]) => name !== "formKey" && text.trim() !== "");
  return isTyped && action !== undefined ? { action, fields } : undefined;
}

export const writtenOf = (kept: Kept): string => JSON.stringify(kept);

/** What a form brought back. Undefined for what it cannot be. */
export function readKept(door: Pick<Door, "base">, text: string | undefined): Kept | undefined {
  if (text === undefined) return undefined;
  try {
    const { action, fields } = JSON.parse(text) as Kept;
    const isText = Object.values(fields).every((value) => typeof value === "string");
    return isText ? keptOf(door, action, fields) : undefined;
  } catch {
    return undefined;
  }
}
