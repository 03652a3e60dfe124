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

/** As Windows compares, which does not tell `A` from `a`. */
const inOneCase = (path: string) => path.toUpperCase().toLowerCase();
/** As macOS compares, which does not tell one way to write `é` from another either. */
const folded = (path: string) => inOneCase(path.normalize("NFC"));

/** Where two paths that are the same on macOS are. */
const systems = (path: string, other: string) => (inOneCase(path) === inOneCase(other) ? "Windows and macOS" : "macOS");

/** The paths of a build that Windows cannot hold, or that Windows or macOS takes for another one. One fault for each path. */
export function nameFaults(paths: readonly string[]): Fault[] {
  const faults = new Map<string, string>();
  const seen = new Map<string, string>();
  for (const path of paths) {
    const problem = path.split("/").reduce<string | undefined>((found, name) => found ?? onWindows(name), undefined);
    const other = seen.get(folded(path));
    seen.set(folded(path), other ?? path);
    if (problem !== undefined) faults.set(path, problem);
    else if (other !== undefined) faults.set(path, `has the same name as ${other} on ${systems(path, other)}`);
  }
  for (const path of paths)
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
      const folder = path.slice(0, end);
      const file = seen.get(folded(folder));
      if (file !== undefined && file !== folder && !faults.has(file))
        faults.set(file, `has the same name as the folder ${folder} on ${systems(file, folder)}`);
    }
  return [...faults].map(([path, problem]) => ({ path, problem }));
}
