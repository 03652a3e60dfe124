import type { DataOf, Endpoint } from "../../../src/contract/endpoint.ts";
import { roleScopes } from "../../../src/contract/endpoint.ts";
import { type Contract, contract } from "../../../src/contract/index.ts";
import type { Session } from "../../accounts/sessions.ts";
import type { Deps } from "../../app/deps.ts";
import type { Page } from "../../database/keyset.ts";
import {
  type Call,
  Committed,
  CommittedProblem,
  type Handler,
  type Handlers,
  Listed,
  listed,
  type Principal,
} from "../../http/call.ts";
import { decodeCursor, encodeCursor } from "../../http/cursor.ts";
import { createOnce, type Once } from "../../http/idempotency.ts";
import { canonicalJson } from "../../http/json.ts";
import { type Rendered, renderData } from "../../http/reply.ts";
import { validate } from "../../http/validate.ts";
import { sha256 } from "../../lib/secrets.ts";

export type Operation = keyof Handlers;

export interface Asked {
  id?: string | undefined;
  query?: Record<string, string>;
  body?: object;
  /** Made for one form of one page: posting it again answers what the first time did. */
  once?: string | undefined;
  cursor?: string | undefined;
}

export interface Answer<Op extends Operation> {
  data: DataOf<Contract[Op]>;
  /** Where the list goes on. */
  next: string | undefined;
}

/** Calls an operation of the API as the playtester who is signed in: the same rules, checks and transactions. */
export type Ask = <Op extends Operation>(session: Session, operation: Op, asked?: Asked) => Promise<Answer<Op>>;

export function createAsk(deps: Deps, handlers: Handlers): Ask {
  return async (session, operation, asked = {}) => {
    const endpoint: Endpoint = contract[operation];
    const handler = handlers[operation] as Handler<never> as Handler<Endpoint>;
    const list = `portal ${session.user_id} ${operation} ${asked.id}`;
    const once = onceOf(deps, session, endpoint, asked);
    const call = createCall(deps, { session, endpoint, asked, list, once });
    const result = await (once ? once.alone(() => attempt(deps, handler, call, once)) : handler(call));
    if (result instanceof Committed) return { data: dataOf(result.rendered), next: undefined };
    if (!(result instanceof Listed)) return { data: result as never, next: undefined };
    return { data: result.data as never, next: result.next ? encodeCursor(deps.secrets, list, result.next) : undefined };
  };
}

const dataOf = (rendered: Rendered) => JSON.parse(Buffer.from(rendered.body as string).toString()).data;

/** The content is part of the key: a page shown again by the back button may send something else. */
function onceOf(deps: Deps, session: Session, endpoint: Endpoint, { id, body, once }: Asked): Once | undefined {
  if (once === undefined) return undefined;
  const path = endpoint.path.replace(/:\w+/, id ?? "");
  const key = `portal-${sha256(`${once} ${path} ${canonicalJson(body ?? {})}`)}`;
  return createOnce(deps, { accountId: session.user_id, key, endpoint, path, query: "", body, pays: false });
}

async function attempt(deps: Deps, handler: Handler<Endpoint>, call: Call<Endpoint>, once: Once) {
  const stored = await deps.store.read((q) => once.find(q));
  return stored ? new Committed<unknown>(stored) : handler(call);
}

const principalOf = (session: Session): Principal => ({
  userId: session.user_id,
  keyId: `session ${session.hash}`,
  keyExpiresAt: null,
  role: session.role,
  scopes: new Set(roleScopes[session.role]),
  emailVerified: true,
});

interface Parts {
  session: Session;
  endpoint: Endpoint;
  asked: Asked;
  list: string;
  once: Once | undefined;
}

/** What a handler gets, without the HTTP around it. */
function createCall(deps: Deps, { session, endpoint, asked, list, once }: Parts): Call<Endpoint> {
  const principal = principalOf(session);
  const query = endpoint.query ? validate(endpoint.query, asked.query ?? {}) : {};
  const page = (fallback = 20): Page => {
    const { limit = fallback } = query as { limit?: number };
    return { limit, after: asked.cursor === undefined ? undefined : decodeCursor(deps.secrets, list, asked.cursor) };
  };
  return {
    params: { id: asked.id } as never,
    query: query as never,
    body: (endpoint.body ? validate(endpoint.body, asked.body ?? {}) : undefined) as never,
    principal,
    maybePrincipal: principal,
    headers: {},
    requestId: "portal",
    page,
    listed,
    read: (fn) => deps.store.read(fn),
    commit: (fn) =>
      deps.store.write(async (tx) => {
        const stored = await once?.find(tx);
        if (stored) return new Committed(stored);
        const outcome = await fn(tx);
        if (outcome instanceof CommittedProblem) throw outcome.problem;
        const meta = { requestId: "portal", timestamp: new Date(deps.clock.now()).toISOString() };
        const rendered = renderData(endpoint.status, outcome, meta);
        await once?.save(tx, rendered);
        return new Committed(rendered);
      }),
  };
}
