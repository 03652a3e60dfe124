import { rename, writeFile } from "node:fs/promises";
import { NetworkError } from "../../api/transport.ts";
import type { Context } from "../../cli/define.ts";
import { cannotWrite } from "../../errors.ts";

/** Downloads a PDF file. `what` names it if the reply is something else: "The invoice of payment …". */
export async function fetchPdf(ctx: Context, path: string, what: string): Promise<Buffer> {
  const { body } = await ctx.api().checked({ method: "GET", path, headers: { accept: "application/pdf" } });
  if (body.subarray(0, 1024).includes("%PDF-")) return body;
  throw new NetworkError(`${what} is not a PDF file. It was not saved.`, true);
}

/** Whether a file belongs to standard output, because that is a file or a pipe. */
export const goesToStdout = (ctx: Context) =>
  ctx.out.format.kind === "auto" && (!ctx.io.terminal.stdout || ctx.flags.output !== undefined);

/** Writes a file that only its owner can read, whole or not at all. */
export const writeWhole = (file: string, content: Uint8Array) =>
  writeFile(`${file}.part`, content, { mode: 0o600 })
    .then(() => rename(`${file}.part`, file))
    .catch((error: Error) => Promise.reject(cannotWrite(file, error)));
