import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sendManyRows, updateRow } from "../../server/database/rows.ts";
import type { New, Tables } from "../../server/database/schema/index.ts";
import { visitor } from "../helpers/portal.ts";
import { startTestServer, type TestServer } from "../helpers/server.ts";
import { type Account, giveSlot, register } from "../helpers/slot-factories.ts";
import { drivers, type TestStore } from "../helpers/store.ts";

describe.each(drivers)("chat on $name", ({ open }) => {
  let store: TestStore;
  let server: TestServer;
  let owner: Account;
  let tess: Account;

  beforeEach(async () => {
    store = await open();
    server = await startTestServer({ store });
    owner = await register(server, "game_owner", "Olive");
    tess = await register(server, "playtester", "Tess");
  });
  afterEach(async () => {
    await server.close();
    await store.remove();
  });

  const data = async (account: Account, method: string, path: string, body?: unknown) => {
    const reply = await server.request(method, path, { key: account.key, body });
    if (reply.status >= 400) throw new Error(`${method} ${path}: ${reply.text}`);
    return reply.body.data;
  };
  const status = async (account: Account, method: string, path: string, body?: unknown) =>
    (await server.request(method, path, { key: account.key, body })).status;
  const openWith = async (account: Account, contact: Account): Promise<string> =>
    (await data(account, "POST", "/chat/conversations", { contactId: contact.id })).conversation.id;
  const say = (account: Account, conversation: string, content: string) =>
    data(account, "POST", `/chat/conversations/${conversation}/messages`, { content });

  it("contact: exists from the first slot and is unlocked by the first accepted one", async () => {
    expect(await data(owner, "GET", "/chat/contacts")).toEqual({ contacts: [] });
    expect(await data(tess, "GET", "/chat/contacts")).toEqual({ contacts: [], chatDisabled: true });
    expect(await status(owner, "POST", "/chat/conversations", { contactId: tess.id })).toBe(404);

    await giveSlot(server, owner.id, tess.id, "reserved");
    const quiet = {
      ...{ isUnlocked: false, unreadCount: 0, conversationId: null },
      ...{ lastMessageAt: null, lastMessagePreview: null, lastMessageSenderType: null },
    };
    expect((await data(owner, "GET", "/chat/contacts")).contacts).toEqual([
      { id: tess.id, displayName: "Tess", chatMode: "free", ...quiet },
    ]);
    expect(await data(tess, "GET", "/chat/contacts")).toEqual({
      contacts: [{ id: owner.id, displayName: "Olive", companyName: "Olive", ...quiet }],
      chatDisabled: true,
    });
    expect(await status(tess, "POST", "/chat/conversations", { contactId: owner.id })).toBe(403);

    await giveSlot(server, owner.id, tess.id, "accepted");
    const opened = await server.request("POST", "/chat/conversations", { key: owner.key, body: { contactId: tess.id } });
    expect(opened.status).toBe(201);
    const conversation = opened.body.data.conversation.id;
    expect(await openWith(tess, owner)).toBe(conversation);
    expect(await status(tess, "POST", "/chat/conversations", { contactId: owner.id })).toBe(200);
    const [contact] = (await data(owner, "GET", "/chat/contacts")).contacts;
    expect(contact).toMatchObject({ id: tess.id, isUnlocked: true, conversationId: conversation });
    expect((await data(tess, "GET", "/chat/contacts")).chatDisabled).toBe(false);
  });

  it("messages: oldest first, with a count of unread ones; fetching a page marks it as read", async () => {
    await giveSlot(server, owner.id, tess.id, "accepted");
    const conversation = await openWith(owner, tess);
    const path = `/chat/conversations/${conversation}`;
    const sent = await say(tess, conversation, "one");
    expect(sent.message).toEqual({
      id: expect.any(String),
      conversationId: conversation,
      senderType: "playtester",
      senderId: tess.id,
      content: "one",
      readAt: null,
      createdAt: "2026-03-01T12:00:00.000Z",
    });
    await say(tess, conversation, "two");
    await say(owner, conversation, "three");
    expect(await data(owner, "GET", "/chat/unread-count")).toEqual({ unreadCount: 2 });
    expect(await data(tess, "GET", "/chat/unread-count")).toEqual({ unreadCount: 1 });

    const first = await server.request("GET", `${path}?limit=1`, { key: owner.key });
    expect(first.body.data.messages.map((m: { content: string }) => m.content)).toEqual(["one"]);
    expect(first.body.data.messages[0].readAt).toBe("2026-03-01T12:00:00.000Z");
    expect(await data(owner, "GET", "/chat/unread-count")).toEqual({ unreadCount: 1 });
    const rest = await data(owner, "GET", `${path}?limit=2&cursor=${first.body.meta.cursor}`);
    expect(rest.messages.map((m: { content: string }) => m.content)).toEqual(["two", "three"]);
    expect(rest.messages[1].readAt).toBeNull();
    expect(await data(owner, "GET", "/chat/unread-count")).toEqual({ unreadCount: 0 });
    const backwards = await data(tess, "GET", `${path}?order=desc&limit=2`);
    expect(backwards.messages.map((m: { content: string }) => m.content)).toEqual(["three", "two"]);
  });

  /** Gives the owner this many contacts more, with conversations that are newer than the others. */
  async function addContacts(count: number): Promise<void> {
    const { newId, clock } = server.deps;
    await store.write(async (tx) => {
      const user = (await tx.one<Tables["users"]>("SELECT * FROM users WHERE id = ?", tess.id))!;
      const slot = (await tx.one<Tables["slots"]>("SELECT * FROM slots WHERE playtester_id = ?", tess.id))!;
      const added = Array.from({ length: count }, (_, n) => ({ ...user, id: newId(), email: `${n}@example.com` }));
      const at = { created_at: clock.now(), last_message_at: clock.now() + 1 };
      sendManyRows(
        tx,
        "users",
        added.map((one): New<"users"> => ({ ...one, email_key: one.email })),
      );
      sendManyRows(
        tx,
        "slots",
        added.map(({ id }): New<"slots"> => ({ ...slot, id: newId(), playtester_id: id })),
      );
      const talks = added.map(({ id }) => ({ id: newId(), owner_id: owner.id, playtester_id: id, ...at }));
      sendManyRows(tx, "conversations", talks);
    });
  }

  it("a conversation has its page, and its messages are read, also beyond the first 1,000 contacts", async () => {
    await giveSlot(server, owner.id, tess.id, "accepted");
    const conversation = await openWith(owner, tess);
    await say(tess, conversation, "Hello from afar");
    await addContacts(1000);
    const all = await data(owner, "GET", "/chat/contacts");
    expect(all.contacts.some(({ id }: Account) => id === tess.id)).toBe(false);
    for (const query of [`conversationId=${conversation}`, `contactId=${tess.id}`]) {
      const { contacts } = await data(owner, "GET", `/chat/contacts?${query}`);
      expect(contacts).toMatchObject([{ id: tess.id, conversationId: conversation, unreadCount: 1 }]);
    }
    const browser = visitor(server);
    const password = { email: owner.email, password: "correct horse battery" };
    await browser.submit("/studio/sign-in", "/studio/sign-in/password", password);
    const first = await browser.get("/studio/messages");
    const more = /href="([^"]*cursor=[^"]*)"/.exec(first.html)![1]!;
    expect((await browser.get(more)).html).toContain("Hello from afar");
    expect((await browser.get(`/studio/messages/${conversation}`)).html).toContain("Hello from afar");
    expect((await data(owner, "GET", "/chat/unread-count")).unreadCount).toBe(0);
  });

  it("contacts: the latest message first, with a preview that is safe to print", async () => {
    const theo = await register(server, "playtester", "Theo");
    const silent = await register(server, "playtester", "Silent");
    const later = await register(server, "playtester", "Later");
    for (const playtester of [tess, theo, silent]) await giveSlot(server, owner.id, playtester.id, "accepted");
    server.clock.set(server.clock.now() + 1000);
    await giveSlot(server, owner.id, later.id, "reserved");
    await say(tess, await openWith(tess, owner), "hello");
    server.clock.set(server.clock.now() + 1000);
    await say(theo, await openWith(theo, owner), `\u001b[31mred\nline\u202e ${"x".repeat(200)}`);

    const { contacts } = await data(owner, "GET", "/chat/contacts");
    expect(contacts.map((c: { displayName: string }) => c.displayName)).toEqual(["Theo", "Tess", "Later", "Silent"]);
    expect(contacts[0].lastMessagePreview).toBe(`[31mred line ${"x".repeat(86)}…`);
    expect(contacts[0].unreadCount).toBe(1);
    const first = await server.request("GET", "/chat/contacts?limit=3", { key: owner.key });
    expect(first.body.meta.hasMore).toBe(true);
    const second = await data(owner, "GET", `/chat/contacts?limit=3&cursor=${first.body.meta.cursor}`);
    expect(second.contacts.map((c: { displayName: string }) => c.displayName)).toEqual(["Silent"]);
  });

  it("block: stops messages to the person who blocked, and only that person sees it", async () => {
    await giveSlot(server, owner.id, tess.id, "accepted");
    const conversation = await openWith(owner, tess);
    const path = `/chat/conversations/${conversation}`;
    await data(tess, "POST", `${path}/block`);
    expect((await data(tess, "GET", path)).isBlocked).toBe(true);
    expect((await data(owner, "GET", path)).isBlocked).toBe(false);
    expect((await data(owner, "GET", "/chat/contacts")).contacts[0].chatMode).toBe("closed");
    expect(await status(owner, "POST", `${path}/messages`, { content: "hi" })).toBe(403);
    expect(await status(tess, "POST", `${path}/messages`, { content: "hi" })).toBe(403);
    await data(tess, "POST", `${path}/unblock`);
    expect(await status(owner, "POST", `${path}/messages`, { content: "hi" })).toBe(201);
  });

  it("suspended account: nothing is sent to it, and the pages of the owner offer no form", async () => {
    const slotId = await giveSlot(server, owner.id, tess.id, "accepted");
    const conversation = await openWith(owner, tess);
    await server.deps.store.write((tx) => updateRow(tx, "users", tess.id, { suspended_at: tx.now }));
    const reply = await server.request("POST", `/chat/conversations/${conversation}/messages`, {
      key: owner.key,
      body: { content: "hi" },
    });
    expect([reply.status, reply.body.error.message]).toEqual([
      403,
      "This contact blocked you, or the account is suspended or deleted. Nothing was sent.",
    ]);
    const olive = visitor(server);
    await olive.submit("/studio/sign-in", "/studio/sign-in/password", { email: owner.email, password: "correct horse battery" });
    for (const page of [`/studio/messages/${conversation}`, `/studio/slots/${slotId}`]) {
      const { html } = await olive.get(page);
      expect(html).toContain("Tess cannot get messages from you: you were blocked, or the account is suspended or deleted.");
      expect(html).not.toContain("Your message");
    }
  });

  it("message: only the recipient gets an event and a notification", async () => {
    await giveSlot(server, owner.id, tess.id, "accepted");
    const conversation = await openWith(owner, tess);
    const { message } = await say(tess, conversation, "hello");
    const [notification, ...more] = (await data(owner, "GET", "/notifications")).notifications;
    expect(more).toEqual([]);
    expect(notification).toMatchObject({ type: "chat.message", title: "New message", body: "Tess sent you a message." });
    expect((await data(tess, "GET", "/notifications")).notifications).toEqual([]);
    const [event] = await store.read((q) => q.all<{ account_id: string; data: string }>("SELECT * FROM events"));
    expect(event?.account_id).toBe(owner.id);
    expect(JSON.parse(event!.data)).toEqual({
      messageId: message.id,
      conversationId: conversation,
      senderType: "playtester",
      senderId: tess.id,
    });
  });

  it.each([
    ["an empty message", "", 422],
    ["5000 characters", "é".repeat(5000), 201],
    ["5001 characters", "é".repeat(5001), 422],
  ])("send: answers %s", async (_, content, expected) => {
    await giveSlot(server, owner.id, tess.id, "accepted");
    const conversation = await openWith(owner, tess);
    expect(await status(owner, "POST", `/chat/conversations/${conversation}/messages`, { content })).toBe(expected);
  });

  it("a key that is read-only reads messages without marking them as read", async () => {
    await giveSlot(server, owner.id, tess.id, "accepted");
    const conversation = await openWith(owner, tess);
    await say(tess, conversation, "It crashed.");
    const { apiKey } = await data(owner, "POST", "/auth/api-keys", { name: "report", readOnly: true });
    const read = await data({ ...owner, key: apiKey }, "GET", `/chat/conversations/${conversation}`);
    expect(read.messages).toMatchObject([{ content: "It crashed.", readAt: null }]);
    expect(await data(owner, "GET", "/chat/unread-count")).toEqual({ unreadCount: 1 });
    const sent = await data(tess, "GET", `/chat/conversations/${conversation}`);
    expect(sent.messages).toMatchObject([{ content: "It crashed.", readAt: null }]);
  });

  it("access: 404 for another account's conversation, 403 without the scope, 401 without a key", async () => {
    await giveSlot(server, owner.id, tess.id, "accepted");
    const path = `/chat/conversations/${await openWith(owner, tess)}`;
    const other = await register(server, "game_owner", "Otto");
    for (const [method, tail, body] of [
      ["GET", "", undefined],
      ["POST", "/messages", { content: "hi" }],
      ["POST", "/block", undefined],
      ["POST", "/unblock", undefined],
    ] as const) {
      expect(await status(other, method, path + tail, body)).toBe(404);
      expect((await server.request(method, path + tail, { body })).status).toBe(401);
    }
    const limited = await data(owner, "POST", "/auth/api-keys", { name: "games", scopes: ["game_owner"] });
    expect((await server.request("GET", "/chat/contacts", { key: limited.apiKey })).status).toBe(403);
  });
});
