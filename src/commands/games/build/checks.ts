import type { Context } from "../../../cli/define.ts";
import { usage } from "../../../errors.ts";
import { type Link, wrongLinks } from "../../../io/files/links.ts";
import { nameFaults } from "../../../io/files/names.ts";
import type { Fault, Skipped } from "../../../io/files/tree.ts";

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

const most = 10;

/** As many as a person reads, and the number of the others. */
export const listed = (all: readonly string[]) =>
  all.slice(0, most).join("; ") + (all.length > most ? `; and ${all.length - most} more` : "");

const faultText = ({ path, problem }: Fault) => `${path} ${problem}`;

/** Throws if there are faults: `what` begins the sentence. */
export function refuse(faults: readonly Fault[], what: string, hint: string): void {
  if (faults.length > 0) throw usage(`${what}, so nothing was sent: ${listed(faults.map(faultText))}.`, hint);
}

export const refuseFaults = (faults: readonly Fault[]) =>
  refuse(
    faults,
    "The build cannot be packed",
    "Rename or repair what is named, or list it in .playtestignore. Then run the command again.",
  );

/** Refuses or names what may not be unpacked under its name. */
export function checkNames(ctx: Context, paths: readonly string[], { strictNames }: ContentFlags, found: Findings): void {
  found.nameProblems = nameFaults(paths);
  if (found.nameProblems.length === 0) return;
  if (strictNames)
    refuse(found.nameProblems, "Some names cannot be unpacked everywhere", "Rename the files, or push without --strict-names.");
  ctx.out.warn(`Some names cannot be unpacked everywhere: ${listed(found.nameProblems.map(faultText))}.`);
}

/** Refuses links that lead out of the build, and names those that lead nowhere. Returns the links to leave out. */
export function checkLinks<L extends Link>(
  ctx: Context,
  links: readonly L[],
  paths: readonly string[],
  skip: boolean,
  found: Findings,
): L[] {
  const { outside, dangling } = wrongLinks(links, paths);
  if (!skip)
    refuse(
      outside.map(({ path, target }) => ({ path, problem: `→ ${target}` })),
      "Links that lead out of the build would be broken for playtesters",
      "Make them relative links to what is inside, put what they lead to in their place, or leave them out with --skip-links.",
    );
  found.danglingLinks = dangling.map(({ path }) => path);
  if (dangling.length > 0)
    ctx.out.warn(
      `Some links lead to nothing in the build: ${listed(dangling.map(({ path, target }) => `${path} → ${target}`))}.`,
    );
  found.skippedFiles.push(...outside.map(({ path }) => ({ path, reason: "link" as const })));
  return outside;
}

/** Secrets that were found in a build. A key of this service is never sent, anything else only when it is asked for. */
export function refuseSecrets(keys: readonly Fault[], secrets: readonly Fault[], { includeSecrets }: ContentFlags): void {
  refuse(
    keys,
    "Playtesters would get a key of yours",
    "Remove the file or list it in .playtestignore. If a playtester could download it already, revoke the key: `playtest auth keys revoke`.",
  );
  if (!includeSecrets)
    refuse(
      secrets,
      "Playtesters would get what looks secret",
      "Remove it, list it in .playtestignore, or send it with --include-secrets.",
    );
}

const reasons: readonly (readonly [Skipped["reason"], string])[] = [
  ["default", "Left out, as files that no player needs (--no-default-ignores sends them)"],
  ["special", "Left out, because they are neither files nor folders nor links"],
  ["link", "Left out, because they lead out of the build"],
];

/** Says what was left out and which files were made executable. */
export function tell(ctx: Context, { skippedFiles, madeExecutable }: Findings): void {
  for (const [reason, text] of reasons) {
    const paths = skippedFiles.flatMap((one) => (one.reason === reason ? [one.path] : []));
    if (paths.length > 0) ctx.out.note(`${text}: ${listed(paths)}.`);
  }
  if (madeExecutable.length > 0)
    ctx.out.note(`Made executable, because they are programs (--keep-modes leaves them): ${listed(madeExecutable)}.`);
}
