/** A link and what it says, both with slashes. */
export interface Link {
  path: string;
  target: string;
}

/** As many as Linux follows before it gives up. */
const mostSteps = 40;

/** What no folder can be moved with. */
const isAbsolute = (target: string) => /^(\/|[a-z]:)/i.test(target);

interface Way {
  /** A path inside of the build, out of it (null), or round in a circle (undefined). */
  end: string | null | undefined;
  /** How many other links are on the way. */
  links: number;
}

/**
 * Where a link of a build leads when the build is unpacked anywhere. Links on its way are followed, because `a/..` is not the folder of `a`
 * when `a` is a link.
 */
function wayOf({ path, target }: Link, targets: ReadonlyMap<string, string>): Way {
  const at = path.split("/").slice(0, -1);
  const ahead = target.split("/");
  let links = 0;
  if (isAbsolute(target)) return { end: null, links };
  while (ahead.length > 0) {
    const part = ahead.shift()!;
    if (part === "" || part === ".") continue;
    if (part === "..") {
      if (at.pop() === undefined) return { end: null, links };
      continue;
    }
    at.push(part);
    const next = targets.get(at.join("/"));
    if (next === undefined) continue;
    if (isAbsolute(next)) return { end: null, links };
    if (++links > mostSteps) return { end: undefined, links };
    at.pop();
    ahead.unshift(...next.split("/"));
  }
  return { end: at.join("/"), links };
}

const targetsOf = (links: readonly Link[]) => new Map(links.map(({ path, target }) => [path, target]));

/** Links in the order in which they can be unpacked: 7-Zip makes none that leads over one that is there already. */
export function inUnpackingOrder<L extends Link>(links: readonly L[]): L[] {
  const targets = targetsOf(links);
  const ways = links.map((link) => ({ link, passed: wayOf(link, targets).links }));
  return ways.sort((a, b) => b.passed - a.passed).map(({ link }) => link);
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
  const targets = targetsOf(links);
  const known = withParents(paths);
  const ends = links.map((link) => ({ link, end: wayOf(link, targets).end }));
  return {
    outside: ends.flatMap(({ link, end }) => (end === null ? [link] : [])),
    dangling: ends.flatMap(({ link, end }) => (end === undefined || (end !== null && !known.has(end)) ? [link] : [])),
  };
}
