import { type NewBudget, newBudgets } from "../../src/contract/accounts/budgets.ts";
import { pages } from "../../src/contract/pages/addresses.ts";
import { lockActive, requireLive } from "../accounts/authenticate.ts";
import { addBudget } from "../accounts/budgets/service.ts";
import { mailNewKey } from "../accounts/security-mails.ts";
import { createKey } from "../accounts/service.ts";
import type { Deps } from "../app/deps.ts";
import type { Tx } from "../app/tx.ts";
import { Trail } from "../audit/trail.ts";
import type { Caller } from "../http/call.ts";
import type { Origin } from "../http/call-operation.ts";
import { validate } from "../http/validate.ts";
import { conflict, invalid, notFound } from "../lib/api-error.ts";
import { clientOf } from "./clients.ts";
import { OAuthError } from "./error.ts";
import { codeMs, documentHost, type Grantable, isChallenge, isRegistered, requestMs, returnTo, toolsetsIn } from "./rules.ts";
import * as store from "./store.ts";

/** What a client asks for with `/oauth/authorize`. */
export type Parameters = Readonly<Record<string, string | undefined>>;

/** The one resource that tokens are for (RFC 8707). */
export const resourceOf = ({ baseUrl }: Pick<Deps["config"], "baseUrl">) => baseUrl + pages.mcp();

/** Refuses a token for anything else. Without the parameter it is for the one resource that there is. */
export function requireResource(deps: Pick<Deps, "config">, resource: string | undefined): void {
  const own = resourceOf(deps.config);
  if (resource !== undefined && resource !== own) throw new OAuthError("invalid_target", `resource must be ${own}.`);
}

/**
 * Checks what a client asks for and keeps it for the owner to decide. Throws OAuthError, always: before somebody decided, the browser is
 * led to no address, because anybody can register one.
 */
export async function beginConnection(deps: Deps, given: Parameters): Promise<string> {
  const { client_id: clientId = "", redirect_uri: redirectUri = "", state = null } = given;
  const client = await clientOf(deps, clientId);
  if (!isRegistered(client.redirects, redirectUri))
    throw new OAuthError("invalid_request", "redirect_uri is not one of those that the client registered.");
  if (given.response_type !== "code") throw new OAuthError("unsupported_response_type", "response_type must be code.");
  const challenge = given.code_challenge ?? "";
  if (given.code_challenge_method !== "S256" || !isChallenge(challenge))
    throw new OAuthError("invalid_request", "PKCE is required: code_challenge with code_challenge_method S256.");
  requireResource(deps, given.resource);
  if (state !== null && state.length > 2000) throw new OAuthError("invalid_request", "state must have at most 2000 characters.");
  const id = deps.newId();
  const toolsets = JSON.stringify(toolsetsIn(given.scope));
  await deps.store.write((tx) =>
    store.insertRequest(tx, {
      id,
      client_id: client.id,
      client_name: client.name,
      redirect_uri: redirectUri,
      state,
      challenge,
      toolsets,
      created_at: tx.now,
      expires_at: tx.now + requestMs,
    }),
  );
  return id;
}

/** A client that asks, for the page on which its owner decides. */
export interface Asking {
  clientName: string;
  /** The host whose document says that this is the client. Null: it says so itself. */
  host: string | null;
  redirectUri: string;
  toolsets: readonly Grantable[];
}

/** What an owner allows. */
export interface Allowed {
  /** With `read`, which every client has. */
  toolsets: readonly Grantable[];
  budgets: readonly NewBudget[];
  /** When the connection ends (ms). */
  expiresAt: number;
}

/** Who decides, in which browser. */
export interface Decider {
  caller: Caller;
  origin: Origin;
}

const codePurpose = "oauth code";

/** The code of a request: nothing of it is stored, so a form that was sent twice leads to the same one. */
export const codeOf = ({ secrets }: Pick<Deps, "secrets">, id: string) => `${id}.${secrets.mac(codePurpose, id)}`;

/** A budget for a day or month: what is left without one could be spent at once. */
const isLimited = ({ period, limitCents, limitSlots }: NewBudget) =>
  period !== "order" && (limitCents !== undefined || limitSlots !== undefined);

