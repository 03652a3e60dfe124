import type { DisputeEnding } from "../../src/contract/billing.ts";
import type { EventKind } from "../../src/contract/events/kinds.ts";
import type { ReportOutcome } from "../../src/contract/slots.ts";
import { usd } from "../lib/money.ts";
import type { NoticeContext, PaidWhen, TimeAnswer } from "./notice-context.ts";
import { absenceTexts, endedText } from "./team-texts.ts";

export interface Notice {
  title: string;
  body: string;
}

type Text = (context: CompleteContext) => Notice;

/** The context with default words for what is unknown. */
interface CompleteContext extends NoticeContext {
  game: string;
  who: string;
  plan: string;
  amount: string;
}

/** One text for all readers, or one for owners and one for playtesters. */
type Texts = Text | { owner: Text; playtester: Text };

const unpaid = ({ withoutPayments }: CompleteContext) => (withoutPayments ? "" : " It is not paid.");
const refund = ({ refunded }: CompleteContext) => (refunded ? ` You got ${refunded} back.` : "");
const quote = ({ answer }: CompleteContext) => (answer ? ` “${answer}”` : "");

/** The fixed time of a playtest, if it has one. */
const played = (at: string | undefined) => (at ? ` You play at ${at}.` : "");

/** What becomes of the hours of a plan that is cancelled. */
const planHours = {
  kept: ". You keep your unused hours.",
  taken: ", and its hours were taken from your account, because its payment was returned.",
} as const;

/** What an accepted video earns, and when. */
const earnings: Record<PaidWhen, (amount: string) => string> = {
  published: (amount) => `. You earn ${amount} when the video is published`,
  approved: (amount) => `. You earn ${amount} when an administrator has approved it`,
  now: (amount) => ` and earned you ${amount}`,
};

/** How a reported problem ended, for the owner and for the playtester. */
const ownerEndings: Record<ReportOutcome, (context: CompleteContext) => string> = {
  unblocked: ({ who, game }) => `${who} has the playtest slot of ${game} again.`,
  cancelled: (context) => `You cancelled the blocked playtest slot of ${context.game}.${refund(context)}`,
  released: ({ who, game }) => `${who} released the blocked playtest slot of ${game}.`,
  expired: (context) =>
    `The problem that ${context.who} reported with ${context.game} was not answered in time. The slot was cancelled.${refund(context)}`,
};
const newKeysOf = ({ newKeys, claimantName }: CompleteContext) =>
  newKeys ? (claimantName ? " Your team has new game keys." : " You have a new game key.") : "";
const playtesterEndings: Record<ReportOutcome, (context: CompleteContext) => string> = {
  unblocked: (context) =>
    `Continue your playtest of ${context.game} before the new deadline.${quote(context)}${newKeysOf(context)}`,
  cancelled: (context) => `Your playtest slot of ${context.game} was cancelled because of a reported problem.${unpaid(context)}`,
  released: ({ game }) => `You released your playtest slot of ${game}.`,
  expired: (context) =>
    `A problem reported with ${context.game} was not answered in time. Your slot was cancelled.${unpaid(context)}`,
};

/** The owner who takes a proposal back is not told. */
const ownerAnswers: Record<TimeAnswer, string> = {
  accepted: "agreed",
  declined: "declined",
  none: "did not agree in time",
  withdrawn: "is no longer asked",
};
const released = ({ game }: CompleteContext, why = "") => ({
  title: "Slot released",
  body: `Your slot of ${game} was released${why}. This does not count against you.`,
});
const playtesterAnswers: Record<TimeAnswer, (context: CompleteContext) => { title: string; body: string }> = {
  accepted: ({ game, at }) => ({ title: "Time accepted", body: `You play ${game} at ${at ?? "the new time"}.` }),
  declined: (context) => released(context),
  none: (context) => released(context, ", because you did not answer in time"),
  withdrawn: ({ game, at }) => ({
    title: "Time not changed",
    body: `The owner took back the proposal of another time. You play ${game} at ${at ?? "the time as before"}.`,
  }),
};

