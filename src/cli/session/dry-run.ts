import type { Store } from "../../config/store.ts";
import { usage } from "../../errors.ts";
import type { GlobalValues } from "../globals.ts";

/** Refuses `--dry-run` where something changes without a request that could be shown instead of it. */
export function refuseDryRun({ flags }: { flags: Pick<GlobalValues, "dryRun"> }): void {
  if (flags.dryRun)
    throw usage(
      "--dry-run shows requests instead of sending them, and this command makes its change without a request. Nothing was changed.",
      "Run the command without --dry-run.",
    );
}

/** The settings and keys of the user, which `--dry-run` does not let change. */
export function readOnly(store: Store, flags: Pick<GlobalValues, "dryRun">): Store {
  if (!flags.dryRun) return store;
  const refuse = async () => refuseDryRun({ flags });
  return Object.assign(Object.create(store) as Store, { saveConfig: refuse, saveKey: refuse, removeKey: refuse });
}
