import type { z } from "zod";
import type { ErrorCode } from "./errors.ts";

export const scopes = [
  "game_owner",
  "billing",
  "chat",
  "webhooks",
  "notifications",
  "playtester",
  "admin",
  "approve",
  "money",
  "accounts",
] as const;
export type Scope = (typeof scopes)[number];

export const roles = ["game_owner", "playtester", "admin"] as const;
export type Role = (typeof roles)[number];

/** Every scope a key of the role can have, its main scope first: a key is never given more than its role can use. */
export const roleScopes = {
  game_owner: ["game_owner", "billing", "chat", "webhooks", "notifications"],
  playtester: ["playtester", "chat", "notifications"],
  admin: ["admin", "approve", "money", "accounts"],
} as const satisfies Record<Role, readonly Scope[]>;

/** What a key of the role may do with these scopes: `admin` includes the other scopes of admins. */
export const impliedScopes = (role: Role, scopes: readonly string[]): readonly string[] =>
  role === "admin" && scopes.includes("admin") ? roleScopes.admin : scopes;

/**
 * The keys that may call: `"none"` needs no key and reads none; `"any"` takes any valid key; `"main"` takes a key with the main scope of
 * its role; `"every"` takes a key with every scope of its account, for what shows all that the account holds; `"optional"` takes such a key, or no key where the body proves who calls (a token of an email, for example); a list
 * takes a key with every scope in it; `anyOf` takes a key with one of its scopes.
 */
export type Access = "none" | "optional" | "any" | "main" | "every" | readonly Scope[] | { readonly anyOf: readonly Scope[] };

interface Holder {
  role: Role;
  /** The scopes of the key. */
  scopes: readonly string[];
  /** The scopes that a key of the account can have; by default those of the role, which only some administrators have less than. */
  accountScopes?: readonly Scope[];
}

/** Whether a valid API key of this role with these scopes may call. */
export function permits(access: Access, { role, scopes: given, accountScopes = roleScopes[role] }: Holder): boolean {
  if (access === "none" || access === "any") return true;
  const scopes = impliedScopes(role, given);
  if (access === "every") return accountScopes.every((scope) => scopes.includes(scope));
  if (access === "main" || access === "optional") return scopes.includes(roleScopes[role][0]);
  if ("anyOf" in access) return access.anyOf.some((scope) => scopes.includes(scope));
  return access.every((scope) => scopes.includes(scope));
}

export type Media = "tus" | "binary" | "events" | "document";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** What calling it can do, for help, `--dry-run` and confirmation: `spend` moves money, `destroy` cannot be undone. */
export type Risk = "read" | "write" | "spend" | "destroy";

type PathParams<P extends string> = P extends `${string}:${infer Name}/${infer Rest}`
  ? { [K in Name | keyof PathParams<Rest>]: string }
  : P extends `${string}:${infer Name}`
    ? { [K in Name]: string }
    : Record<never, never>;

export interface Endpoint<
  P extends string = string,
  Q extends z.ZodType = z.ZodType,
  B extends z.ZodType = z.ZodType,
  R extends z.ZodType = z.ZodType,
  L extends boolean = boolean,
  H extends z.ZodObject = z.ZodObject,
> {
  method: Method;
  /** Below `/api/v1`, parameters as `:name`. A parameter that is not a UUID is 404. */
  path: P;
  /** Other paths that are the same route, also for idempotency: some paths have a short and a long form. */
  also?: readonly string[];
  access: Access;
  summary: string;
  risk: Risk;
  /** Query parameters; unknown ones are ignored. */
  query?: Q;
  /** JSON body; unknown fields are refused. Absent: the route takes no body, and an empty object is accepted. */
  body?: B;
  /** Largest JSON body in bytes; a larger one is 413. It holds every body that the schema allows, as UTF-8 without escapes. */
  maxBodyBytes: number;
  /** The reply's `data`. */
  reply: R;
  /** 201 where something with an id comes to be, else 200. */
  status: 200 | 201;
  /** 200 where the reply may also show something that was there before. */
  existing?: 200;
  /** The `data` of a reply with 202: it was not done but waits for a person. */
  accepted?: z.ZodType;
  /** A list: `meta` carries `cursor` and `hasMore`. */
  list: L;
  /** Error codes beyond those that every route of its kind can answer with (see `impliedErrors`). */
  errors: readonly ErrorCode[];
  /** An extension: other servers of this API need not have it (`x-extension` in OpenAPI). */
  extension: boolean;
  /** `sandbox` routes exist only on a server started with `--sandbox`. */
  only?: "sandbox";
  /** Callable before the email address is verified, such as the operations that show or change the address. */
  unverified?: boolean;
  /** The reply shows a secret once: stored idempotent replies are encrypted. */
  secretReply?: boolean;
  /** Rate limit class: creating accounts and checking passwords have lower limits than other requests without a key. */
  limit?: "register" | "password";
  /** Refused for an API key with a budget: it would let the key out of it. */
  refusesBudgeted?: boolean;
  /** An administrator with a second factor must have confirmed the API key in use with a code recently. */
  confirmed?: boolean;
  /** Calls that change something are recorded in the audit log: every admin action and every change of credentials. */
  audit?: Audited;
  /**
   * What travels besides enveloped JSON: `tus` upload creation, `binary` file out, `events` JSON or `text/event-stream`,
   * `document` JSON without the envelope.
   */
  media?: Media;
  /** Request headers that carry meaning, beyond the common ones: an object of their names. */
  headers?: H;
  params: PathParams<P>;
}

