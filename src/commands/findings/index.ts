import type { Group } from "../../cli/define.ts";
import { close, create, remove, update } from "./create.ts";
import { add, drop, merge, split, undo } from "./evidence.ts";
import { file, sync } from "./file.ts";
import { list } from "./list.ts";
import { show } from "./show.ts";
import { suggest } from "./suggest/suggest.ts";
import { connect, disconnect, trackers } from "./trackers.ts";

export const findings: Group = {
  commands: [
    list,
    show,
    suggest,
    create,
    add,
    drop,
    merge,
    split,
    undo,
    update,
    close,
    remove,
    file,
    sync,
    trackers,
    connect,
    disconnect,
  ],
  fallback: "list",
};
