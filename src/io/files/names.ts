import type { Fault } from "./tree.ts";

/** Names of devices, which Windows takes for the device with any ending. */
const devices = /^(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])[ ]*(\.|$)/i;

function onWindows(name: string): string | undefined {
  const found = [...name].find((c) => '<>:"|?*\\'.includes(c) || c < " ");
  if (found !== undefined)
    return `has ${found < " " ? "a control character" : `the character ${found}`} in its name, which Windows does not allow`;
  if (devices.test(name)) return "has a name that Windows reserves for a device";
  return /[. ]$/.test(name) ? "has a name that ends in a dot or space, which Windows does not allow" : undefined;
}

/** As file systems compare that do not tell `A` from `a`, or one way to write `é` from another. */
const folded = (path: string) => path.normalize("NFC").toUpperCase().toLowerCase();

/** The paths of a build that Windows cannot hold, or that Windows and macOS take for another one. One fault for each path. */
export function nameFaults(paths: readonly string[]): Fault[] {
  const faults = new Map<string, string>();
  const seen = new Map<string, string>();
  for (const path of paths) {
    const problem = path.split("/").reduce<string | undefined>((found, name) => found ?? onWindows(name), undefined);
    const other = seen.get(folded(path));
    seen.set(folded(path), other ?? path);
    if (problem !== undefined) faults.set(path, problem);
    else if (other !== undefined) faults.set(path, `has the same name as ${other} on Windows and macOS`);
  }
  for (const path of paths)
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
      const file = seen.get(folded(path.slice(0, end)));
      if (file !== undefined && file !== path.slice(0, end) && !faults.has(file))
        faults.set(file, `has the same name as the folder ${path.slice(0, end)} on Windows and macOS`);
    }
  return [...faults].map(([path, problem]) => ({ path, problem }));
}
