import type { CallOperation } from "../../../src/contract/index.ts";
import { type Session, sessionPrincipal } from "../../accounts/sessions.ts";
import type { CallAs } from "../../http/call-operation.ts";
import { canonicalJson } from "../../http/json.ts";
import { sha256 } from "../../lib/secrets.ts";
import type { PageContext } from "./types.ts";

interface Parts extends Pick<PageContext, "id" | "query" | "form" | "formKey" | "now"> {
  callAs: CallAs;
  session: Session;
  requestId: string;
}

export const createContext = ({ callAs, session, requestId, ...given }: Parts): PageContext => ({
  ...given,
  call: keyedByContent(callAs(sessionPrincipal(session), requestId)),
  session: { userId: session.user_id, displayName: session.display_name, csrf: session.csrf },
});

/** Adds the content to the key of a form: a page shown again by the back button may send something else. */
const keyedByContent =
  (call: CallOperation): CallOperation =>
  (operation, ...[input]) => {
    const { idempotencyKey, params, body } = (input ?? {}) as { idempotencyKey?: string; params?: object; body?: object };
    if (idempotencyKey === undefined) return call(operation, ...([input] as never));
    const key = `portal-${sha256(`${idempotencyKey} ${operation} ${canonicalJson([params, body])}`)}`;
    return call(operation, ...([{ ...input, idempotencyKey: key }] as never));
  };
