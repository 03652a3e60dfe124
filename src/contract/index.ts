import { agreements } from "./accounts/agreements.ts";
import { budgets } from "./accounts/budgets.ts";
import { factors } from "./accounts/factors.ts";
import { orderApprovals } from "./accounts/order-approvals.ts";
import { passkeys } from "./accounts/passkeys.ts";
import { admin } from "./admin.ts";
import { applications } from "./applications.ts";
import { auth } from "./auth.ts";
import { billing } from "./billing.ts";
import { chat } from "./chat.ts";
import type { BodyIn, DataOf, Endpoint, ParamsOf, QueryIn } from "./endpoint.ts";
import { findings } from "./findings/endpoints.ts";
import { filing } from "./findings/filing.ts";
import { games } from "./games.ts";
import { info } from "./info.ts";
import { moments } from "./moments/endpoints.ts";
import { stills } from "./moments/stills.ts";
import { notifications } from "./notifications.ts";
import { playtester } from "./playtester.ts";
import { playtests } from "./playtests.ts";
import { connections } from "./publications/connections.ts";
import { publications, slotPublications } from "./publications/endpoints.ts";
import { sandbox } from "./sandbox.ts";
import { search } from "./search/endpoints.ts";
import { clips } from "./sharing/clips.ts";
import { shares } from "./sharing/shares.ts";
import { signals } from "./signals/endpoints.ts";
import { highlights } from "./signals/highlights.ts";
import { slots } from "./slots.ts";
import { statistics } from "./statistics/endpoints.ts";
import { webhooks } from "./webhooks.ts";

/** The endpoints by resource; the resource is the OpenAPI tag. */
export const resources = {
  auth: { ...auth, ...factors, ...passkeys },
  games,
  playtests,
  slots: { ...slots, ...slotPublications },
  statistics,
  moments,
  stills,
  findings: { ...findings, ...filing },
  signals,
  highlights,
  shares,
  search,
  clips,
  applications,
  approvals: orderApprovals,
  billing,
  budgets,
  chat,
  info,
  webhooks,
  notifications,
  playtester,
  agreements,
  admin: { ...admin, ...publications, ...connections },
  sandbox,
} as const;

/** Every endpoint of the API by its operation id. */
export const contract = {
  ...auth,
  ...factors,
  ...passkeys,
  ...games,
  ...playtests,
  ...slots,
  ...slotPublications,
  ...statistics,
  ...moments,
  ...stills,
  ...findings,
  ...filing,
  ...signals,
  ...highlights,
  ...shares,
  ...search,
  ...clips,
  ...applications,
  ...billing,
  ...budgets,
  ...orderApprovals,
  ...chat,
  ...info,
  ...webhooks,
  ...notifications,
  ...playtester,
  ...agreements,
  ...admin,
  ...publications,
  ...connections,
  ...sandbox,
} as const satisfies Record<string, Endpoint>;

export type Contract = typeof contract;
export type Operation = keyof Contract;

type OptionalIfEmpty<K extends string, T> = Record<never, never> extends T ? { [P in K]?: T } : { [P in K]: T };
type Body<O extends Operation> =
  undefined extends BodyIn<Contract[O]> ? { body?: BodyIn<Contract[O]> } : { body: BodyIn<Contract[O]> };

/** The input of an operation: its path parameters, query and body as the contract describes them. */
export type Input<O extends Operation> = OptionalIfEmpty<"params", ParamsOf<Contract[O]>> & {
  query?: { [K in keyof QueryIn<Contract[O]>]?: QueryIn<Contract[O]>[K] | number | undefined };
} & Body<O> & {
    headers?: Record<string, string>;
    /** Repeating a request with the same key never takes effect twice. */
    idempotencyKey?: string;
  };

/** An operation that needs nothing may be called without anything. */
export type InputArguments<O extends Operation> = Record<never, never> extends Input<O> ? [input?: Input<O>] : [input: Input<O>];

export type Data<O extends Operation> = DataOf<Contract[O]>;

export interface Meta {
  requestId?: string;
  timestamp?: string;
  /** Of a list: continues it, null at its end. */
  cursor?: string | null;
  hasMore?: boolean;
  totalCount?: number;
}

export interface Reply<T> {
  data: T;
  meta: Meta;
  /** By their names in lower case. */
  headers?: Readonly<Record<string, string>>;
  /** Whether an earlier attempt at the same call may have taken effect already, so that a replayed reply can be the call's own. */
  repeated?: boolean;
}

/** Calls an operation: in the server itself for its pages, or over HTTP with the client. A failed call throws. */
export type CallOperation = <O extends Operation>(operation: O, ...given: InputArguments<O>) => Promise<Reply<Data<O>>>;