const disputeEndings: Record<DisputeEnding, (context: CompleteContext) => string> = {
  won: ({ amount, disputedPlan: plan }) =>
    plan
      ? `The dispute of your card payment for a plan has ended. The plan stays ended${plan.hours ? ", and its hours were returned to your account" : ""}.`
      : `The dispute of your card payment has ended, and ${amount} was returned to your account.`,
  lifted: ({ amount }) => `The operator ended the freeze because of the dispute over ${amount}.`,
};

const ordersAfterDispute = ({ wasLifted, stillFrozen }: CompleteContext) => {
  if (wasLifted) return "";
  return stillFrozen ? " Another payment is still disputed, so you cannot order yet." : " You can order again.";
};

const notices = {
  "slot.reserved": {
    owner: ({ who, game }) => ({ title: "Slot reserved", body: `${who} reserved a playtest slot of ${game}.` }),
    playtester: ({ game, isRetry, claimantName, at, until = "the deadline" }) => {
      const title = isRetry ? `${claimantName ? "Your team" : "You"} can try again` : "Slot reserved";
      if (claimantName) {
        const reserved = `A slot of ${game} is reserved for ${isRetry ? "the next video of your team" : "your team"}.`;
        return { title, body: `${reserved}${played(at)} ${claimantName} submits the video before ${until}.` };
      }
      return isRetry
        ? { title, body: `A slot of ${game} is reserved for your next video. Submit it before ${until}.` }
        : { title, body: `You reserved a playtest slot of ${game}.${played(at)} Submit your video before ${until}.` };
    },
  },
  "slot.submitted": {
    owner: ({ who, game }) => ({
      title: "Video submitted",
      body: `${who} submitted a playtest video of ${game}. It is ready for your review.`,
    }),
    playtester: ({ game, claimantName }) => ({
      title: "Video received",
      body: `The owner of ${game} received ${claimantName ? "the playtest video of your team" : "your playtest video"} for review.`,
    }),
  },
  "slot.accepted": {
    owner: ({ who, game }) => ({ title: "Submission accepted", body: `You accepted ${who}'s playtest of ${game}.` }),
    playtester: ({ game, amountCents, amount, paidWhen }) => ({
      title: "Playtest accepted",
      body: `Your playtest of ${game} was accepted${amountCents ? earnings[paidWhen ?? "now"](amount) : ""}.`,
    }),
  },
  "slot.rejected": {
    owner: ({ who, game, byOperator, reason }) => ({
      title: "Submission rejected",
      body: byOperator
        ? `An operator of this server rejected ${who}'s video of ${game}, and it is not published.${reason ? ` “${reason}”` : ""}`
        : `You rejected ${who}'s playtest of ${game}.`,
    }),
    playtester: ({ game, reason, until, claimantName }) => ({
      title: "Playtest rejected",
      body: `Your playtest of ${game} was rejected${reason ? `: “${reason}”` : "."} ${until ? `${claimantName ?? "You"} can submit another video before ${until}.` : "This is final."}`,
    }),
  },
  "slot.published": {
    owner: ({ who, game, url }) => ({
      title: "Video published",
      body: `Everybody can watch ${who}'s playtest of ${game}: ${url}`,
    }),
    playtester: ({ game, url, amountCents, amount, isHidden }) =>
      isHidden
        ? { title: "Playtest paid", body: `Your playtest of ${game} earned you ${amount}. The video is not shown now.` }
        : {
            title: "Video published",
            body: `Everybody can watch your playtest of ${game}: ${url}${amountCents ? ` It earned you ${amount}.` : ""}`,
          },
  },
  "slot.consent_withdrawn": ({ who, game, isReviewed }) => ({
    title: "Consent withdrawn",
    body: `${who} withdrew the consent to publish the video of ${game}. ${isReviewed ? "It is deleted where it was published." : "It will not be published; you review it as usual."}`,
  }),
  "slot.publish_failed": ({ who, game, platform, reason }) => ({
    title: "Video not published",
    body: `${who}'s playtest of ${game} is not on ${platform ?? "its platform"}, but on the page of this server. ${reason ?? ""}`,
  }),
  "slot.expired": {
    owner: ({ who, game, playtesterName }) => ({
      title: "Slot expired",
      body: `A playtest slot of ${game} expired${playtesterName ? ` before ${who} submitted a video` : " before a playtester claimed it"}.`,
    }),
    playtester: ({ game }) => ({ title: "Slot expired", body: `Your playtest slot of ${game} expired: its deadline passed.` }),
  },
  "slot.blocked": ({ who, game, problem, until }) => ({
    title: "Problem reported",
    body: `${who} cannot play ${game}: ${problem ?? "no details"} Answer by ${until ?? "the deadline"}.`,
  }),
  "slot.resolved": {
    owner: (context) => ({ title: "Problem closed", body: ownerEndings[context.outcome ?? "unblocked"](context) }),
    playtester: (context) => ({ title: "Problem answered", body: playtesterEndings[context.outcome ?? "unblocked"](context) }),
  },
  "slot.due": ({ game, claimantName, until = "the deadline" }) => ({
    title: "Deadline soon",
    body: claimantName
      ? `${claimantName} has to submit the playtest video of your team for ${game} before ${until}.`
      : `Submit your playtest video of ${game} before ${until}.`,
  }),
  "slot.starting": ({ game, at }) => ({
    title: "Playtest soon",
    body: `Your playtest of ${game} begins at ${at ?? "its fixed time"}.`,
  }),
  "slot.move_proposed": ({ game, at, previousAt, until, claimantName }) => ({
    title: "Another time proposed",
    body: `The owner of ${game} proposes to play at ${at ?? "another time"} instead of ${previousAt ?? "the time you agreed to"}. ${claimantName ? `${claimantName} answers for your team by` : "Accept or decline by"} ${until ?? "the deadline"}: after that your slot is released.`,
  }),
  "slot.move_answered": {
    owner: (context) => {
      const { who, game, at, timeAnswer = "accepted", isClosed } = context;
      const released = isClosed
        ? ` Applications have ended, so the slot is closed.${refund(context)}`
        : " The slot is open again.";
      return {
        title: `Time ${timeAnswer === "accepted" ? "accepted" : "not accepted"}`,
        body: `${who} ${ownerAnswers[timeAnswer]} to play ${game} at ${at ?? "the time that you proposed"}.${timeAnswer === "accepted" ? "" : released}`,
      };
    },
    playtester: (context) => playtesterAnswers[context.timeAnswer ?? "accepted"](context),
  },
  "slot.cancelled": {
    owner: ({ who, game, refunded, amountCents, amount }) => ({
      title: "Slot cancelled",
      body: `You cancelled the playtest slot of ${game} that ${who} had claimed.${refunded ? ` You got ${refunded} back.` : amountCents ? ` It was less than 12 hours before its time, so ${who} earned ${amount}.` : ""}`,
    }),
    playtester: ({ game, at, amountCents, amount }) => ({
      title: "Slot cancelled",
      body: `The owner of ${game} cancelled your playtest at ${at ?? "its fixed time"}.${amountCents ? ` You earned ${amount}.` : " This does not count against you."}`,
    }),
  },
  "credit.low": ({ amount }) => ({
    title: "Credit is low",
    body: `Your credit is ${amount}. Add credit before the next order.`,
  }),
  "approval.pending": ({ game, pending }) => ({
    title: "Approval needed",
    body: `${pending === "video" ? "A video of the free trial" : "The free trial"} of ${game} waits for your approval.`,
  }),
  "approval.decided": ({ game, decision, reason }) => ({
    title: decision === "rejected" ? "Free trial not approved" : "Free trial approved",
    body:
      decision === "rejected"
        ? `The free trial of ${game} was not approved and was cancelled.${reason ? ` “${reason}”` : ""}`
        : `The free trial of ${game} is approved and visible to playtesters.`,
  }),
  "application.created": {
    owner: ({ who, game }) => ({ title: "New application", body: `${who} applied to playtest ${game}.` }),
    playtester: ({ game }) => ({
      title: "Application sent",
      body: `You applied to playtest ${game}. The owner will review your application.`,
    }),
  },
  "application.approved": {
    owner: ({ who, game }) => ({
      title: "Application approved",
      body: `You approved the application of ${who} to playtest ${game}.`,
    }),
    playtester: ({ game, at }) => ({
      title: "Application approved",
      body: `Your application to playtest ${game} was approved.${played(at)} Submit your video before the deadline.`,
    }),
  },
  "application.rejected": {
    owner: ({ who, game }) => ({
      title: "Application rejected",
      body: `You rejected the application of ${who} to playtest ${game}.`,
    }),
    playtester: ({ game }) => ({ title: "Application rejected", body: `Your application to playtest ${game} was rejected.` }),
  },
  "application.auto_rejected": {
    owner: ({ who, game }) => ({
      title: "Application closed",
      body: `The application of ${who} to playtest ${game} was closed because the playtest is full or over.`,
    }),
    playtester: ({ game }) => ({
      title: "Application closed",
      body: `Your application to playtest ${game} was closed because the playtest is full or over.`,
    }),
  },
  "subscription.created": ({ plan }) => ({
    title: "Subscription started",
    body: `${plan} is active. Its playtest hours were added.`,
  }),
  "subscription.renewed": ({ plan }) => ({
    title: "Subscription renewed",
    body: `${plan} renewed. Its playtest hours were added.`,
  }),
  "subscription.cancelled": ({ plan, hasEnded, hours }) => ({
    title: hasEnded ? "Subscription ended" : "Subscription cancelled",
    body: `${plan} ${hasEnded ? "has ended" : "will not renew"}${hours ? planHours[hours] : "."}`,
  }),
  "subscription.payment_failed": ({ planName, until }) => ({
    title: "Renewal payment failed",
    body: `The renewal of ${planName ?? "your plan"} could not be charged. ${until ? `It is tried again on ${until}.` : "It is not tried again."}`,
  }),
  "order.approval_requested": ({ amount, game, keyName, until }) => ({
    title: "Approve an order",
    body: `${keyName === undefined ? "An API key" : `The API key ${keyName}`} wants to order a playtest of ${game} for ${amount}. It waits for your approval until ${until ?? "tomorrow"}.`,
  }),
  "order.approval_decided": ({ amount, game, verdict }) => ({
    title: `Order ${verdict ?? "approved"}`,
    body: `The order of a playtest of ${game} for ${amount} ${verdict === "expired" ? "was not approved in time" : `was ${verdict ?? "approved"}`}.`,
  }),
  "budget.threshold": ({ budget, percent }) => ({
    title: percent === 100 ? "Budget spent" : `Budget ${percent ?? 50} % spent`,
    body: `${budget ?? "Little is left of a budget"}.`,
  }),
  "budget.exceeded": ({ budget }) => ({
    title: "Refused by a budget",
    body: `An order or payment was refused because a budget does not cover it. ${budget ?? "Little is left of it"}.`,
  }),
  "payment.completed": ({ amount }) => ({ title: "Payment completed", body: `Your payment of ${amount} went through.` }),
  "payment.failed": ({ amount, sentBack }) =>
    sentBack
      ? { title: "Payment refunded", body: `Your crypto payment of ${amount} was refunded instead of credited: ${sentBack}` }
      : { title: "Payment failed", body: `Your payment of ${amount} did not go through.` },
  "payment.disputed": ({ amount, disputedPlan: plan }) => ({
    title: "Payment disputed",
    body: `${amount} of a card payment ${plan ? "for a plan " : ""}was disputed and taken back. ${plan ? `The plan has ended${plan.hours ? ", and its hours were taken from your account" : ""}. ` : ""}You cannot order until the dispute has ended.`,
  }),
  "payment.dispute_ended": (context) => ({
    title: "Dispute ended",
    body: `${disputeEndings[context.ending ?? "won"](context)}${ordersAfterDispute(context)}`,
  }),
  "payout.completed": ({ amount }) => ({ title: "Payout sent", body: `${amount} of your earnings were paid out.` }),
  "payout.failed": ({ amount }) => ({
    title: "Payout failed",
    body: `The payout of ${amount} failed. The amount was returned to your earnings.`,
  }),
  "chat.message": ({ senderName }) => ({ title: "New message", body: `${senderName ?? "Someone"} sent you a message.` }),
  "playtest.completed": ({ game }) => ({ title: "Playtest completed", body: `Every slot of a playtest of ${game} has ended.` }),
  "playtest.keys_low": ({ game, keys }) => ({
    title: "Game keys running out",
    body: `The open slots of a playtest of ${game} need more game keys${keys ? ` (${keys.unused} of ${keys.needed} left)` : ""}. Add keys so that playtesters can claim them.`,
  }),
  "finding.created": ({ finding }) => ({ title: "Finding created", body: `You created ${finding ?? "a finding"}.` }),
  "finding.merged": ({ finding, intoFinding }) => ({
    title: "Finding merged",
    body: `You merged ${finding ?? "a finding"} into ${intoFinding ?? "another"}.`,
  }),
  "finding.closed": ({ finding }) => ({ title: "Finding closed", body: `${finding ?? "A finding"} was closed.` }),
  "finding.reopened": ({ finding }) => ({ title: "Finding reopened", body: `${finding ?? "A finding"} is open again.` }),
  "friend.requested": ({ who }) => ({ title: "Friend request", body: `${who} wants to play with you.` }),
  "friend.accepted": ({ who }) => ({ title: "Friend request accepted", body: `${who} accepted your request.` }),
  "team.requested": ({ who, game, amount, amountCents, until, at }) => ({
    title: "Play with a friend",
    body: `${who} wants to playtest ${game} with you${at ? ` at ${at}` : ""}${amountCents ? ` for ${amount}` : ""}. Confirm before ${until ?? "the time limit"}.`,
  }),
  "team.confirmed": ({ game, until, at, isShort, claimantName }) => {
    const reserved = `your slot to playtest ${game} is reserved${until ? ` until ${until}` : ". Its deadline is paused until a reported problem is answered"}.${played(at)}`;
    const joined = claimantName ? `You joined the team of ${claimantName}` : "A friend joined your team";
    return isShort
      ? {
          title: "Team not complete yet",
          body: `${joined}, and ${reserved} Others are still missing: no video can be submitted before they have confirmed.`,
        }
      : { title: "Team complete", body: `Everybody confirmed, and ${reserved}` };
  },
  "team.incomplete": ({ game, memberName, absence }) => ({
    title: "Team member missing",
    body: `${memberName ?? "A member"} ${absenceTexts[absence ?? "left"]}. Ask another friend to playtest ${game} with you.`,
  }),
  "team.ended": ({ game, teamEnding }) => endedText(teamEnding ?? "expired", game),
  "webhook.disabled": ({ url, gone }) => ({
    title: "Webhook disabled",
    body: `${url ?? "A webhook"} ${gone ? "responded with 410 Gone" : "failed too often"} and was disabled. Fix the endpoint, then enable the webhook.`,
  }),
  "test.ping": () => ({ title: "Test event", body: "A test event was sent to your webhook." }),
} satisfies Record<EventKind, Texts>;

