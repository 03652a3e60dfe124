import { OutcomeUnknown } from "../api/outcome.ts";
import type { ErrorDetail } from "../contract/errors.ts";
import { CliError, DryRun, ExitWith, exitCodeFor, exitCodes, explained, Interrupted, PipeClosed } from "../errors.ts";
import type { Io } from "../io/io.ts";
import { foldLines, lines, oneLine, painter, redact, redactText, shellShown, toJson, usd, uuid } from "../io/text.ts";
import { flagName } from "./flags.ts";
import { selectFields } from "./globals.ts";
import type { Running } from "./program.ts";
import { wantsColor } from "./session/index.ts";
import { version } from "./version.ts";

/** The command line that retries this command safely. */
export function repeatCommand(argv: readonly string[], key: string): string {
  const given = argv.some((word) => word === "--idempotency-key" || word.startsWith("--idempotency-key="));
  return ["playtest", ...argv, ...(given ? [] : ["--idempotency-key", key])].map(shellShown).join(" ");
}

const asksForJson = (argv: readonly string[]) => argv.some((word) => /^--(json(=.*)?|ndjson|jq(=.*)?)$/.test(word));

// An error in a row of a file already names its line. An error in a request names the field's flag and, for a list, the value.
function detailText({ field, message }: ErrorDetail, { flags = [], args = {} }: Pick<Running, "flags" | "args">) {
  if (field.includes(" ")) return `${field}: ${message}`;
  const [name = "", index = ""] = field.split(".");
  // What an account has is no flag.
  if (name === "balance") return `${name}: ${message}`;
  const which = /^\d+$/.test(index) ? ` (value ${Number(index) + 1})` : "";
  const isSentAs = (one: { field?: string | readonly string[] }) => [one.field].flat().includes(name);
  const hasFlag = flags.some((one) => one.name === flagName({ name }) || isSentAs(one));
  const argument = Object.entries(args).find(([own, one]) => isSentAs(one) || (own === name && !hasFlag))?.[0];
  if (argument !== undefined) return `<${argument}>: ${message}`;
  // A header keeps its name: its capitals begin no words of a flag.
  const flag = flags.find(isSentAs)?.name ?? (/^[A-Z]/.test(name) ? name : flagName({ name }));
  // What is read from a file has no flag of its own.
  return `${flags.some((one) => one.name === flag) ? "--" : ""}${flag}${which}: ${message}`;
}

interface Report {
  code: string;
  message: string;
  details: readonly ErrorDetail[];
  httpStatus: number | null;
  requestId: string | null;
  exitCode: number;
  hint: string | null;
  retryable: boolean;
  retryCommand: string | null;
  payment?: unknown;
  budget?: unknown;
  approval?: unknown;
}

const during = (error: unknown) => (error instanceof Interrupted ? error.during : undefined);

/** Where an argument that makes no sense stands behind a bare `--json`: how fields are selected. */
function fieldsHint({ exitCode, message }: CliError, { afterJson }: Running): string | undefined {
  if (afterJson === undefined || uuid.test(afterJson)) return undefined;
  const meant = exitCode === exitCodes.notFound || (exitCode === exitCodes.usage && message.includes(JSON.stringify(afterJson)));
  return meant ? selectFields(afterJson) : undefined;
}

function describe(error: unknown, argv: readonly string[], running: Running): Report {
  const exitCode = exitCodeFor(error);
  const lost = error instanceof OutcomeUnknown ? error.idempotencyKey : during(error)?.idempotencyKey;
  const retryCommand = lost === undefined ? null : repeatCommand(argv, running.session?.repeatKey() ?? lost);
  if (error instanceof CliError) {
    const {
      details = [],
      httpStatus = null,
      requestId = null,
      hint = null,
      retryable = false,
      payment,
      budget,
      approval,
    } = error.extra;
    const { code, message } = error;
    const base = { code, message, details, httpStatus, requestId, exitCode, hint: fieldsHint(error, running) ?? hint, retryable };
    const more = { ...(payment && { payment }), ...(budget && { budget }), ...(approval && { approval }) };
    return { ...base, retryCommand: retryCommand ?? error.extra.retryCommand ?? null, ...more };
  }
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof Interrupted ? "INTERRUPTED" : "BUG";
  const hint = during(error)?.hint ?? null;
  return { code, message, details: [], httpStatus: null, requestId: null, exitCode, hint, retryable: false, retryCommand };
}

