import { gate } from "./gate.ts";
import type { TestServer } from "./server.ts";

/**
 * Lets nothing be cut until the returned function is called: a job starts by itself, so what is cut may be ready before a test looks at what
 * is pending.
 */
export function holdCutter({ deps }: TestServer): () => void {
  const { cutter } = deps;
  if (!cutter) throw new Error("the server cuts nothing");
  const held = gate();
  deps.cutter = {
    clip: (...given) => held.passed.then(() => cutter.clip(...given)),
    still: (...given) => held.passed.then(() => cutter.still(...given)),
    reelPart: (...given) => held.passed.then(() => cutter.reelPart(...given)),
    join: (...given) => held.passed.then(() => cutter.join(...given)),
  };
  return () => {
    deps.cutter = cutter;
    held.open();
  };
}
