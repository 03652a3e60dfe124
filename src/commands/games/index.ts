import type { Group } from "../../cli/define.ts";
import { agreementCommands } from "./agreement.ts";
import { apply } from "./apply.ts";
import { buildUrl } from "./build-url.ts";
import { builds } from "./builds.ts";
import { create } from "./create.ts";
import { diff } from "./diff.ts";
import { list } from "./list.ts";
import { push } from "./push.ts";
import { show } from "./show.ts";
import { update } from "./update.ts";
import { use } from "./use.ts";

export const games: Group = {
  commands: [list, show, create, update, builds, buildUrl, use, push, apply, diff, ...agreementCommands],
  fallback: "list",
};
