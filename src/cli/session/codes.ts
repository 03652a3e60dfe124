import { CliError } from "../../errors.ts";
import type { Prompt } from "../../io/prompt.ts";

const isWrongCode = (error: unknown): error is CliError =>
  error instanceof CliError && error.extra.details?.[0]?.field === "code";

interface Asking {
  prompt: Prompt;
  question: string;
  /** Says what was wrong with a code. */
  say(text: string): void;
}

/** Asks for a code of the second factor and uses it; asks again after a wrong one, three times at most. */
export async function askCode<T>({ prompt, question, say }: Asking, use: (code: string) => Promise<T>): Promise<T> {
  for (let left = 2; ; left--) {
    const code = await prompt.text(question, "Pass --code CODE, or set PLAYTEST_CODE.");
    try {
      return await use(code.trim());
    } catch (error) {
      if (left === 0 || !isWrongCode(error)) throw error;
      say(error.message);
    }
  }
}
