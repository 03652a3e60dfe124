/** Settings in nested sections, as in the file. */
export type Tree = { [name: string]: unknown };

/** The value at a path of keys; undefined if there is none. */
export const valueAt = (tree: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce((value, key) => (value as Record<PropertyKey, unknown> | null | undefined)?.[key], tree);

/** Sets the value at a path of keys. Does nothing if a section is not an object, which the check reports. */
export function setAt(tree: Tree, [key, ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) tree[key!] = value;
  else {
    tree[key!] ??= {};
    if (typeof tree[key!] === "object") setAt(tree[key!] as Tree, rest, value);
  }
}
