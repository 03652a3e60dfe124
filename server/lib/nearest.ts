/** The name that is most like `word`, for "Did you mean …?"; undefined when none is close. */
export function nearest(word: string, names: readonly string[]): string | undefined {
  const last = (name: string) => name.slice(name.lastIndexOf(".") + 1);
  const parent = (name: string) => name.slice(0, name.lastIndexOf(".") + 1);
  let best: string | undefined;
  let least = Math.max(2, Math.floor(last(word).length / 3)) + 1;
  for (const name of names) {
    // A name of another section is further away by one.
    const away = distance(last(word).toLowerCase(), last(name).toLowerCase()) + (parent(word) === parent(name) ? 0 : 1);
    if (away < least) [best, least] = [name, away];
  }
  return best;
}

/** How many letters must be added, removed or replaced. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next.push(Math.min(next[j - 1]! + 1, row[j]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)));
    row = next;
  }
  return row[b.length]!;
}
