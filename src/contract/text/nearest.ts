/** The name that is most like `word`, for "Did you mean …?"; undefined when none is close. */
export function nearest(word: string, names: readonly string[]): string | undefined {
  // Nothing that is this long was mistyped.
  if (word.length > 100) return undefined;
  const last = (name: string) => name.slice(name.lastIndexOf(".") + 1);
  const parent = (name: string) => name.slice(0, name.lastIndexOf(".") + 1);
  let best: string | undefined;
  let least = mistakes(last(word).length) + 1;
  for (const name of names) {
    // A name of another section is further away by one.
    const away = distance(last(word).toLowerCase(), last(name).toLowerCase()) + (parent(word) === parent(name) ? 0 : 1);
    if (away < least) [best, least] = [name, away];
  }
  return best;
}

/** The most mistakes that a word of this length may hold. */
const mistakes = (length: number) => (length < 5 ? 1 : Math.max(2, Math.floor(length / 3)));

/** How many letters must be added, removed, replaced or swapped with their neighbor. */
function distance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, index) => index)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = rows[i - 1]![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const best = Math.min(row[j - 1]! + 1, rows[i - 1]![j]! + 1, replaced);
      row.push(swapped ? Math.min(best, rows[i - 2]![j - 2]! + 1) : best);
    }
    rows.push(row);
  }
  return rows[a.length]![b.length]!;
}
