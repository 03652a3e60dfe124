/** A link and what it says, both with slashes. */
export interface Link {
  path: string;
  target: string;
}

/** As many as Linux follows before it gives up. */
const mostSteps = 40;

/** What no folder can be moved with. */
const isAbsolute = (target: string) => /^(\/|[a-z]:)/i.test(target);

/**
 * Where a link of a build leads when the build is unpacked anywhere: to a path inside, out of it (null), or round in a circle (undefined).
 * Links on its way are followed, because `a/..` is not the folder of `a` when `a` is a link.
 */
function destination({ path, target }: Link, targets: ReadonlyMap<string, string>): string | null | undefined {
  const at = path.split("/").slice(0, -1);
  const ahead = target.split("/");
  if (isAbsolute(target)) return null;
  for (let steps = 0; ahead.length > 0; ) {
    const part = ahead.shift()!;
    if (part === "" || part === ".") continue;
    if (part === "..") {
      if (at.pop() === undefined) return null;
      continue;
    }
    at.push(part);
    const next = targets.get(at.join("/"));
    if (next === undefined) continue;
    if (isAbsolute(next)) return null;
    if (++steps > mostSteps) return undefined;
    at.pop();
    ahead.unshift(...next.split("/"));
  }
  return at.join("/");
}

/** Every path that a build has when it is unpacked, also of the folders that only their files tell of. */
function withParents(paths: readonly string[]): Set<string> {
  const all = new Set([""]);
  for (const path of paths)
    for (let end = path.length; end > 0 && !all.has(path.slice(0, end)); end = path.lastIndexOf("/", end - 1))
      all.add(path.slice(0, end));
  return all;
}

/** Of the links of a build, those that lead out of it, and those that lead to nothing in it. */
export function wrongLinks<L extends Link>(links: readonly L[], paths: readonly string[]): { outside: L[]; dangling: L[] } {
  const targets = new Map(links.map(({ path, target }) => [path, target]));
  const known = withParents(paths);
  const ends = links.map((link) => ({ link, end: destination(link, targets) }));
  return {
    outside: ends.flatMap(({ link, end }) => (end === null ? [link] : [])),
    dangling: ends.flatMap(({ link, end }) => (end === undefined || (end !== null && !known.has(end)) ? [link] : [])),
  };
}
