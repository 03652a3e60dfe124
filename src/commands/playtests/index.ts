import type { Group } from "../define.ts";
import { cancel } from "./cancel.ts";
import { cancelSlot } from "./cancel-slot.ts";
import { get } from "./get.ts";
import { list } from "./list.ts";
import { order } from "./order.ts";
import { pay } from "./pay.ts";
import { quote } from "./quote.ts";
import { slots } from "./slots.ts";
import { update } from "./update.ts";

export const playtests: Group = {
  commands: [list, get, order, quote, pay, cancel, update, slots, cancelSlot],
};
