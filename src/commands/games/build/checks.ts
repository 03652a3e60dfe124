import type { Context } from "../../../cli/define.ts";
import {
  archiveSays,
  escaping,
  type Fault,
  listed as listedAs,
  nameFaults,
  namesWarning,
  refusalOf,
} from "../../../contract/files/build-names.ts";
import { usage } from "../../../errors.ts";
import { apiKeySearch, type Secret, secretIn } from "../../../io/files/kinds.ts";
import { type Link, wrongLinks } from "../../../io/files/links.ts";
import type { Skipped } from "../../../io/files/tree.ts";
import { oneLine } from "../../../io/text.ts";

/** Flags about what is in a build. */
export interface ContentFlags {
  noDefaultIgnores: boolean;
  skipLinks: boolean;
  keepModes: boolean;
  strictNames: boolean;
  includeSecrets: boolean;
}

/** What was found in a build and changed or kept, for the output. */
export interface Findings {
  skippedFiles: Skipped[];
  madeExecutable: string[];
  nameProblems: Fault[];
  danglingLinks: string[];
}

export const noFindings = (): Findings => ({ skippedFiles: [], madeExecutable: [], nameProblems: [], danglingLinks: [] });

/** As many as a person reads, and the number of the others. */
export const listed = (all: readonly string[]) => listedAs(all, oneLine);

/** Throws if there are faults: `what` begins the sentence. */
export function refuse(faults: readonly Fault[], what: string, hint: string): void {
  if (faults.length > 0) throw usage(refusalOf(what, faults, oneLine), hint);
}

export const refuseFaults = (faults: readonly Fault[]) =>
  refuse(
    faults,
    "The build cannot be packed",
    "Rename or repair these files, or list them in .playtestignore. Then run the command again.",
  );

/** Refuses paths that lead out of the folder that an archive is unpacked into, or that no archive should hold. */
export const refuseEscaping = (paths: readonly string[]): void =>
  refuse(escaping(paths), archiveSays.escaping, archiveSays.renameThem);

/** Refuses or names what may not be unpacked under its name. */
export function checkNames(ctx: Context, paths: readonly string[], { strictNames }: ContentFlags, found: Findings): void {
  found.nameProblems = nameFaults(paths);
  if (found.nameProblems.length === 0) return;
  if (strictNames)
    refuse(found.nameProblems, "Some names cannot be unpacked everywhere", "Rename the files, or push without --strict-names.");
  ctx.out.warn(namesWarning(found.nameProblems, oneLine));
}

/**
 * Refuses links that lead out of the build, and names those that lead nowhere. Returns the links to leave out. `skip`: whether to leave
 * out the first; undefined for an archive, of which nothing is left out.
 */
export function checkLinks<L extends Link>(
  ctx: Context,
  links: readonly L[],
  paths: readonly string[],
  skip: boolean | undefined,
  found: Findings,
): L[] {
  const { outside, dangling } = wrongLinks(links, paths);
  const otherwise =
    skip === undefined
      ? "or with copies of the files, and make the archive again. --skip-links works with a folder only."
      : "or with copies of the files, or leave them out with --skip-links.";
  if (!skip)
    refuse(
      outside.map(({ path, target }) => ({ path, problem: `→ ${target}` })),
      "Links that lead out of the build would be broken for playtesters",
      `Replace them with relative links to files inside the build, ${otherwise}`,
    );
  found.danglingLinks = dangling.map(({ path }) => path);
  if (dangling.length > 0)
    ctx.out.warn(
      `Some links lead to files that are not in the build: ${listed(dangling.map(({ path, target }) => `${path} → ${target}`))}.`,
    );
  found.skippedFiles.push(...outside.map(({ path }) => ({ path, reason: "link" as const })));
  return outside;
}

/** Where secrets are looked for, and what to do about one there. */
const places = {
  folder: { remove: "Remove the file or list it in .playtestignore.", orSend: "Remove it, list it in .playtestignore" },
  archive: { remove: "Make the archive again without the file.", orSend: "Make the archive again without it" },
  file: { remove: "Send another file.", orSend: "Send another file" },
};

/**
 * Looks for secrets in one file after the other. `refuse` throws if there are any: a key of this service is never sent, anything else
 * only when it is asked for.
 */
export function secretSearch(ctx: Context, place: keyof typeof places) {
  const apiKey = ctx.settings().apiKey()?.value;
  const faults: Record<Secret["kind"], Fault[]> = { key: [], secret: [] };
  const { remove, orSend } = places[place];
  return {
    /** Looks for an API key in all of a file. */
    keysOf: () => apiKeySearch(apiKey),
    look(path: string, head: Buffer, known?: Secret): void {
      const secret = known ?? secretIn(path, head, apiKey);
      if (secret) faults[secret.kind].push({ path, problem: secret.what });
    },
    refuse({ includeSecrets }: ContentFlags): void {
      const revoke = "If a playtester could download it already, revoke the key: `playtest auth keys revoke`.";
      refuse(faults.key, "The build contains secret keys", `${remove} ${revoke}`);
      if (!includeSecrets) refuse(faults.secret, archiveSays.secret, `${orSend}, or send it with --include-secrets.`);
    },
  };
}

const reasons: readonly (readonly [Skipped["reason"], string])[] = [
  ["default", "Left out, because no playtester needs them (--no-default-ignores sends them)"],
  ["special", "Left out, because they are neither files nor folders nor links"],
  ["link", "Left out, because they lead out of the build"],
];

/** Says of what nobody knows what is in it. */
export const notLookedInto = (ctx: Context, what: string, why: string) =>
  ctx.out.note(`Not checked for keys and secrets: ${what} (${why}).`);

/** Warns of programs in an archive that stays as it is. */
export const tellNotExecutable = (ctx: Context, names: readonly string[], remedy: string) =>
  ctx.out.warn(`These programs are not executable and will not start on Linux and macOS: ${listed(names)}. ${remedy}`);

/** Says what was left out and which files were made executable. */
export function tell(ctx: Context, { skippedFiles, madeExecutable }: Findings): void {
  for (const [reason, text] of reasons) {
    const paths = skippedFiles.flatMap((one) => (one.reason === reason ? [one.path] : []));
    if (paths.length > 0) ctx.out.note(`${text}: ${listed(paths)}.`);
  }
  if (madeExecutable.length > 0)
    ctx.out.note(`Made executable, because they are programs (--keep-modes leaves them): ${listed(madeExecutable)}.`);
}
