import type { CallOperation } from "../../../src/contract/index.ts";
import { type Session, sessionPrincipal } from "../../accounts/sessions.ts";
import type { CallAs, Origin } from "../../http/call-operation.ts";
import { canonicalJson } from "../../http/json.ts";
import { sha256 } from "../../lib/secrets.ts";
import type { PageContext } from "./types.ts";

interface Parts extends Pick<PageContext, "site" | "id" | "query" | "form" | "formKey" | "faults" | "now"> {
  callAs: CallAs;
  session: Session;
  origin: Origin;
}

export const createContext = ({ callAs, session, origin, ...given }: Parts): PageContext => ({
  ...given,
  call: keyedByContent(callAs(sessionPrincipal(session), origin)),
  session: { userId: session.user_id, displayName: session.display_name, csrf: session.csrf },
});

/** Adds a hash of the input to the form's idempotency key: after the back button, the same form may be sent with other content. */
const keyedByContent =
  (call: CallOperation): CallOperation =>
  (operation, ...[input]) => {
    const { idempotencyKey, params, body } = (input ?? {}) as { idempotencyKey?: string; params?: object; body?: object };
    if (idempotencyKey === undefined) return call(operation, ...([input] as never));
    const key = `portal-${sha256(`${idempotencyKey} ${operation} ${canonicalJson([params, body])}`)}`;
    return call(operation, ...([{ ...input, idempotencyKey: key }] as never));
  };
