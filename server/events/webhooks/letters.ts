import { plural } from "../../../src/contract/text/plural.ts";
import { zonedText } from "../../../src/contract/time/zones.ts";
import type { Config } from "../../config/schema.ts";
import { taskLink } from "../../mail/links.ts";
import type { Letter } from "../../mail/texts.ts";

const hour = 3_600_000;
const inDays = (ms: number) =>
  ms < 24 * hour ? plural(Math.floor(ms / hour), "hour") : plural(Math.floor(ms / (24 * hour)), "day");

interface Disabled {
  config: Pick<Config, "baseUrl"> & { retention: Pick<Config["retention"], "deliveryMs"> };
  webhookId: string;
  url: string;
  gone: boolean;
  /** When it was disabled (ms). */
  at: number;
  zone: string | null;
}

export const webhookDisabledLetter = ({ config, webhookId, url, gone, at, zone }: Disabled): Letter => ({
  subject: "Your webhook was disabled",
  paragraphs: [
    `Your webhook ${url} was disabled because ${gone ? "its endpoint responded with 410 Gone" : "too many deliveries in a row failed"}.`,
    `Pending deliveries resume when you enable the webhook, and events that occur until then can be redelivered. Deliveries are kept for ${inDays(config.retention.deliveryMs)}.`,
    `Fix your endpoint, then enable the webhook on its page. There you can also resend the events that occurred since ${zonedText(at, zone)}.`,
  ],
  action: { label: "See the webhook", url: taskLink(config, "webhook", webhookId) },
});
