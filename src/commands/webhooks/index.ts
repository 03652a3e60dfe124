import type { Group } from "../../cli/define.ts";
import { deliveries, redeliver, test } from "./deliveries.ts";
import { doctor } from "./doctor.ts";
import { listen } from "./listen.ts";
import { create, enable, list, remove, rotateSecret, show, update } from "./manage.ts";
import { signCommands } from "./sign.ts";
import { trigger } from "./trigger.ts";

export const webhooks: Group = {
  commands: [
    list,
    show,
    create,
    update,
    remove,
    test,
    enable,
    rotateSecret,
    deliveries,
    redeliver,
    listen,
    trigger,
    ...signCommands,
    doctor,
  ],
  fallback: "list",
};
