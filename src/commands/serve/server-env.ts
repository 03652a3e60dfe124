import { readFileSync } from "node:fs";
import type { Context } from "../../cli/define.ts";
import { badConfig } from "../../errors.ts";

/** Variables of the command whose own names end in `_FILE`. */
const others = new Set(["PLAYTEST_BUILD_FILE"]);

/**
 * The environment of a server: a variable such as `PLAYTEST_SMTP_URL_FILE` names a file with the value of `PLAYTEST_SMTP_URL`, because
 * containers and service managers hand over secrets as files. Throws CliError for a file that is empty or cannot be read, or a variable set
 * twice.
 */
export function serverEnv({ io }: Pick<Context, "io">): Record<string, string | undefined> {
  const env = { ...io.env };
  for (const [name, path] of Object.entries(io.env)) {
    const variable = /^(PLAYTEST_\w+|DATABASE_URL|AWS_(?:ACCESS_KEY_ID|SECRET_ACCESS_KEY|SESSION_TOKEN))_FILE$/.exec(name)?.[1];
    if (variable === undefined || !path || others.has(name)) continue;
    if (io.env[variable]) throw badConfig(`${variable} and ${name} are both set. Nothing was changed.`, "Unset one of them.");
    const value = contents(name, path);
    // As a variable that is not set, it would start another server: one with a new database, or without a token.
    if (value === "")
      throw badConfig(
        `${name} names an empty file: ${path}. Nothing was changed.`,
        `Write the value of ${variable} to the file, or unset ${name}.`,
      );
    env[variable] = value;
  }
  return env;
}

/** Without the line feed that editors put at the end. */
function contents(name: string, path: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch (cause) {
    throw badConfig(
      `${name} names a file that cannot be read: ${(cause as Error).message}. Nothing was changed.`,
      "Correct the path or the permissions of the file.",
    );
  }
}
