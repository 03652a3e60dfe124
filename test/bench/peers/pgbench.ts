import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { messages, text } from "../../helpers/postgres-messages.ts";
import { type Relay, startRelay } from "../../helpers/postgres-relay.ts";

interface Statement {
  sql: string;
  /** As sent; undefined for null. */
  values: (string | undefined)[];
}

export interface Recorder extends Relay {
  /** The transactions since the last call, each with the statement before it on the same connection that looked up an API key. */
  taken(): Statement[][];
}

/** A wire to PostgreSQL that notes each transaction. */
export async function startRecorder(databaseUrl: string): Promise<Recorder> {
  let transactions: Statement[][] = [];
  let lookup: Statement | undefined;
  const relay = await startRelay(databaseUrl, (near, far) => {
    const texts = new Map<string, string>();
    let open: Statement[] | undefined;
    const note = (statement: Statement) => {
      if (statement.sql.startsWith("BEGIN")) open = lookup ? [lookup] : [];
      open?.push(statement);
      if (/\bapi_keys\b/.test(statement.sql) && !open) lookup = statement;
      if (statement.sql === "COMMIT" && open) transactions.push(open);
      if (/^(COMMIT|ROLLBACK)$/.test(statement.sql)) open = undefined;
    };
    const sent = messages({ startup: true }, (type, body) => {
      if (type === "P") texts.set(text(body, 0), text(body, text(body, 0).length + 1));
      if (type === "B") note(boundIn(body, texts));
      if (type === "Q") note({ sql: text(body, 0), values: [] });
    });
    near.on("data", (chunk) => far.write(sent(chunk)));
    far.pipe(near);
    far.on("close", () => near.destroy());
  });
  return {
    ...relay,
    taken() {
      const all = transactions;
      transactions = [];
      return all;
    },
  };
}

/** The statement and the values of a Bind message. Values in binary form become PostgreSQL's text form of bytes. */
function boundIn(body: Buffer, texts: ReadonlyMap<string, string>): Statement {
  let at = text(body, 0).length + 1;
  const name = text(body, at);
  at += name.length + 1;
  const formats = Array.from({ length: body.readInt16BE(at) }, (_, index) => body.readInt16BE(at + 2 + 2 * index));
  at += 2 + 2 * formats.length;
  const count = body.readInt16BE(at);
  at += 2;
  const values: Statement["values"] = [];
  for (let index = 0; index < count; index++) {
    const length = body.readInt32BE(at);
    at += 4;
    const bytes = body.subarray(at, at + Math.max(0, length));
    at += bytes.length;
    const binary = (formats.length === 1 ? formats[0] : formats[index]) === 1;
    values.push(length < 0 ? undefined : binary ? `\\x${bytes.toString("hex")}` : bytes.toString());
  }
  return { sql: texts.get(name) ?? "", values };
}

const ids = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const idsIn = (statements: readonly Statement[]) =>
  new Set(statements.flatMap(({ values }) => values.join(" ").match(ids) ?? []));
/** pgbench would take a colon for the start of a variable, also in a string. */
const quoted = (part: string) => `'${part.replaceAll("'", "''").replaceAll(":", "' || CHR(58) || '")}'`;

/**
 * A script of pgbench that runs the statements of `one` in a pipeline. What it has in common with `other`, of the same owner and game,
 * stays; other ids are new each time.
 */
export function scriptOf(one: readonly Statement[], other: readonly Statement[]): string {
  const kept = idsIn(other);
  const fresh = [...idsIn(one)].filter((id) => !kept.has(id));
  const literal = (value: string | undefined): string => {
    if (value === undefined) return "NULL";
    const parts = value.split(new RegExp(`(${fresh.join("|")})`));
    if (parts.length === 1) return value.includes(":") ? `(${quoted(value)})` : quoted(value);
    return `(${parts
      .map((part, index) =>
        index % 2 === 0 ? quoted(part) : `${quoted(part.slice(0, 24))} || CAST(:n${fresh.indexOf(part)} AS TEXT)`,
      )
      .join(" || ")})`;
  };
  const lines = one.map(({ sql, values }) => sql.replace(/\$(\d+)/g, (_, number) => literal(values[Number(number) - 1])));
  const numbers = fresh.map((_, index) => `\\set n${index} random(100000000000, 999999999999)`);
  return [...numbers, "\\startpipeline", ...lines.map((line) => `${line.replace(/;?\s*$/, "")};`), "\\endpipeline", ""].join(
    "\n",
  );
}

/** Transactions a second of pgbench, which runs one of the scripts at a time on each of its connections. Undefined where there is no pgbench. */
export function pgbench(
  databaseUrl: string,
  scripts: readonly string[],
  run: { connections: number; seconds: number },
): number | undefined {
  const folder = mkdtempSync(join(tmpdir(), "playtest-bench-"));
  try {
    const files = scripts.map((script, index) => {
      const file = join(folder, `${index}.sql`);
      writeFileSync(file, script);
      return ["-f", file];
    });
    const options = ["-n", "-M", "prepared", "-c", String(run.connections), "-j", "2", "-T", String(run.seconds)];
    const output = execFileSync("pgbench", [...options, ...files.flat(), databaseUrl], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
    if (!/number of failed transactions: 0 /.test(output)) throw new Error(output);
    return Number(/^tps = ([\d.]+)/m.exec(output)![1]);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