/** What the page on which clients are connected does. It is for people in a browser: no API key connects a client. */
export class Connections {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** The client that asks. 404 when there is none, 409 when the request has ended. */
  async find(id: string): Promise<Asking> {
    const row = await this.#deps.store.read((q) => store.findRequest(q, id));
    const open = requireOpen(row, this.#deps.clock.now());
    if (open.decided_at !== null) throw decided();
    return {
      clientName: open.client_name,
      host: documentHost(open.client_id),
      redirectUri: open.redirect_uri,
      toolsets: JSON.parse(open.toolsets) as Grantable[],
    };
  }

  /** Connects the client and returns where its browser goes. 422 for orders without a budget. */
  async allow({ caller, origin }: Decider, id: string, { toolsets, budgets, expiresAt }: Allowed): Promise<string> {
    const limits = validate(newBudgets(), budgets);
    if (toolsets.includes("order") && !limits.some(isLimited))
      throw invalid("budgets", "must limit a day or a month, because the client may order");
    return this.#deps.store.write(async (tx) => {
      const row = await this.#lock(tx, caller, id);
      // The same form once more, before the client used its code.
      if (row.decided_at !== null && row.key_id !== null && row.user_id === caller.userId && row.used_at === null)
        return this.#back(row, { code: codeOf(this.#deps, id) });
      if (row.decided_at !== null) throw decided();
      const { row: key } = await createKey(tx, {
        userId: caller.userId,
        name: row.client_name,
        scopes: ["game_owner", "billing"],
        expiresAt: tx.now + codeMs,
        readOnly: toolsets.every((one) => one === "read"),
        client: { id: row.client_id, toolsets },
      });
      for (const limit of limits) await addBudget(tx, caller.userId, { key_id: key.id, game_id: null }, limit);
      const decision = { user_id: caller.userId, key_id: key.id, key_expires_at: expiresAt, decided_at: tx.now };
      const codeEnd = tx.now + codeMs;
      if (!(await store.decide(tx, id, { ...decision, expires_at: codeEnd }))) throw decided();
      await tx.schedule({ kind: "remove-connection", key: id, payload: { requestId: id }, runAt: codeEnd });
      const from = { address: origin.client.address, request_id: origin.requestId };
      const trail = new Trail(tx, { actor_id: caller.userId, key_id: null, session_id: caller.sessionId, ...from });
      trail.created(key.id, { action: "key.create" });
      await trail.write();
      await mailNewKey(tx, key, origin.client);
      return this.#back(row, { code: codeOf(this.#deps, id) });
    });
  }

  /** Declines, and returns where the browser goes to tell the client. */
  decline({ caller }: Decider, id: string): Promise<string> {
    return this.#deps.store.write(async (tx) => {
      const row = await this.#lock(tx, caller, id);
      const decision = { user_id: caller.userId, key_id: null, key_expires_at: null, decided_at: tx.now };
      if (!(await store.decide(tx, id, { ...decision, expires_at: row.expires_at }))) throw decided();
      return this.#back(row, { error: "access_denied" });
    });
  }

  async #lock(tx: Tx, caller: Caller, id: string): Promise<store.RequestRow> {
    await lockActive(tx, caller.userId);
    await requireLive(tx, caller, tx.now);
    return requireOpen(await store.findRequest(tx, id), tx.now);
  }

  #back({ redirect_uri: redirectUri, state }: store.RequestRow, outcome: Record<string, string>): string {
    return returnTo(redirectUri, { ...outcome, state, iss: this.#deps.config.baseUrl });
  }
}

function requireOpen(row: store.RequestRow | undefined, now: number): store.RequestRow {
  if (!row) throw notFound();
  // One that was allowed expires with its code, a minute later, and is connected all the same.
  if (row.decided_at === null && row.expires_at <= now)
    throw conflict("This request has expired. Nothing was connected. Start again in the program that wants to connect.");
  return row;
}

const decided = () =>
  conflict("This request was decided before. Nothing was changed. See the connected programs with your API keys.");
