import { beforeAll, describe, expect, it } from "vitest";
import { look, looks } from "../helpers/accessibility.ts";
import { browserAndServer, giveSession } from "../helpers/browser.ts";
import { registerPlaytester } from "../helpers/factories.ts";
import { sessionOf } from "../helpers/portal.ts";
import { reviewMarket, submitted } from "../helpers/review.ts";

/** Names, addresses and words of people that are longer than a phone is wide. */

const { browser, server } = await browserAndServer();
let cookie: string;
const pages: Record<string, string> = {};

const word = "a".repeat(100);
const log = `https://crashes.example.com/reports/${"0123456789abcdef".repeat(4)}/minidump.txt`;

beforeAll(async () => {
  const { owner, gameId } = await reviewMarket(server);
  cookie = await sessionOf(server, owner, "/studio");
  const playtester = await registerPlaytester(server, word);
  // Those whose video was accepted can be written to.
  await owner.post(`/slots/${await submitted(server, owner, { gameId, playtester })}/accept`);
  const slotId = await submitted(server, owner, { gameId, playtester, notes: `See ${log}` });
  const noted = await owner.post(`/slots/${slotId}/moments`, { atMs: 1000, kind: "bug", text: `${word} ${log}` });
  const { id } = (await owner.post(`/games/${gameId}/findings`, { title: word, text: log })).body.data.finding;
  const added = await owner.post(`/findings/${id}/evidence`, { momentId: noted.body.data.moment.id });
  expect(added.status).toBe(201);
  const playtest = (await owner.get(`/slots/${slotId}`)).body.data.slot.requestId;
  const to = (await owner.get("/chat/contacts")).body.data.contacts[0].id;
  const conversation = (await owner.post("/chat/conversations", { contactId: to })).body.data.conversation.id;
  await owner.post(`/chat/conversations/${conversation}/messages`, { content: `${word} ${log}` });
  Object.assign(pages, {
    messages: "/studio/messages",
    conversation: `/studio/messages/${conversation}`,
    inbox: "/studio",
    playtest: `/studio/playtests/${playtest}`,
    review: `/studio/slots/${slotId}`,
    compare: `/studio/playtests/${playtest}/compare`,
    findings: `/studio/games/${gameId}/findings`,
    finding: `/studio/findings/${id}`,
    search: `/studio/search?q=${word}`,
  });
});

describe("long words in Studio", () => {
  it.each(looks)("at $width px, fit the width", async ({ width, scheme, rules }) => {
    const context = await browser.newContext({ baseURL: server.baseUrl, viewport: { width, height: 800 }, colorScheme: scheme });
    await giveSession(context, server, cookie);
    const page = await context.newPage();
    const faults: string[] = [];
    for (const [name, path] of Object.entries(pages)) faults.push(...(await look(page, `long-${name}`, path, rules, [])));
    expect(faults).toEqual([]);
    expect(await page.locator("main").textContent()).toContain(word);
    await context.close();
  });
});
