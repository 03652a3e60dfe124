import type { Group } from "../../cli/define.ts";
import { aboutMoney } from "../shared/without-payments.ts";
import { bulk } from "./bulk/bulk.ts";
import { cancel } from "./cancel.ts";
import { cancelSlot } from "./cancel-slot.ts";
import { keysCommands } from "./keys.ts";
import { list } from "./list.ts";
import { order } from "./order.ts";
import { panels } from "./panels.ts";
import { pay } from "./pay.ts";
import { quote } from "./quote.ts";
import { show } from "./show.ts";
import { slots } from "./slots.ts";
import { template } from "./template.ts";
import { update } from "./update.ts";
import { wait } from "./wait.ts";
import { watch } from "./watch.ts";

export const playtests: Group = {
  commands: [
    list,
    show,
    order,
    aboutMoney(quote),
    panels,
    pay,
    cancel,
    update,
    slots,
    cancelSlot,
    ...keysCommands,
    wait,
    watch,
    bulk,
    template,
  ],
  fallback: "list",
};