/** How the audit log records an operation. */
export interface Audited {
  /** What was done, such as `user.suspend`. What is before the dot says what the entry is about: `:id` of the path, if there is one. */
  action: string;
  /** Fields of the body that are recorded with it. Never one with a secret, a name or an email address. */
  details: readonly string[];
}

/** The `audit` of an endpoint. */
export const audited = (action: string, ...details: string[]): { audit: Audited } => ({ audit: { action, details } });

/** What an endpoint has only where it is said. */
type Said = "only" | "unverified" | "secretReply" | "limit" | "refusesBudgeted" | "confirmed" | "audit" | "media";

interface Options<Q extends z.ZodType, B extends z.ZodType, R extends z.ZodType, L extends boolean, H extends z.ZodObject>
  extends Pick<Endpoint, Said> {
  access: Access;
  summary: string;
  reply: R;
  also?: readonly string[];
  risk?: Risk;
  query?: Q;
  body?: B;
  /** 64 KiB unless the fields need more. */
  maxBodyBytes?: number;
  status?: 200 | 201;
  existing?: 200;
  accepted?: z.ZodType;
  list?: L;
  errors?: readonly ErrorCode[];
  extension?: boolean;
  headers?: H;
}

export const KiB = 1024;

/** Describes one endpoint. `route` is `"METHOD /path/:id"`, without `/api/v1`. */
export function endpoint<
  const Route extends `${Method} /${string}`,
  R extends z.ZodType,
  Q extends z.ZodType = z.ZodType<Record<never, never>, Record<never, never>>,
  B extends z.ZodType = z.ZodType<Record<never, never> | undefined, Record<never, never> | undefined>,
  const L extends boolean = false,
  H extends z.ZodObject = z.ZodObject<Record<never, never>>,
>(route: Route, options: Options<Q, B, R, L, H>) {
  type P = Route extends `${Method} ${infer Path}` ? Path : never;
  const [method, path] = route.split(" ") as [Method, P];
  const described = {
    risk: method === "GET" ? ("read" as const) : ("write" as const),
    status: 200 as const,
    maxBodyBytes: 64 * KiB,
    errors: [],
    extension: false,
    ...options,
    list: (options.list ?? false) as L,
    method,
    path,
  };
  return described as unknown as Endpoint<P, Q, B, R, L, H>;
}

export type ParamsOf<E extends Endpoint> = E["params"];
export type QueryIn<E extends Endpoint> = z.input<NonNullable<E["query"]>>;
export type QueryOut<E extends Endpoint> = z.output<NonNullable<E["query"]>>;
export type BodyIn<E extends Endpoint> = z.input<NonNullable<E["body"]>>;
export type BodyOut<E extends Endpoint> = z.output<NonNullable<E["body"]>>;
export type HeadersOut<E extends Endpoint> = z.output<NonNullable<E["headers"]>>;
export type DataOf<E extends Endpoint> = z.output<E["reply"]>;

/** Codes a route can answer with because of what it is, whatever it does. */
export function impliedErrors(e: Endpoint): ErrorCode[] {
  const codes = new Set<ErrorCode>(["BAD_REQUEST", "RATE_LIMITED", "INTERNAL_ERROR", "SERVICE_UNAVAILABLE"]);
  if (e.access !== "none") for (const code of ["UNAUTHORIZED", "FORBIDDEN"] as const) codes.add(code);
  if (e.access !== "none" && !e.unverified) codes.add("EMAIL_NOT_VERIFIED");
  if (e.confirmed) for (const code of ["CONFIRMATION_REQUIRED", "SECOND_FACTOR_REQUIRED"] as const) codes.add(code);
  if (e.path.includes(":")) codes.add("NOT_FOUND");
  if (e.query) codes.add("VALIDATION_ERROR");
  if (e.method === "GET") return [...codes];
  for (const code of ["VALIDATION_ERROR", "PAYLOAD_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE"] as const) codes.add(code);
  if (e.access !== "none") for (const code of ["CONFLICT", "IDEMPOTENCY_MISMATCH"] as const) codes.add(code);
  return [...codes];
}
