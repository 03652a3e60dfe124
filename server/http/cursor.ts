import { invalid } from "../problem.ts";
import { type Secrets, sameText } from "../secrets.ts";
import type { Position } from "../store/keyset.ts";

/** A cursor is valid only for the list, filter and account it was made for (decisions §1). */
export function encodeCursor(secrets: Secrets, list: string, position: Position): string {
  const text = `${position.at.toString(36)}.${position.id}`;
  return Buffer.from(`${text}.${secrets.mac("cursor", `${list}|${text}`).slice(0, 22)}`).toString("base64url");
}

export function decodeCursor(secrets: Secrets, list: string, cursor: string): Position {
  const [at, id, mac] = Buffer.from(cursor, "base64url").toString().split(".");
  const expected = secrets.mac("cursor", `${list}|${at}.${id}`).slice(0, 22);
  if (!at || !id || !mac || !sameText(mac, expected))
    throw invalid("cursor", "is not one this list gave out; start again without it");
  return { at: Number.parseInt(at, 36), id };
}
