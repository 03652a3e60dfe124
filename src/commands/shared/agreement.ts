import type { Data } from "../../api/client.ts";
import { type Context, flag } from "../../cli/define.ts";
import { notFound } from "../../errors.ts";

export const versionFlag = flag.text("Version to show, or its number (default: the one in force)", { value: "VERSION" });

/** The version of an agreement with this name or number, such as `1-9f2c51ab` or `1`. */
function versionNamed<V extends { version: string }>(versions: readonly V[], name: string): V {
  const found = versions.find(({ version }) => version === name || version.split("-", 1)[0] === name);
  if (found) return found;
  const known = versions.map(({ version }) => version).join(", ");
  throw notFound(`The agreement has no version ${name}.`, known === "" ? "There is no version." : `Versions: ${known}.`);
}

/** Says which other versions can be shown. */
export function noteVersions(
  ctx: Context,
  others: readonly { version: string }[],
  shown: string | undefined,
  what = "Other versions",
): void {
  const names = others.map(({ version }) => version).filter((version) => version !== shown);
  if (names.length > 0) ctx.out.note(`${what}: ${names.join(", ")}.`);
}

/** The agreement that is in force, or the version that was named. Null if none is in force. */
export function chosen({ agreement, versions }: Data<"getGameAgreement">, name: string | undefined) {
  if (name === undefined) return agreement;
  // The agreement of the server, which a game without one of its own has, is in no list of versions.
  const isListed = versions.some(({ version }) => version === agreement?.version);
  return versionNamed(agreement && !isListed ? [agreement, ...versions] : versions, name);
}
