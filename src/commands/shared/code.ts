import { type Context, flag } from "../../cli/define.ts";
import { askCode } from "../../cli/session/codes.ts";
import { CliError } from "../../errors.ts";

export const codeFlag = flag.text("Code from your authenticator app, or a recovery code", { value: "CODE", field: "code" });

const codeQuestion = "Code from your authenticator app, or a recovery code:";

/** The code given by the flag or the environment. */
export const givenCode = (ctx: Context, flagged: string | undefined): string | undefined => flagged ?? ctx.io.env.PLAYTEST_CODE;

/** Sends a request with a code that is asked for. */
export const withAskedCode = <T>(ctx: Context, question: string, send: (code: string) => Promise<T>): Promise<T> =>
  askCode({ prompt: ctx.prompt, question, say: (text) => ctx.out.warn(text) }, send);

/** Sends a request with the code that was given, or with one that is asked for. */
export async function withCode<T>(ctx: Context, flagged: string | undefined, send: (code: string) => Promise<T>): Promise<T> {
  const code = givenCode(ctx, flagged);
  return code === undefined ? withAskedCode(ctx, codeQuestion, send) : send(code);
}

/** Sends a request that takes a code only where the account has a second factor: asks when the server wants one. */
export async function withCodeIfNeeded<T>(
  ctx: Context,
  flagged: string | undefined,
  send: (code: string | undefined) => Promise<T>,
): Promise<T> {
  try {
    return await send(givenCode(ctx, flagged));
  } catch (error) {
    if (!(error instanceof CliError && error.code === "CODE_REQUIRED")) throw error;
    return withCode(ctx, flagged, send);
  }
}
