import type { Group } from "../../cli/define.ts";
import { apply } from "./apply.ts";
import { builds } from "./builds.ts";
import { create } from "./create.ts";
import { diff } from "./diff.ts";
import { get } from "./get.ts";
import { list } from "./list.ts";
import { push } from "./push.ts";
import { update } from "./update.ts";
import { use } from "./use.ts";

export const games: Group = { commands: [list, get, create, update, builds, use, push, apply, diff] };
