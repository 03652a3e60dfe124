import type { Block, Inline } from "./document.ts";

/** A terminal, a man page and a page without scripts cannot draw a Mermaid diagram of states, so they show it as a table. */

const arrow = /^ *(\S+) --> (\S+?)(?:: (.+))?$/;
/** What Mermaid calls the point before the first state and after a final one. */
const outside = "[*]";

const text = (words: string): Inline => ({ kind: "text", text: words });
const code = (words: string): Inline => ({ kind: "code", text: words });

function cell(targets: readonly (readonly [state: string, move: string | undefined])[]): Inline[] {
  if (targets.some(([state]) => state === outside)) return [text("–")];
  return targets.flatMap(([state, move], i) => [
    ...(i > 0 ? [text(", ")] : []),
    code(state),
    ...(move === undefined ? [] : [text(` (${move})`)]),
  ]);
}

/** Each state with what can follow. Throws on anything but the first line `stateDiagram-v2` and arrows. */
export function stateDiagram(source: string): Block {
  const [first, ...lines] = source.split("\n");
  if (first !== "stateDiagram-v2") throw new Error(`This diagram is not supported: ${first}`);
  const next = new Map<string, [string, string | undefined][]>();
  for (const line of lines) {
    const [, from, to, move] = arrow.exec(line) ?? [];
    if (from === undefined || to === undefined) throw new Error(`This line of a state diagram is not supported: ${line}`);
    next.set(from, [...(next.get(from) ?? []), [to, move]]);
  }
  const rows = [...next].map(([state, targets]) => [[state === outside ? text("(new)") : code(state)], cell(targets)]);
  return { kind: "table", head: [[text("status")], [text("what can follow")]], rows };
}
