import type { Config } from "../config/schema.ts";
import { type Delivery, deliveryOf } from "../mail/delivery.ts";
import type { Mailer } from "../mail/mailer.ts";

/** What pages say about the server that they belong to. */
export interface Site {
  delivery: Delivery;
}

export const siteOf = ({ config, mailer }: { config: Config; mailer: Pick<Mailer, "delivers"> }): Site => ({
  delivery: deliveryOf({ config, mailer }),
});
