import type { Data } from "../../../api/client.ts";

/** Groups what says the same in the same words. Pure; the same input gives the same groups. */

type Moment = Data<"createMoment">["moment"];

/** A note, or a passage of a transcript. */
export interface Said {
  slotId: string;
  /** Who played. */
  tester: string;
  fromMs: number;
  toMs: number | null;
  text: string;
  /** Of a note; null for a passage. */
  note: Pick<Moment, "id" | "kind" | "severity"> | null;
}

export interface Group {
  title: string;
  testers: number;
  /** The one that is most like all of them first. */
  members: readonly Said[];
}

/** How alike (cosine of the weights of their words) an item and a group must be. Passages are many, and often alike by chance. */
const alike = { note: 0.3, passage: 0.5 };
/** Words that more than this share of all items have say nothing, if there are enough items to tell, and playtesters say them more than once each. */
const tooCommon = { share: 0.1, among: 50 };

type Vector = ReadonlyMap<string, number>;

interface Item {
  said: Said;
  vector: Vector;
}

interface Cluster {
  items: Item[];
  /** The sum of the vectors, and its length. */
  sum: Map<string, number>;
  length: number;
}

const lengthOf = (vector: Vector) => Math.sqrt([...vector.values()].reduce((sum, weight) => sum + weight * weight, 0));

function normalized(vector: Vector): Vector {
  const length = lengthOf(vector);
  return new Map([...vector].map(([stem, weight]) => [stem, weight / length]));
}

/** Rare words weigh more: by the logarithm of in how many items they are. */
function vectorsOf(stems: readonly (readonly string[])[], testers: number): Vector[] {
  const having = new Map<string, number>();
  for (const all of stems) for (const stem of new Set(all)) having.set(stem, (having.get(stem) ?? 0) + 1);
  const most = stems.length < tooCommon.among ? stems.length : Math.max(stems.length * tooCommon.share, testers);
  const weigh = (stem: string) => Math.log((stems.length + 1) / having.get(stem)!);
  return stems.map((all) =>
    normalized(new Map([...new Set(all)].filter((stem) => having.get(stem)! <= most).map((stem) => [stem, weigh(stem)]))),
  );
}

const dot = (a: Vector, b: Vector) => [...a].reduce((sum, [stem, weight]) => sum + weight * (b.get(stem) ?? 0), 0);
const likeness = (item: Item, { sum, length }: Cluster) => dot(item.vector, sum) / length;
/** Words that an item and a group must have in common, unless the item has only one. */
const leastShared = 2;

class Clusters {
  readonly all: Cluster[] = [];
  readonly #having = new Map<string, Set<Cluster>>();

  add(item: Item): void {
    const cluster = this.#best(item) ?? this.#open();
    cluster.items.push(item);
    for (const [stem, weight] of item.vector) {
      cluster.sum.set(stem, (cluster.sum.get(stem) ?? 0) + weight);
      const having = this.#having.get(stem) ?? new Set();
      this.#having.set(stem, having.add(cluster));
    }
    cluster.length = lengthOf(cluster.sum);
  }

  #open(): Cluster {
    const cluster = { items: [], sum: new Map<string, number>(), length: 0 };
    this.all.push(cluster);
    return cluster;
  }

  /** The group that is most like the item. Words lead to the groups that have them, which are few. */
  #best({ said, vector }: Item): Cluster | undefined {
    const found = new Map<Cluster, { dot: number; shared: number }>();
    for (const [stem, weight] of vector)
      for (const cluster of this.#having.get(stem) ?? []) {
        const known = found.get(cluster);
        const part = weight * cluster.sum.get(stem)!;
        if (known) Object.assign(known, { dot: known.dot + part, shared: known.shared + 1 });
        else found.set(cluster, { dot: part, shared: 1 });
      }
    let best: Cluster | undefined;
    let highest = said.note === null ? alike.passage : alike.note;
    for (const [cluster, { dot: product, shared }] of found) {
      const value = product / cluster.length;
      if (value < highest || shared < Math.min(leastShared, vector.size)) continue;
      best = cluster;
      highest = value;
    }
    return best;
  }
}

const longestTitle = 200;

function groupOf(cluster: Cluster): Group {
  const items = cluster.items.toSorted((a, b) => likeness(b, cluster) - likeness(a, cluster));
  const named = items.find(({ said }) => said.note !== null) ?? items[0]!;
  const characters = [...named.said.text.replace(/\s+/g, " ").trim()];
  const title = characters.length > longestTitle ? `${characters.slice(0, longestTitle - 1).join("")}…` : characters.join("");
  const members = items.map(({ said }) => said);
  return { title, testers: new Set(members.map(({ tester }) => tester)).size, members };
}

/** How many notes a group has. */
export const notes = ({ members }: Group) => members.filter(({ note }) => note !== null).length;

/**
 * The groups of what several playtesters, or at least two notes, say: those of most playtesters first, then those with most notes. `stems`
 * splits a text into words that are alike.
 */
export function groupsOf(said: readonly Said[], stems: (text: string) => readonly string[]): Group[] {
  const inOrder = said.toSorted((a, b) => Number(a.note === null) - Number(b.note === null));
  const testers = new Set(said.map(({ tester }) => tester)).size;
  const vectors = vectorsOf(
    inOrder.map(({ text }) => stems(text)),
    testers,
  );
  const clusters = new Clusters();
  for (const [index, one] of inOrder.entries()) {
    const vector = vectors[index]!;
    if (vector.size > (one.note === null ? 1 : 0)) clusters.add({ said: one, vector });
  }
  return clusters.all
    .map(groupOf)
    .filter((group) => group.testers > 1 || notes(group) > 1)
    .sort((a, b) => b.testers - a.testers || notes(b) - notes(a) || b.members.length - a.members.length);
}
