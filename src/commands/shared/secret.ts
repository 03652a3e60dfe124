import type { Context } from "../../cli/define.ts";
import { usage } from "../../errors.ts";

const firstLine = (text: string) => text.split(/\r?\n/, 1)[0] ?? "";

/** Reads a secret from a file, from standard input if the file is `-`, or from a prompt; never from a flag's value. */
export async function readSecret(ctx: Context, file: string | undefined, flag: string, question: string): Promise<string> {
  if (file !== undefined) {
    const secret = firstLine(await ctx.io.readText(file, flag));
    if (secret === "") throw usage(`${flag}: ${file === "-" ? "standard input" : file} is empty.`);
    return secret;
  }
  return ctx.prompt.secret(question, `Pass ${flag} FILE; - reads standard input.`);
}
