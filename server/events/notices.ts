import type { EventKind } from "../../src/contract/events/kinds.ts";
import { usd } from "../lib/money.ts";

/** What an event is about, in words: filled in by whoever causes it. */
export interface NoticeContext {
  gameName?: string;
  playtesterName?: string;
  amountCents?: number;
  planName?: string;
  url?: string;
  senderName?: string;
  /** Why crypto that could not be credited was sent back. */
  sentBack?: string;
}

export interface Notice {
  title: string;
  body: string;
}

/** The notification a person reads for an event: a short title, a body naming the playtester and the game. */
export function noticeOf(kind: EventKind, reader: "game_owner" | "playtester" | "admin", c: NoticeContext): Notice {
  const game = c.gameName ?? "your game";
  const who = c.playtesterName ?? "A playtester";
  const forOwner: Partial<Record<EventKind, Notice>> = {
    "slot.reserved": { title: "Slot reserved", body: `${who} reserved a playtest slot of ${game}.` },
    "slot.submitted": {
      title: "Video submitted",
      body: `${who} submitted a playtest video of ${game}. It is ready for your review.`,
    },
    "slot.accepted": { title: "Submission accepted", body: `You accepted ${who}'s playtest of ${game}.` },
    "slot.rejected": { title: "Submission rejected", body: `You rejected ${who}'s playtest of ${game}.` },
    "slot.expired": {
      title: "Slot expired",
      body: `A playtest slot of ${game} expired${c.playtesterName ? ` before ${who} submitted a video` : " before a playtester claimed it"}.`,
    },
    "application.created": { title: "New application", body: `${who} applied to playtest ${game}.` },
    "application.approved": {
      title: "Application approved",
      body: `You approved the application of ${who} to playtest ${game}.`,
    },
    "application.rejected": {
      title: "Application rejected",
      body: `You rejected the application of ${who} to playtest ${game}.`,
    },
    "application.auto_rejected": {
      title: "Application closed",
      body: `The application of ${who} to playtest ${game} was closed because no slots are left.`,
    },
  };
  const forPlaytester: Partial<Record<EventKind, Notice>> = {
    "slot.reserved": {
      title: "Slot reserved",
      body: `You reserved a playtest slot of ${game}. Submit your video before the deadline.`,
    },
    "slot.submitted": { title: "Video received", body: `The owner of ${game} received your playtest video for review.` },
    "slot.accepted": {
      title: "Playtest accepted",
      body: `Your playtest of ${game} was accepted${c.amountCents ? ` and earned you ${usd(c.amountCents ?? 0)}` : ""}.`,
    },
    "slot.rejected": { title: "Playtest rejected", body: `Your playtest of ${game} was rejected. See the slot for the reason.` },
    "slot.expired": { title: "Slot expired", body: `Your playtest slot of ${game} expired: its deadline passed.` },
    "application.created": {
      title: "Application sent",
      body: `You applied to playtest ${game}. The owner will review your application.`,
    },
    "application.approved": {
      title: "Application approved",
      body: `Your application to playtest ${game} was approved. Submit your video before the deadline.`,
    },
    "application.rejected": { title: "Application rejected", body: `Your application to playtest ${game} was rejected.` },
    "application.auto_rejected": {
      title: "Application closed",
      body: `Your application to playtest ${game} was closed because no slots are left.`,
    },
  };
  const forAnyone: Partial<Record<EventKind, Notice>> = {
    "subscription.created": {
      title: "Subscription started",
      body: `${c.planName ?? "Your plan"} is active. Its playtest hours were added.`,
    },
    "subscription.renewed": {
      title: "Subscription renewed",
      body: `${c.planName ?? "Your plan"} renewed. Its playtest hours were added.`,
    },
    "subscription.cancelled": {
      title: "Subscription cancelled",
      body: `${c.planName ?? "Your plan"} will not renew. You keep your unused hours.`,
    },
    "subscription.payment_failed": {
      title: "Renewal payment failed",
      body: `The renewal of ${c.planName ?? "your plan"} could not be charged. We will retry it.`,
    },
    "payment.completed": { title: "Payment completed", body: `Your payment of ${usd(c.amountCents ?? 0)} went through.` },
    "payment.failed": c.sentBack
      ? {
          title: "Payment refunded",
          body: `Your crypto payment of ${usd(c.amountCents ?? 0)} was refunded instead of credited: ${c.sentBack}`,
        }
      : { title: "Payment failed", body: `Your payment of ${usd(c.amountCents ?? 0)} did not go through.` },
    "payout.completed": { title: "Payout sent", body: `${usd(c.amountCents ?? 0)} of your earnings were paid out.` },
    "payout.failed": {
      title: "Payout failed",
      body: `The payout of ${usd(c.amountCents ?? 0)} failed. The amount was returned to your earnings.`,
    },
    "chat.message": { title: "New message", body: `${c.senderName ?? "Someone"} sent you a message.` },
    "playtest.completed": { title: "Playtest completed", body: `Every slot of a playtest of ${game} has ended.` },
    "webhook.disabled": {
      title: "Webhook disabled",
      body: `${c.url ?? "A webhook"} failed too often and was disabled. Fix the endpoint, then enable the webhook.`,
    },
    "test.ping": { title: "Test event", body: "A test event was sent to your webhook." },
  };
  const own = reader === "playtester" ? forPlaytester : forOwner;
  return own[kind] ?? forAnyone[kind] ?? { title: kind, body: kind };
}
