import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ConfigError } from "../../config/read.ts";
import type { Credentials } from "./signature.ts";

export type Env = Readonly<Record<string, string | undefined>>;

/**
 * Finds credentials where the programs of AWS look for them: in the environment, or in the file `~/.aws/credentials`. They are read again
 * now and then, because credentials that end are replaced in that file.
 */
export async function findCredentials(env: Env): Promise<Credentials> {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_SESSION_TOKEN: sessionToken } = env;
  if (accessKeyId && secretAccessKey) return { accessKeyId, secretAccessKey, sessionToken: sessionToken || undefined };
  const file = env.AWS_SHARED_CREDENTIALS_FILE || (env.HOME && join(env.HOME, ".aws", "credentials"));
  const profile = env.AWS_PROFILE || "default";
  const text = file ? await readFile(file, "utf8").catch(unlessMissing) : undefined;
  const found = text === undefined ? {} : sectionOf(text, profile);
  if (found.aws_access_key_id && found.aws_secret_access_key)
    return {
      accessKeyId: found.aws_access_key_id,
      secretAccessKey: found.aws_secret_access_key,
      sessionToken: found.aws_session_token,
    };
  throw new ConfigError(
    `There are no credentials for the bucket of blobs.address: neither AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY nor the profile ${profile} in ${file || "~/.aws/credentials"}. Nothing was changed. Set both variables, or name files that hold them with AWS_ACCESS_KEY_ID_FILE and AWS_SECRET_ACCESS_KEY_FILE.`,
  );
}

function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}

/** The values of one section of a file of AWS. */
function sectionOf(text: string, wanted: string): Record<string, string> {
  const found: Record<string, string> = {};
  let section = "";
  for (const line of text.split("\n")) {
    section = /^\s*\[\s*(.+?)\s*\]/.exec(line)?.[1] ?? section;
    const [, name, value] = /^\s*(\w+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (name !== undefined && section === wanted) found[name] = value!;
  }
  return found;
}
