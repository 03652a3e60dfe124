import { CliError, exitCodes } from "../errors.ts";

/** The command that shows whether a change took effect, by its method and path, and what to do if it did. `$1` is the id in the path. */
const checks: readonly (readonly [RegExp, string, string?])[] = [
  [/^POST \/games$/, "games list"],
  [/^POST \/games\/([^/]+)\/playtests$/, "playtests list $1"],
  [/^(?:PATCH|POST) \/games\/([^/]+)/, "games show $1"],
  [
    /^POST \/playtests\/playtest-applications\//,
    "applications list PLAYTEST",
    "PLAYTEST is the id of the playtest that was applied to. Repeating the change could make it twice.",
  ],
  [/^\w+ \/(?:playtests\/)?slots\/([^/]+)/, "review show $1"],
  [/^\w+ \/playtests\/([^/]+)/, "playtests show $1"],
  [/^POST \/billing\/subscription\//, "billing subscription show"],
  [/^POST \/billing\//, "billing payments list"],
  [/^POST \/chat\//, "chat list"],
  [
    /^POST \/webhooks$/,
    "webhooks list",
    "If it is listed, delete it with `playtest webhooks delete ID` and create it again: its secret was in the lost response.",
  ],
  [/^\w+ \/webhooks/, "webhooks list"],
  [/^POST \/notifications\//, "notifications list --unread"],
  [/^POST \/auth\/register/, "login"],
  [/^\w+ \/auth\/(?:api-keys|sessions|sign-out)/, "auth keys list"],
  [/^\w+ \/auth\//, "auth status"],
  [/^\w+ \/playtester\//, "tester slots"],
  [/^\w+ \/admin\//, "admin audit"],
];

/** What to do instead of repeating a change that could take effect twice. */
export function howToCheck(method: string, path: string): string {
  const target = `${method} ${path.split("?")[0]}`;
  const found = checks.find(([pattern]) => pattern.test(target));
  const repeating = "Repeating it could make the change twice.";
  if (!found) return `Check on the server's website whether it took effect. ${repeating}`;
  const [pattern, list, next = repeating] = found;
  const command = list.replace("$1", () => pattern1(pattern, target));
  return `Check whether it took effect: \`playtest ${command}\`. ${next}`;
}

const pattern1 = (pattern: RegExp, target: string) => decodeURIComponent(pattern.exec(target)?.[1] ?? "");

/** A change whose response was lost or cannot be used. */
export interface Unclear {
  method: string;
  /** Below `/api/v1`, with its query. */
  path: string;
  /** With `/api/v1`. */
  pathname: string;
  /** The key that makes a repetition safe. Undefined: the server is not known to honor it. */
  idempotencyKey: string | undefined;
}

/** The last attempt of a mutation was sent but got no usable response: it may or may not have taken effect (exit 12). */
export class OutcomeUnknown extends CliError {
  readonly idempotencyKey: string | undefined;
  constructor({ method, path, pathname, idempotencyKey }: Unclear, cause: Error, response = "was lost") {
    const message = `${method} ${pathname} was sent, but its response ${response}: it may or may not have taken effect. ${cause.message}`;
    super("OUTCOME_UNKNOWN", exitCodes.unknownOutcome, message, {
      cause,
      retryable: idempotencyKey !== undefined,
      hint: idempotencyKey === undefined ? howToCheck(method, path) : undefined,
    });
    this.idempotencyKey = idempotencyKey;
  }
}