/** Of an event that a newer version recorded, which runs beside this one during an upgrade. */
const unknown =
  (kind: string): Text =>
  () => ({ title: `New event: ${kind}`, body: "See the page of the playtest or game." });

/** What others see in the place of the name of a deleted account. */
export const deletedName = "Deleted account";

/** The fields that name people. Titles name nobody. */
const people = ["playtesterName", "senderName", "claimantName", "memberName"] as const;

/** The context with `deletedName` in the place of the names of people: for what is said once one of them deleted the account. */
export function withoutNames(context: NoticeContext): NoticeContext {
  const known = people.filter((field) => context[field] !== undefined);
  return { ...context, ...Object.fromEntries(known.map((field) => [field, deletedName])) };
}

/** The notification for an event: a short title, and a body that names the playtester and the game. */
export function noticeOf(kind: EventKind, reader: "game_owner" | "playtester" | "admin", context: NoticeContext): Notice {
  const texts: Texts = (notices as Partial<Record<EventKind, Texts>>)[kind] ?? unknown(kind);
  const text = typeof texts === "function" ? texts : texts[reader === "playtester" ? "playtester" : "owner"];
  return text({
    ...context,
    game: context.gameName ?? "your game",
    who: context.playtesterName ?? "A playtester",
    plan: context.planName ?? "Your plan",
    amount: usd(context.amountCents ?? 0),
  });
}
