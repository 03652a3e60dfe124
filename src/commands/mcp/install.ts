import { readFile, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { arg, type Context, define, flag } from "../../cli/define.ts";
import { flagName } from "../../cli/flags.ts";
import { refuseDryRun } from "../../cli/session/dry-run.ts";
import { withoutMark } from "../../contract/input/decode.ts";
import { shellQuote } from "../../contract/text/shell.ts";
import { cannotWrite, usage } from "../../errors.ts";
import { makeFolder } from "../../io/files/folder.ts";
import { allowedBy } from "./run.ts";

/** Where a client reads the servers of a project, and under which name. */
const clients = {
  "claude-code": { file: ".mcp.json", list: "mcpServers" },
  cursor: { file: ".cursor/mcp.json", list: "mcpServers" },
  vscode: { file: ".vscode/mcp.json", list: "servers" },
} as const;
type Client = keyof typeof clients;
const names = Object.keys(clients) as Client[];

/** The global flags that say which instance and key are used, and how: what the client starts needs them, too. */
const carried = ["profile", "baseUrl", "apiKeyFile", "insecure", "timeout", "retries", "maxWait"] as const;

function carriedFlags({ flags, io }: Context): string[] {
  if (flags.apiKeyFile === "-")
    throw usage(
      "--api-key-file - cannot be used here: standard input of the server is what the client writes to it. Nothing was changed.",
      "Pass the name of a file, or run `playtest login`.",
    );
  const { apiKeyFile } = flags;
  const given = { ...flags, ...(apiKeyFile !== undefined && { apiKeyFile: resolve(io.cwd(), apiKeyFile) }) };
  return carried.flatMap((name) => {
    const value = given[name];
    if (value === undefined || value === false) return [];
    return value === true ? [`--${flagName({ name })}`] : [`--${flagName({ name })}`, value];
  });
}

/** What the client starts. The API key is not in it: the command finds it as always. */
function entryOf(ctx: Context, client: Client, allow: readonly string[]) {
  allowedBy(allow);
  const args = ["mcp", "run", ...carriedFlags(ctx), ...(allow.length > 0 ? ["--allow", allow.join(",")] : [])];
  return { ...(client === "vscode" && { type: "stdio" }), command: "playtest", args };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The settings in a file; none if it is not there. */
async function settingsIn(path: string): Promise<Record<string, unknown>> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "{}";
    throw usage(`${path} cannot be read: ${error.message}. Nothing was changed.`);
  });
  try {
    const parsed: unknown = JSON.parse(withoutMark(text));
    if (isRecord(parsed)) return parsed;
  } catch {}
  throw usage(`${path} is not a JSON object. Nothing was changed.`, "Add the server by hand: run the command with --print.");
}

export const install = define({
  name: "install",
  summary: "Add the server to the settings of a coding agent in this folder",
  description:
    "Writes to .mcp.json, .cursor/mcp.json or .vscode/mcp.json of the current folder, and keeps what else is there. The API key is not\n" +
    "written: the command finds it in the profile, the keyring or PLAYTEST_API_KEY. The flags --profile, --base-url, --api-key-file,\n" +
    "--insecure, --timeout, --retries and --max-wait are written.",
  risk: "local",
  args: { client: arg.choice(names) },
  flags: {
    print: flag.toggle("Print the settings instead of writing them"),
    allow: flag.list("What the client may do, as for `playtest mcp run` (default read)", { value: "TOOLSETS" }),
  },
  examples: ["playtest mcp install claude-code --print", "playtest mcp install cursor --allow read,order"],
  async run({ args, flags }, ctx) {
    const client = names.find((name) => name === args.client);
    if (!client) throw usage(`${JSON.stringify(args.client)} is not one of ${names.join(", ")}.`);
    const { file, list } = clients[client];
    const entry = entryOf(ctx, client, flags.allow);
    const path = join(ctx.io.cwd(), file);
    if (flags.print) {
      const settings = { [list]: { playtest: entry } };
      return ctx.verbatim(JSON.stringify(settings, null, 2), { file, settings });
    }
    refuseDryRun(ctx);
    const before = await settingsIn(path);
    const servers = before[list] ?? {};
    if (!isRecord(servers))
      throw usage(
        `${list} in ${file} is not a JSON object. Nothing was changed.`,
        "Add the server by hand: run the command with --print.",
      );
    const settings = { ...before, [list]: { ...servers, playtest: entry } };
    await makeFolder(dirname(path));
    await writeFile(path, `${JSON.stringify(settings, null, 2)}\n`).catch((error: Error) => {
      throw cannotWrite(path, error);
    });
    const started = [entry.command, ...entry.args].map(shellQuote).join(" ");
    return ctx.text(`Added to ${file}: the client starts \`${started}\`.`, { file, settings: { [list]: { playtest: entry } } });
  },
});
