import { CliError, type ExitCode, failure } from "../../errors.ts";

/** What the server will not do because of a setting, the disk or the database is the operator's to solve, not a defect. */
export function refused(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof CliError) return error;
  if (error.name === "ConfigError") {
    const { exitCode } = error as Error & { exitCode: ExitCode };
    return new CliError("REFUSED", exitCode, error.message, { cause: error });
  }
  const foreseen = error.name === "Error" || error.name === "StoreUnavailable";
  return foreseen ? failure(error.message, undefined, error) : error;
}
