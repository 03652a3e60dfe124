import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { formats } from "../../server/events/webhooks/formats.ts";
import { eventKinds } from "../../src/contract/events/kinds.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { createGame, giveCredit, order, play, registerOwner, registerPlaytester } from "../helpers/factories.ts";
import { type Receiver, startReceiver } from "../helpers/receiver.ts";

const names = ["slack", "discord", "teams"] as const;
const validator = new Ajv2020({ allErrors: true });
const schemas = Object.fromEntries(
  names.map((name) => [
    name,
    validator.compile(JSON.parse(readFileSync(new URL(`../fixtures/webhooks/${name}.json`, import.meta.url), "utf8"))),
  ]),
);

/** What the schema of the service finds wrong. */
function faults(name: (typeof names)[number], message: unknown) {
  const validate = schemas[name]!;
  return validate(message) ? [] : validate.errors;
}

const evil = "<!channel> <@U1> & <https://evil.example|click> @everyone *bold* _it_ `code` [a](https://evil.example) # > |x|";
const message = {
  title: "Video submitted",
  text: evil,
  action: { label: "Review the video", url: "https://playtest.example/todo/review/1?a=1&b=2" },
  timestamp: "2026-03-01T12:00:00.000Z",
};

describe("formats of chat messages", () => {
  it.each(names)("%s: a message is as the service documents it, also a long one", (name) => {
    for (const text of [message.text, "&".repeat(5000), "*".repeat(5000), "😀".repeat(5000)])
      expect(faults(name, formats[name]({ ...message, text }))).toEqual([]);
  });

  it.each(names)("%s: the schema refuses what the service would", (name) => {
    expect(faults(name, { ...formats[name](message), surprise: 1 })).not.toEqual([]);
    expect(faults(name, { event: "slot.submitted", timestamp: message.timestamp, data: {} })).not.toEqual([]);
  });

  it("slack: what users wrote mentions nobody and links nowhere", () => {
    const { text, blocks } = formats.slack(message) as {
      text: string;
      blocks: { text?: { text: string }; elements?: object[] }[];
    };
    const escaped = "&lt;!channel&gt; &lt;@U1&gt; &amp; &lt;https://evil.example|click&gt; @everyone";
    expect(text).toContain(escaped);
    expect(blocks[1]!.text).toMatchObject({ type: "plain_text", text: expect.stringContaining(escaped) });
    expect(blocks[2]!.elements).toEqual([
      {
        type: "mrkdwn",
        text: "<https://playtest.example/todo/review/1?a=1&amp;b=2|Review the video>",
        verbatim: true,
      },
    ]);
  });

  it("discord: what users wrote mentions nobody and formats nothing", () => {
    const { embeds, allowed_mentions } = formats.discord(message) as {
      embeds: { description: string }[];
      allowed_mentions: object;
    };
    expect(allowed_mentions).toEqual({ parse: [] });
    expect(embeds[0]!.description).toBe(
      "\\<!channel\\> \\<\\@U1\\> & \\<https://evil.example\\|click\\> \\@everyone \\*bold\\* \\_it\\_ \\`code\\` " +
        "\\[a\\]\\(https://evil.example\\) \\# \\> \\|x\\|\n\n[Review the video](https://playtest.example/todo/review/1?a=1&b=2)",
    );
  });

  it("teams: what users wrote is a text run, in which Markdown means nothing", () => {
    expect(formats.teams(message)).toMatchObject({
      attachments: [{ content: { body: [{ text: "Video submitted" }, { inlines: [{ type: "TextRun", text: evil }] }] } }],
    });
  });
});

onBothDatabases("webhooks for chats", (serve, it) => {
  let receiver: Receiver;
  beforeEach(async () => {
    receiver = await startReceiver();
  });
  afterEach(() => receiver.close());

  it.each(names)("%s: a submitted video arrives as a message with a link that leads somewhere", async (format) => {
    const server = await serve();
    const owner = await registerOwner(server, "Olive");
    await giveCredit(server, owner, 5000);
    const gameId = await createGame(owner);
    const created = await owner.post("/webhooks", { url: receiver.url, events: ["slot.submitted"], format });
    expect([created.status, created.body.data.webhook.format]).toEqual([201, format]);
    const slotId = await play(server, await registerPlaytester(server, "Tess <!channel>"), await order(owner, gameId));
    await server.advance(0);
    await receiver.until(1);
    const { body, headers } = receiver.received[0]!;
    expect(faults(format, JSON.parse(body))).toEqual([]);
    expect(body).toContain("submitted a playtest video of Lantern Deep");
    const link = `${server.baseUrl}/studio/slots/${slotId}`;
    expect(body).toContain(link);
    expect((await fetch(link)).status).toBe(200);
    expect(headers["webhook-signature"]).toMatch(/^v1,/);
    const changed = await owner.patch(`/webhooks/${created.body.data.webhook.id}`, { format: "standard" });
    expect(changed.body.data.webhook.format).toBe("standard");
    await owner.post(`/webhooks/${created.body.data.webhook.id}/test`);
    expect(JSON.parse(receiver.received[1]!.body)).toMatchObject({ event: "test.ping" });
  });

  it("every kind of event has a message in every format", async ({ server }) => {
    const owner = await registerOwner(server, "Olive");
    for (const format of names) await owner.post("/webhooks", { url: `${receiver.url}?${format}`, events: ["*"], format });
    for (const event of eventKinds) await owner.post("/sandbox/events", { event });
    await server.advance(0);
    await receiver.until(names.length * eventKinds.length);
    const wrong = receiver.received.flatMap(({ path, body }) => faults(path.split("?")[1] as "slack", JSON.parse(body)) ?? []);
    expect(wrong).toEqual([]);
  });
});
