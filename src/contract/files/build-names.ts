/** A path and what is wrong with it, as the rest of a sentence. */
export interface Fault {
  path: string;
  problem: string;
}

/** Why no archive can hold a path; undefined if one can. */
export function unpackable(path: string): string | undefined {
  if (path.includes("\\")) return "has a backslash in its name, which unpacks as a folder on some systems";
  return /^[a-z]:/i.test(path) ? "begins with a drive letter, which an archive cannot hold" : undefined;
}

/** The paths of an archive that lead out of the folder that it is unpacked into, or that no archive should hold. */
export const escaping = (paths: readonly string[]): Fault[] =>
  paths.flatMap((path) => {
    const isOutside = path.startsWith("/") || path.split("/").includes("..");
    const problem = isOutside ? "would be unpacked outside its folder" : unpackable(path);
    return problem === undefined ? [] : [{ path, problem }];
  });

/** Files that are secret whatever they hold: settings with passwords, keys of programs and stores of keys. */
const secretNames: readonly (readonly [RegExp, string])[] = [
  [/^\.env(\.(?!example$|sample$|template$|dist$|defaults?$).*)?$/i, "holds settings that are usually secret"],
  [/^(\.pypirc|\.netrc|_netrc|\.git-credentials|\.htpasswd|\.pgpass|\.my\.cnf)$/i, "usually holds a password"],
  [/^id_(rsa|dsa|ecdsa|ed25519)(_sk)?$/i, "is a private key"],
  [/\.(p12|pfx|jks|keystore|ppk|kdbx)$/i, "holds private keys"],
];
/** Folders that are. */
const secretFolders = /(^|\/)(\.git|\.ssh|\.gnupg|\.aws|\.kube|\.docker|\.azure)\//i;

/** Why a file looks secret by its path alone; undefined for others. */
export function secretByName(path: string): string | undefined {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const named = secretNames.find(([pattern]) => pattern.test(name));
  if (named) return named[1];
  return secretFolders.test(path) ? "is in a folder that usually holds secrets" : undefined;
}

const most = 10;
const text = ({ path, problem }: Fault) => `${path} ${problem}`;

/** As many as a person reads, and the number of the others. `written` writes a path so that it is one line. */
export const listed = (all: readonly string[], written: (text: string) => string) =>
  all.slice(0, most).map(written).join("; ") + (all.length > most ? `; and ${all.length - most} more` : "");

/** What is said of faults for which nothing is sent: `what` begins the sentence. */
export const refusalOf = (what: string, faults: readonly Fault[], written: (text: string) => string): string =>
  `${what}, so nothing was sent: ${listed(faults.map(text), written)}.`;

/** What is said of names that not every system can hold. */
export const namesWarning = (faults: readonly Fault[], written: (text: string) => string): string =>
  `Some names cannot be unpacked everywhere: ${listed(faults.map(text), written)}.`;

/** How the sentences about an archive begin. */
export const archiveSays = {
  escaping: "The archive cannot be sent",
  renameThem: "Rename these files, and make the archive again.",
  secret: "The build contains files that look secret",
} as const;

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
