/** A promise and what resolves it. */
export interface Gate<T = void> {
  open(value: T): void;
  readonly passed: Promise<T>;
}

export function gate<T = void>(): Gate<T> {
  let open: Gate<T>["open"] = () => {};
  const passed = new Promise<T>((resolve) => {
    open = resolve;
  });
  return { open, passed };
}
