import { statSync } from "node:fs";
import { join } from "node:path";
import type { Context } from "../../cli/define.ts";
import { type Check, ok, warn } from "./doctor-check.ts";

const modeOf = (path: string) => {
  try {
    return statSync(path).mode & 0o777;
  } catch {
    return undefined;
  }
};

function fileCheck(path: string): Check[] {
  const mode = modeOf(path);
  if (mode === undefined) return [];
  const shown = `${path} (${mode.toString(8).padStart(4, "0")})`;
  const exposed = (mode & 0o077) !== 0;
  return [exposed ? warn("file", `${shown} is accessible to other users`, `Run \`chmod 600 ${path}\`.`) : ok("file", shown)];
}

/** Checks the settings in use and whether other users can read the keys. */
export function settingChecks(ctx: Context): Check[] {
  const settings = ctx.settings();
  const { value, from } = settings.get("baseUrl")!;
  const { directory: folder } = ctx.store;
  const directory = settings.directoryFile;
  const set = Object.keys(directory?.values ?? {}).join(", ") || "nothing";
  return [
    ok("instance", `${value} (from ${from})`),
    ok("profile", `${settings.profile.value} (from ${settings.profile.from})`),
    ok("directory file", directory ? `${directory.path} sets ${set}` : "no .playtest.json in this directory or its parents"),
    // Windows has no file modes; the user's directories are private there.
    ...(ctx.io.platform === "win32" || folder === undefined
      ? []
      : ["config.json", "keys.json"].flatMap((name) => fileCheck(join(folder, name)))),
  ];
}
