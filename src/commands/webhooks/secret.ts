import { resolve } from "node:path";
import { type Context, flag } from "../../cli/define.ts";
import { usage } from "../../errors.ts";

export const secretFlag = flag.text("File that holds the secret; - is standard input", { value: "FILE" });
const variable = "PLAYTEST_WEBHOOK_SECRET";

/** The signing secret from a file or the environment; never from a flag's value, which others can see. */
export async function readSecret(ctx: Context, file: string | undefined): Promise<string> {
  const text = file === undefined ? ctx.io.env[variable] : await readFrom(ctx, file, "--secret-file");
  if (text === undefined) throw usage("The signing secret is needed.", `Give --secret-file FILE, or set ${variable}.`);
  const secret = text.trim();
  if (!/^whsec_[A-Za-z0-9+/=_-]{16,}$/.test(secret))
    throw usage("That is not a signing secret: it begins with whsec_ and holds base64.");
  return secret;
}

export const readFrom = (ctx: Context, path: string, label: string) =>
  ctx.io.readText(path === "-" ? path : resolve(ctx.io.cwd(), path), label);
