import { message, messages, text } from "./postgres-messages.ts";
import { type Relay, startRelay } from "./postgres-relay.ts";

export interface RestrictedOptions {
  seed: number;
  /** Of the commits, this part fails with 40001 and is rolled back. */
  conflicts: number;
  /** The longest delay of a reply. Nine of ten are below a hundredth of it. */
  delayMs: number;
}

/** What CockroachDB, YugabyteDB or Citus lack. */
const lacking = [
  { what: "advisory locks", pattern: /\bpg_(?:try_)?advisory/i },
  { what: "SKIP LOCKED", pattern: /\bSKIP\s+LOCKED\b/i },
  { what: "LISTEN", pattern: /^\s*(?:UN)?LISTEN\b|^\s*NOTIFY\b|\bpg_notify\b/i },
];
/** As CockroachDB answers it: the server learns from it how to define tables. */
const version = /^SELECT version\(\) AS (\w+)$/;
const definition = /^\s*(?:CREATE|ALTER|DROP|REVOKE|GRANT)\b/i;

/** Statements that fail on the server, as the refused ones would there: with a state, if they have no parameters. */
const failing = (state: string, why: string) => `DO $$ BEGIN RAISE EXCEPTION '${why}' USING ERRCODE = '${state}'; END $$`;
const refusedParsing = (what: string) => `refused: ${what.replaceAll(" ", "_")}`;

/** Numbers from 0 up to 1, the same ones for the same seed. */
function chanceFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/**
 * A wire to a PostgreSQL server that makes it as poor as others that speak its protocol: it refuses advisory locks, `SKIP LOCKED`,
 * `LISTEN` and, inside transactions, definitions of tables; says that it is another product, lets some commits fail, and delays replies.
 */
export function startRestricted(serverUrl: string, options: RestrictedOptions): Promise<Relay> {
  let connections = 0;
  return startRelay(serverUrl, (near, far) => {
    const chance = chanceFrom(options.seed + connections++);
    const restrict = messages({ startup: true }, restrictions(chance, options));
    const delayed = inOrder(() => options.delayMs * chance() ** 60);
    near.on("data", (chunk) => far.write(restrict(chunk)));
    far.on("data", (chunk) => delayed(() => near.write(chunk)));
    far.on("close", () => delayed(() => near.destroy()));
  });
}

/** What becomes of the messages of one connection. */
function restrictions(chance: () => number, { conflicts }: RestrictedOptions) {
  let inTransaction = false;
  const instead = (statement: string): string | undefined => {
    if (version.test(statement)) return statement.replace(version, "SELECT 'CockroachDB, as far as tests tell' AS $1");
    const refused = lacking.find(({ pattern }) => pattern.test(statement));
    if (refused) return refusedParsing(refused.what);
    if (inTransaction && definition.test(statement)) return failing("0A000", "definitions are refused inside transactions");
    return undefined;
  };
  return (type: string, body: Buffer): Buffer | undefined => {
    if (type === "P") {
      const name = text(body, 0);
      const at = Buffer.byteLength(name) + 1;
      const statement = text(body, at);
      const other = instead(statement);
      if (other === undefined) return undefined;
      const end = at + Buffer.byteLength(statement);
      return message(type, Buffer.concat([body.subarray(0, at), Buffer.from(other), body.subarray(end)]));
    }
    if (type !== "Q") return undefined;
    const statement = text(body, 0);
    if (/^BEGIN\b/.test(statement)) inTransaction = true;
    if (/^(COMMIT|ROLLBACK)\b/.test(statement)) inTransaction = false;
    const fails = statement === "COMMIT" && chance() < conflicts;
    const other = fails ? `ROLLBACK; ${failing("40001", "restart transaction")}` : instead(statement);
    return other === undefined ? undefined : message(type, Buffer.from(`${other}\0`));
  };
}

/** Runs tasks after a pause each, and in their order. Pauses of less than a millisecond are left out. */
function inOrder(pauseMs: () => number): (task: () => void) => void {
  let last = Promise.resolve();
  return (task) => {
    const ms = pauseMs();
    const paused = ms < 1 ? undefined : new Promise((resolve) => setTimeout(resolve, ms));
    last = Promise.all([last, paused]).then(task);
  };
}
