/**
 * Why a command of this program failed, from its standard error with `--json`: warnings as text, and the error as JSON in the last line.
 * A last line that is no such error is the reason itself; without one it is undefined.
 */
export function reasonIn(stderr: string): string | undefined {
  const last = stderr.trim().split("\n").at(-1);
  try {
    return (JSON.parse(last ?? "") as { message?: string }).message;
  } catch {
    return last || undefined;
  }
}