function bugText(error: unknown) {
  const trace = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `This is a bug in playtest ${version}. Please report it with the following lines:\n${redactText(trace)}`;
}

interface Shown {
  paint(text: string): string;
  width: number;
  /** By which the fields of a request are named. */
  running: Pick<Running, "flags" | "args">;
}

function asText(report: Report, error: unknown, { paint, width, running }: Shown): string {
  if (report.exitCode === exitCodes.bug) return `${paint("error:")} ${lines(bugText(error))}\n`;
  // The API's message repeats the first detail, with the name of the field instead of the flag.
  const [first] = report.details;
  const repeats = first !== undefined && report.message === `${first.field}: ${first.message}`;
  const alone = repeats && report.details.length === 1 ? detailText(first, running) : undefined;
  const isNews = ({ field, message }: ErrorDetail) => field !== "balance" || !report.message.includes(message);
  const message = alone ?? (repeats ? "The request is invalid. Nothing was changed." : report.message);
  const rows = [
    foldLines(`error: ${(report.httpStatus === null ? lines : oneLine)(redactText(message))}`, width).replace(
      "error:",
      paint("error:"),
    ),
    ...(alone === undefined ? report.details.filter(isNews) : []).map((detail) =>
      foldLines(`  ${oneLine(detailText(detail, running))}`, width),
    ),
    ...(report.hint ? [foldLines(lines(redactText(report.hint)), width)] : []),
    ...(report.retryCommand ? [`To retry safely, run: ${report.retryCommand}`] : []),
    ...(report.requestId ? [`Request ID: ${oneLine(report.requestId)}`] : []),
  ];
  return `${rows.join("\n")}\n`;
}

async function showPlan({ requests }: DryRun, running: Running): Promise<number> {
  const { out, text } = running.session!.ctx;
  const shown = requests.map(({ method, path, headers, body, costCents }) => ({
    method,
    path,
    headers: redact(headers),
    ...(body !== undefined && { body: redact(body) }),
    ...(costCents !== undefined && { costCents }),
  }));
  const rows = shown.map(({ method, path, body, costCents }) =>
    [
      `${method} ${path}`,
      ...(body === undefined ? [] : [toJson(body, 2)]),
      ...(costCents === undefined ? [] : [`Cost: ${usd(costCents)}`]),
    ].join("\n"),
  );
  await out.emit(text(rows.join("\n\n"), { dryRun: true, requests: shown }));
  out.note("Dry run: nothing was sent.");
  return exitCodes.ok;
}

/** That of the settings. Where they cannot be read, which is then the error, that of the flag. */
function colorMode({ session, globals }: Running): string | undefined {
  try {
    return session?.ctx.settings().get("color")?.value ?? globals?.color;
  } catch {
    return globals?.color;
  }
}

/** Prints what a command threw to standard error and returns the exit code. */
export async function report(thrown: unknown, argv: readonly string[], io: Io, running: Running): Promise<number> {
  const error = explained(thrown);
  if (error instanceof PipeClosed) return exitCodes.ok;
  if (error instanceof ExitWith) return error.exitCode;
  if (error instanceof DryRun) return showPlan(error, running);
  const described = describe(error, argv, running);
  if (asksForJson(argv)) io.err(`${toJson(redact(described))}\n`);
  else if (!(error instanceof Interrupted && error.during === undefined)) {
    const paint = painter(wantsColor(io, colorMode(running), io.terminal.stderr));
    io.err(asText(described, error, { paint: (text) => paint("red", text), width: io.messageColumns, running }));
  }
  return described.exitCode;
}
