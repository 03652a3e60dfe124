import { afterEach, beforeEach, expect, it } from "vitest";
import { onBothDatabases } from "../helpers/each.ts";
import { registerOwner } from "../helpers/factories.ts";
import { signedIn } from "../helpers/portal.ts";
import { type Receiver, startReceiver, status } from "../helpers/receiver.ts";

const at = "/studio/webhooks";
const secretIn = (html: string) => /<code>(whsec_[^<]+)<\/code>/.exec(html)?.[1];

onBothDatabases("webhooks in Studio", (serve) => {
  let receiver: Receiver;
  beforeEach(async () => {
    receiver = await startReceiver();
  });
  afterEach(() => receiver.close());

  async function scene() {
    const server = await serve();
    const owner = await registerOwner(server, "Hearth & Co");
    const browser = await signedIn(server, owner, "/studio");
    const create = (fields: Record<string, string> = { all: "yes" }) =>
      browser.submit(at, at, { url: receiver.url, format: "standard", ...fields });
    const made = async () => (await owner.listWebhooks()).webhooks[0]!;
    return { server, owner, browser, create, made };
  }

  it("is created with its secret shown once, tested, and its deliveries can be sent again", async () => {
    const { browser, create, made, server } = await scene();
    const shown = await create();
    const secret = secretIn(shown.html);
    expect([shown.status, secret]).toEqual([200, expect.any(String)]);
    const { id, events } = await made();
    expect(events).toEqual(["*"]);
    const page = `${at}/${id}`;
    expect((await browser.submit(page, `${page}/test`)).location).toBe(`${page}?done=sent`);
    expect(receiver.received).toHaveLength(1);
    const { html } = await browser.get(page);
    expect(html).not.toContain(secret!);
    expect(html).toContain("test.ping");
    const again = /action="([^"]+\/deliveries\/[^"]+\/again)"/.exec(html)![1]!;
    expect((await browser.submit(page, again)).location).toBe(`${page}?done=again`);
    await server.advance(60_000);
    expect(receiver.received).toHaveLength(2);
  });

  it("tells when a test event does not arrive", async () => {
    const { browser, create, made } = await scene();
    await create();
    receiver.answer(status(500));
    const page = `${at}/${(await made()).id}`;
    const { location } = await browser.submit(page, `${page}/test`);
    expect((await browser.get(location!)).html).toContain("The test event did not arrive.");
    expect((await browser.get(page)).html).toContain("the endpoint responded with status 500");
    receiver.answer((response) => response.socket!.destroy());
    await browser.submit(page, `${page}/test`);
    expect((await browser.get(page)).html).toContain("the endpoint closed the connection without a response");
  });

  it("takes only some events, in another format; without any, or with a wrong address, it is refused", async () => {
    const { browser, create, made, owner } = await scene();
    const none = await create({});
    expect([none.status, none.html]).toEqual([422, expect.stringContaining('id="events-fault"')]);
    const wrong = await create({ all: "yes", url: "nowhere" });
    expect([wrong.status, wrong.html]).toEqual([422, expect.stringContaining('id="url-fault"')]);
    expect((await owner.listWebhooks()).webhooks).toEqual([]);
    const { location } = await create({ "event-slot.submitted": "yes", "event-slot.blocked": "yes", format: "slack" });
    expect(await made()).toMatchObject({ events: ["slot.submitted", "slot.blocked"], format: "slack" });
    const { html } = await browser.get(location!);
    expect(html).toContain("The webhook was created.");
    expect(html).not.toMatch(/signing secret|whsec_/);
  });

  it("gets another secret, is enabled again, and is deleted", async () => {
    const { browser, create, made, owner, server } = await scene();
    const before = secretIn((await create()).html);
    const { id } = await made();
    const page = `${at}/${id}`;
    const rotated = secretIn((await browser.submit(page, `${page}/rotate`)).html);
    expect([rotated, rotated === before]).toEqual([expect.any(String), false]);
    await server.deps.store.write((tx) => tx.run("UPDATE webhooks SET is_active = 0 WHERE id = ?", id));
    expect((await browser.get(page)).html).toContain("This webhook is disabled");
    await browser.submit(page, `${page}/enable`);
    expect((await made()).isActive).toBe(true);
    expect((await browser.submit(page, `${page}/delete`)).location).toBe(`${at}?done=deleted`);
    expect((await owner.listWebhooks()).webhooks).toEqual([]);
  });

  it("of another account is not found", async () => {
    const { create, made, server } = await scene();
    await create();
    const { id } = await made();
    const stranger = await signedIn(server, await registerOwner(server), "/studio");
    expect((await stranger.get(`${at}/${id}`)).status).toBe(404);
  });
});
