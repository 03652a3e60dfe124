import { admin } from "./admin.ts";
import { applications } from "./applications.ts";
import { auth } from "./auth.ts";
import { billing } from "./billing.ts";
import { chat } from "./chat.ts";
import type { Endpoint } from "./endpoint.ts";
import { games } from "./games.ts";
import { info } from "./info.ts";
import { notifications } from "./notifications.ts";
import { playtester } from "./playtester.ts";
import { playtests } from "./playtests.ts";
import { sandbox } from "./sandbox.ts";
import { slots } from "./slots.ts";
import { webhooks } from "./webhooks.ts";

/** The endpoints by resource; the resource is the OpenAPI tag. */
export const resources = {
  auth,
  games,
  playtests,
  slots,
  applications,
  billing,
  chat,
  info,
  webhooks,
  notifications,
  playtester,
  admin,
  sandbox,
} as const;

/** Every endpoint of the API by its operation id. */
export const contract = {
  ...auth,
  ...games,
  ...playtests,
  ...slots,
  ...applications,
  ...billing,
  ...chat,
  ...info,
  ...webhooks,
  ...notifications,
  ...playtester,
  ...admin,
  ...sandbox,
} as const satisfies Record<string, Endpoint>;

export type Contract = typeof contract;
export type Operation = keyof Contract;
