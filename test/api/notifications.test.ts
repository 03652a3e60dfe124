import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { emit } from "../../server/events/emit.ts";
import { eventKinds } from "../../src/contract/events/kinds.ts";
import { eventData } from "../helpers/event-data.ts";
import { startTestServer, type TestServer } from "../helpers/server.ts";
import { type Account, register } from "../helpers/slot-factories.ts";
import { drivers, type TestStore } from "../helpers/store.ts";

describe.each(drivers)("notifications on $name", ({ open }) => {
  let store: TestStore;
  let server: TestServer;
  let owner: Account;

  beforeEach(async () => {
    store = await open();
    server = await startTestServer({ store });
    owner = await register(server, "game_owner", "Olive");
  });
  afterEach(async () => {
    await server.close();
    await store.remove();
  });

  const list = async (query = "", key = owner.key) => (await server.request("GET", `/notifications${query}`, { key })).body;
  const happen = (kind: (typeof eventKinds)[number], account = owner) =>
    server.deps.store.write((tx) =>
      emit(tx, [{ id: account.id, role: "game_owner" }], {
        kind,
        data: eventData(kind),
        notice: {
          gameName: "Star Lanes",
          playtesterName: "Tess",
          planName: "Indie",
          url: "https://example.com/hook",
          amountCents: 2000,
        },
      }),
    );

  it("text: each kind of event has a readable one", async () => {
    for (const kind of eventKinds) await happen(kind);
    const { data } = await list("?limit=100");
    expect(data.unreadCount).toBe(eventKinds.length);
    const texts = data.notifications.map(
      ({ type, title, body }: { type: string; title: string; body: string }) => `${type} | ${title} | ${body}`,
    );
    expect(texts.reverse()).toMatchInlineSnapshot(`
      [
        "slot.submitted | Video submitted | Tess submitted a playtest video of Star Lanes. It is ready for your review.",
        "slot.accepted | Submission accepted | You accepted Tess's playtest of Star Lanes.",
        "slot.rejected | Submission rejected | You rejected Tess's playtest of Star Lanes.",
        "subscription.created | Subscription started | Indie is active. Its playtest hours were added.",
        "subscription.renewed | Subscription renewed | Indie renewed. Its playtest hours were added.",
        "subscription.cancelled | Subscription cancelled | Indie will not renew.",
        "subscription.payment_failed | Renewal payment failed | The renewal of Indie could not be charged. It is not tried again.",
        "test.ping | Test event | A test event was sent to your webhook.",
        "slot.reserved | Slot reserved | Tess reserved a playtest slot of Star Lanes.",
        "slot.expired | Slot expired | A playtest slot of Star Lanes expired before Tess submitted a video.",
        "payment.completed | Payment completed | Your payment of $20.00 went through.",
        "payment.failed | Payment failed | Your payment of $20.00 did not go through.",
        "payout.completed | Payout sent | $20.00 of your earnings were paid out.",
        "payout.failed | Payout failed | The payout of $20.00 failed. The amount was returned to your earnings.",
        "chat.message | New message | Someone sent you a message.",
        "application.created | New application | Tess applied to playtest Star Lanes.",
        "application.approved | Application approved | You approved the application of Tess to playtest Star Lanes.",
        "application.rejected | Application rejected | You rejected the application of Tess to playtest Star Lanes.",
        "application.auto_rejected | Application closed | The application of Tess to playtest Star Lanes was closed because the playtest is full or over.",
        "playtest.completed | Playtest completed | Every slot of a playtest of Star Lanes has ended.",
        "webhook.disabled | Webhook disabled | https://example.com/hook failed too often and was disabled. Fix the endpoint, then enable the webhook.",
        "slot.blocked | Problem reported | Tess cannot play Star Lanes: no details Answer by the deadline.",
        "slot.resolved | Problem closed | Tess has the playtest slot of Star Lanes again.",
        "playtest.keys_low | Game keys running out | The open slots of a playtest of Star Lanes need more game keys. Add keys so that playtesters can claim them.",
        "slot.due | Deadline soon | Submit your playtest video of Star Lanes before the deadline.",
        "credit.low | Credit is low | Your credit is $20.00. Add credit before the next order.",
        "approval.pending | Approval needed | The free trial of Star Lanes waits for your approval.",
        "approval.decided | Free trial approved | The free trial of Star Lanes is approved and visible to playtesters.",
        "payment.disputed | Payment disputed | $20.00 of a card payment was disputed and taken back. You cannot order until the dispute has ended.",
        "payment.dispute_ended | Dispute ended | The dispute of your card payment has ended, and $20.00 was returned to your account. You can order again.",
        "slot.published | Video published | Everybody can watch Tess's playtest of Star Lanes: https://example.com/hook",
        "slot.publish_failed | Video not published | Tess's playtest of Star Lanes is not on its platform, but on the page of this server. ",
        "slot.consent_withdrawn | Consent withdrawn | Tess withdrew the consent to publish the video of Star Lanes. It will not be published; you review it as usual.",
        "budget.threshold | Budget 50 % spent | Little is left of a budget.",
        "budget.exceeded | Refused by a budget | An order or payment was refused because a budget does not cover it. Little is left of it.",
        "order.approval_requested | Approve an order | An API key wants to order a playtest of Star Lanes for $20.00. It waits for your approval until tomorrow.",
        "order.approval_decided | Order approved | The order of a playtest of Star Lanes for $20.00 was approved.",
        "finding.created | Finding created | You created a finding.",
        "finding.merged | Finding merged | You merged a finding into another.",
        "finding.closed | Finding closed | A finding was closed.",
        "finding.reopened | Finding reopened | A finding is open again.",
        "slot.starting | Playtest soon | Your playtest of Star Lanes begins at its fixed time.",
        "slot.move_proposed | Another time proposed | The owner of Star Lanes proposes to play at another time instead of the time you agreed to. Accept or decline by the deadline: after that your slot is released.",
        "slot.move_answered | Time accepted | Tess agreed to play Star Lanes at the time that you proposed.",
        "slot.cancelled | Slot cancelled | You cancelled the playtest slot of Star Lanes that Tess had claimed. It was less than 12 hours before its time, so Tess earned $20.00.",
        "friend.requested | Friend request | Tess wants to play with you.",
        "friend.accepted | Friend request accepted | Tess accepted your request.",
        "team.requested | Play with a friend | Tess wants to playtest Star Lanes with you for $20.00. Confirm before the time limit.",
        "team.confirmed | Team complete | Everybody confirmed, and your slot to playtest Star Lanes is reserved. Its deadline is paused until a reported problem is answered.",
        "team.incomplete | Team member missing | A member left the team. Ask another friend to playtest Star Lanes with you.",
        "team.ended | Team ended | Your team will not playtest Star Lanes. Not everybody confirmed in time, so the slot is open again. You can claim it again.",
      ]
    `);
  });

  it("list: filters unread ones while the total stays, and marks all as read once", async () => {
    await happen("slot.submitted");
    server.clock.set(server.clock.now() + 1000);
    expect((await server.request("POST", "/notifications/mark-all-read", { key: owner.key })).body.data).toEqual({
      message: "All notifications were marked as read.",
      updatedCount: 1,
    });
    await happen("slot.accepted");
    await happen("slot.rejected");
    expect((await list()).data.notifications.map((n: { type: string }) => n.type)).toEqual([
      "slot.rejected",
      "slot.accepted",
      "slot.submitted",
    ]);
    const page = await list("?unread=true&limit=1");
    expect(page.data.notifications.map((n: { type: string }) => n.type)).toEqual(["slot.rejected"]);
    expect(page.data.unreadCount).toBe(2);
    const next = await list(`?unread=true&limit=1&cursor=${page.meta.cursor}`);
    expect(next.data.notifications.map((n: { type: string }) => n.type)).toEqual(["slot.accepted"]);
    expect(next.meta).toMatchObject({ hasMore: false, cursor: null });
    expect((await list("?unread=false")).data.notifications).toHaveLength(3);
    server.clock.set(server.clock.now() + 1000);
    const again = await server.request("POST", "/notifications/mark-all-read", { key: owner.key });
    expect(again.body.data.updatedCount).toBe(2);
    const { notifications, unreadCount } = (await list()).data;
    expect([unreadCount, notifications.map((n: { readAt: string }) => n.readAt.slice(11, 19))]).toEqual([
      0,
      ["12:00:02", "12:00:02", "12:00:01"],
    ]);
  });

  it("access: each account sees only its own", async () => {
    const other = await register(server, "game_owner", "Otto");
    await happen("slot.submitted", other);
    expect((await list()).data).toEqual({ notifications: [], unreadCount: 0 });
    const { updatedCount } = (await server.request("POST", "/notifications/mark-all-read", { key: owner.key })).body.data;
    expect(updatedCount).toBe(0);
    expect((await list("", other.key)).data.unreadCount).toBe(1);
  });
});
