import type { WebhookFormat } from "../../../src/contract/events/webhook-formats.ts";
import type { Action } from "../../mail/texts.ts";

/** An event as a message for people. `title` is the server's own; `text` contains what users wrote, such as names. */
export interface Message {
  title: string;
  text: string;
  action: Action;
  /** ISO 8601. */
  timestamp: string;
}

export type ChatFormat = Exclude<WebhookFormat, "standard">;

/** As much of the text as fits into `max` characters once it is escaped. */
function fit(text: string, max: number, escaped: (character: string) => string): string {
  let shown = "";
  for (const character of text) {
    const next = escaped(character);
    if (shown.length + next.length > max - 1) return `${shown}…`;
    shown += next;
  }
  return shown;
}

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** Slack reads `<…>` as links and mentions, so these three characters are entities. */
const slackText = (text: string, max: number) => fit(text, max, (character) => entities[character] ?? character);

/**
 * https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks: `text` is for notifications, `blocks` is what is shown.
 * What users wrote is plain text, in which `*` and `_` mean nothing.
 */
const slack = ({ title, text, action }: Message) => ({
  text: slackText(`${title}: ${text}`, 3000),
  blocks: [
    { type: "header", text: { type: "plain_text", text: slackText(title, 150), emoji: false } },
    { type: "section", text: { type: "plain_text", text: slackText(text, 3000), emoji: false } },
    {
      type: "context",
      elements: [{ type: "mrkdwn", text: `<${slackText(action.url, 2000)}|${slackText(action.label, 75)}>`, verbatim: true }],
    },
  ],
});

/** Puts a backslash before what Discord's Markdown gives a meaning. */
const discordText = (text: string, max: number) =>
  fit(text, max, (character) => (/[\\*_~`|>[\]()#<@]/.test(character) ? `\\${character}` : character));

/** https://docs.discord.com/developers/resources/webhook#execute-webhook. `allowed_mentions` notifies nobody, whatever the text says. */
const discord = ({ title, text, action, timestamp }: Message) => ({
  embeds: [
    {
      title,
      description: `${discordText(text, 3500)}\n\n[${action.label}](${action.url})`,
      url: action.url,
      timestamp,
    },
  ],
  allowed_mentions: { parse: [] },
});

/**
 * https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using: one Adaptive Card. A text run has
 * no Markdown, so what users wrote needs no escaping.
 */
const teams = ({ title, text, action }: Message) => ({
  type: "message",
  attachments: [
    {
      contentType: "application/vnd.microsoft.card.adaptive",
      contentUrl: null,
      content: {
        $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
        type: "AdaptiveCard",
        version: "1.4",
        body: [
          { type: "TextBlock", text: title, weight: "Bolder", size: "Medium", wrap: true },
          { type: "RichTextBlock", inlines: [{ type: "TextRun", text }] },
        ],
        actions: [{ type: "Action.OpenUrl", title: action.label, url: action.url }],
      },
    },
  ],
});

export const formats: Record<ChatFormat, (message: Message) => object> = { slack, discord, teams };
