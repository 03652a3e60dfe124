import type { Group } from "../../cli/define.ts";
import { blockCommands } from "./block.ts";
import { exportChat } from "./export.ts";
import { list } from "./list.ts";
import { read } from "./read.ts";
import { send } from "./send.ts";
import { unread } from "./unread.ts";

export const chat: Group = { commands: [list, read, send, unread, exportChat, ...blockCommands], fallback: "list" };
