import type { Position } from "../database/keyset.ts";
import { invalid } from "../lib/api-error.ts";
import { type Secrets, sameText } from "../lib/secrets.ts";

export const wrongCursor = () => invalid("cursor", "must be a cursor returned by this list. Start again without it");

/** Encodes a position as a cursor, which is valid only for one list, filter and account, so that it cannot be used to read other lists. */
export function encodeCursor(secrets: Secrets, list: string, position: Position): string {
  const text = `${position.at.toString(36)}.${position.id}`;
  return Buffer.from(`${text}.${secrets.mac("cursor", `${list}|${text}`).slice(0, 22)}`).toString("base64url");
}

export function decodeCursor(secrets: Secrets, list: string, cursor: string): Position {
  const [at = "", id = ""] = Buffer.from(cursor, "base64url").toString().split(".");
  const position = { at: Number.parseInt(at, 36), id };
  // Compares the text, because the decoder ignores invalid characters, so that several texts would be the same cursor.
  if (!sameText(cursor, encodeCursor(secrets, list, position))) throw wrongCursor();
  return position;
}
