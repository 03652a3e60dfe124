import { CliError, type ExitCode, exitCodes } from "../../errors.ts";

/** One check of `playtest doctor`. */
export interface Check {
  name: string;
  state: "ok" | "warn" | "fail";
  detail: string;
  /** What to do about it. Null if nothing. */
  fix: string | null;
  /** Exit code if this check fails. */
  exitCode: ExitCode;
}

export const ok = (name: string, text: string): Check => ({ name, state: "ok", detail: text, fix: null, exitCode: exitCodes.ok });
export const warn = (name: string, text: string, fix: string): Check => ({ ...ok(name, text), state: "warn", fix });
export const fail = (name: string, text: string, fix: string, exitCode: ExitCode): Check => ({
  ...warn(name, text, fix),
  state: "fail",
  exitCode,
});

/** A failed check from an error. */
export function failed(name: string, error: unknown): Check {
  if (!(error instanceof CliError)) throw error;
  return fail(name, error.message, error.extra.hint ?? "", error.exitCode);
}
