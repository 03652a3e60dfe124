import type { Position } from "../database/keyset.ts";
import { invalid } from "../lib/problem.ts";
import { type Secrets, sameText } from "../lib/secrets.ts";

/** A cursor is valid only for the list, filter and account it was made for, so that it cannot be used to read another's. */
export function encodeCursor(secrets: Secrets, list: string, position: Position): string {
  const text = `${position.at.toString(36)}.${position.id}`;
  return Buffer.from(`${text}.${secrets.mac("cursor", `${list}|${text}`).slice(0, 22)}`).toString("base64url");
}

export function decodeCursor(secrets: Secrets, list: string, cursor: string): Position {
  const [at = "", id = ""] = Buffer.from(cursor, "base64url").toString().split(".");
  const position = { at: Number.parseInt(at, 36), id };
  // Compared as text: the decoder skips what is not base64url, so other texts would stand for the same place.
  if (!sameText(cursor, encodeCursor(secrets, list, position)))
    throw invalid("cursor", "must be a cursor returned by this list. Start again without it");
  return position;
}
