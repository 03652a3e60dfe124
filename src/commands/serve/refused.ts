import { CliError, cannotWrite, type ExitCode, explained, failure } from "../../errors.ts";

/** Converts server errors caused by a setting, the disk or the database into errors for the operator, instead of bug reports. */
export function refused(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof CliError) return error;
  if (error.name === "ConfigError") {
    const { exitCode } = error as Error & { exitCode: ExitCode };
    return new CliError("REFUSED", exitCode, error.message, { cause: error });
  }
  const plain = explained(error);
  if (plain !== error) return plain;
  const { code, path } = error as NodeJS.ErrnoException;
  if (path !== undefined && (code === "EACCES" || code === "EPERM"))
    return cannotWrite(path, error, "Give this user the permission, or choose another folder.");
  const expected = error.name === "Error" || error.name === "StoreUnavailable";
  return expected ? failure(error.message, undefined, error) : error;
}
