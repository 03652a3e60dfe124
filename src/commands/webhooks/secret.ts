import { resolve } from "node:path";
import { type Context, flag } from "../../cli/define.ts";
import { usage } from "../../errors.ts";

export const secretFlag = flag.text("File with the signing secret; - for standard input", { value: "FILE" });
const variable = "PLAYTEST_WEBHOOK_SECRET";

/** Reads the signing secret from a file or the environment, never from a flag value, which other processes can see. */
export async function readSecret(ctx: Context, file: string | undefined): Promise<string> {
  const text = file === undefined ? ctx.io.env[variable] : await readFrom(ctx, file, "--secret-file");
  if (text === undefined) throw usage("A signing secret is required.", `Pass --secret-file FILE, or set ${variable}.`);
  const secret = text.trim();
  if (!/^whsec_[A-Za-z0-9+/=_-]{16,}$/.test(secret))
    throw usage("Invalid signing secret. A signing secret is whsec_ followed by base64.");
  return secret;
}

const pathIn = (ctx: Context, path: string) => (path === "-" ? path : resolve(ctx.io.cwd(), path));

export const readFrom = (ctx: Context, path: string, label: string) => ctx.io.readText(pathIn(ctx, path), label);

/** The body of a request, as it is: a signature is of bytes, which need not be text. */
export const readBody = (ctx: Context, path: string) => ctx.io.readBytes(pathIn(ctx, path), "body");
