import { col, detail, type ItemOf, optionalCol, prose, type Row, shorter, viewOf } from "../../cli/define.ts";
import type { MailState } from "../../contract/admin/mails.ts";
import { type PublisherName, publisherTitles } from "../../contract/publications/publishers.ts";

export const approvalView = viewOf<ItemOf<"listApprovals">>(
  [
    col("id", ({ slotId, playtestId }) => slotId ?? playtestId, "id"),
    col("kind", ({ kind }) => (kind === "slot" ? "video" : "free trial")),
    "game:gameName",
    "owner:ownerName",
    detail("owner id:ownerId"),
    "submitted:createdAt",
    detail("playtest:playtestId"),
    detail("video:videoUrl"),
  ],
  { empty: "Nothing is awaiting approval." },
);

export const problemView = viewOf<ItemOf<"listProblems">>(
  [
    "slot:slotId",
    "game:gameName",
    "owner:owner.displayName",
    "playtester:playtester.displayName",
    col("problem", ({ reasonCode }) => String(reasonCode).replaceAll("_", " ")),
    "notes",
    "reported:reportedAt",
    col("answer by:answerBy", "ago"),
  ],
  { empty: "No reported problems are waiting for an answer." },
);

export const publicationView = viewOf<ItemOf<"listPublications">>(
  [
    "id",
    "slot:slotId",
    "game:gameName",
    "playtester:playtesterName",
    col("to", ({ adapter }) => publisherTitles[adapter as PublisherName] ?? adapter),
    "state",
    optionalCol("attempts"),
    col("next try:nextAttemptAt", "ago"),
    optionalCol("created:createdAt"),
    prose("reason"),
    detail("detail"),
    detail("url"),
    detail("id on the platform:remoteId"),
  ],
  { empty: "No video was published." },
);

const slotCountsText = (slots: Readonly<Record<string, number>>) =>
  Object.entries(slots)
    .filter(([, count]) => count > 0)
    .map(([status, count]) => `${count} ${status}`)
    .join(", ");

export const operatedPlaytestView = viewOf<ItemOf<"listAllPlaytests">>(
  [
    "id",
    "game:gameName",
    "owner:owner.displayName",
    "status",
    col("slots", ({ slots }) => slotCountsText(slots)),
    "held:heldCents",
    detail("held minutes:heldMinutes"),
    detail("game status:gameStatus"),
    detail("game id:gameId"),
    detail("owner id:owner.id"),
    detail("price per slot:costPerSlotCents"),
    detail("payout:payoutCents"),
    "ordered:createdAt",
  ],
  { empty: "No playtest was found." },
);

export const userView = viewOf<ItemOf<"listUsers">>(
  [
    "id",
    "email",
    "role",
    "name:displayName",
    "verified:emailVerified",
    "suspended:suspendedAt",
    "created:createdAt",
    detail("company", ({ companyName, displayName }) => (companyName === displayName ? undefined : companyName)),
  ],
  { empty: "No matching accounts." },
);

export const consentView = viewOf<ItemOf<"listConsents">>(
  [
    "playtester:playtester.displayName",
    "email",
    "version",
    col("game", ({ gameName }) => gameName ?? "(server)"),
    "accepted:acceptedAt",
    optionalCol("address"),
    detail("sha256"),
  ],
  { empty: "Nobody has accepted an agreement." },
);

export const groupView = viewOf<ItemOf<"listGroups">>(["id", "name", "members", "created:createdAt"], {
  empty: "No tester groups. Create one with `playtest admin groups create NAME`.",
});

export const memberView = viewOf<ItemOf<"listGroupMembers">>(["id", "email", "name:displayName", "added:addedAt"], {
  empty: "This group has no members.",
});
export const invitationView = viewOf<ItemOf<"listInvitations">>(
  [
    "id",
    "email",
    col("role", ({ role }) => roleWord(role)),
    "state",
    col("delivery", ({ delivery }) => deliveryWords[delivery as MailState] ?? ""),
    "sent:sentAt",
    "expires:expiresAt",
    "joined:joinedAt",
    detail("reason:deliveryError"),
  ],
  { empty: "No invitations." },
);

const deliveryWords: Record<MailState, string> = { sent: "sent", waiting: "not sent yet", failed: "not delivered" };

export const mailView = viewOf<ItemOf<"listMails">>(
  [
    "id",
    "to",
    "subject",
    "state",
    "tries",
    optionalCol("created:createdAt"),
    optionalCol("link ends:expiresAt"),
    prose("reason:error"),
  ],
  { empty: "No emails." },
);

export const failedJobView = viewOf<ItemOf<"listFailedJobs">>(
  [
    "id",
    col("purpose", ({ purpose, kind }) => purpose ?? kind),
    prose("about", ({ about }) =>
      Object.entries(about as Record<string, string>)
        .map(([name, value]) => `${name} ${value}`)
        .join(", "),
    ),
    "tries",
    optionalCol("last try:triedAt"),
    prose("reason:error"),
  ],
  { empty: "No background job has failed for good." },
);

const roleWord = (role: unknown) => (role === "playtester" ? "tester" : role === "game_owner" ? "owner" : String(role));

export const adminView = viewOf<ItemOf<"listAdmins">>(["id", "name", "scopes", "revoked:suspendedAt", "created:createdAt"]);

const fieldsText = (fields: unknown) => (fields === null ? null : JSON.stringify(fields));

export const auditView = viewOf<ItemOf<"listAudit">>(
  [
    "seq",
    "time:createdAt",
    shorter(col("actor:actorId"), ({ actorName, actorId }) => actorName ?? actorId),
    "action",
    shorter(col("target:targetId"), ({ targetName, targetId }) => targetName ?? targetId),
    "address",
    detail("details", ({ details }) => fieldsText(details)),
    detail("before", ({ before }) => fieldsText(before)),
    detail("after", ({ after }) => fieldsText(after)),
    detail("key:keyId"),
    detail("hash"),
  ],
  { empty: "The audit log has no such entries." },
);

const obstacles: Record<string, string> = {
  suspended: "suspended",
  no_details: "no details",
  new_details: "new details",
};

export const owedView = viewOf<ItemOf<"listOwed">>(
  [
    "id:userId",
    "playtester:displayName",
    "email",
    "available:availableCents",
    "held:heldCents",
    optionalCol("next release:nextReleaseAt"),
    optionalCol("disputed:disputedCents"),
    optionalCol("total:balanceCents"),
    optionalCol("paid by:method"),
    col("missing", ({ obstacle }) => obstacles[String(obstacle)] ?? obstacle),
    optionalCol("details usable:detailsUsableFrom", "ago"),
  ],
  {
    empty: "Nothing is owed to playtesters.",
    footer: ({ totals }) =>
      totals ? { ...(totals as object), displayName: `all ${(totals as { playtesters: number }).playtesters}` } : undefined,
  },
);

export const payoutTotalView = viewOf<ItemOf<"listPayoutTotals">>(
  ["id:userId", "playtester:displayName", "email", "earned:earnedCents", "paid:paidCents", "balance:balanceCents"],
  { empty: "Nobody earned or was paid anything in this year." },
);

export const payoutView = viewOf<ItemOf<"listPayouts">>(
  [
    "id",
    "playtester:displayName",
    "amount:amountCents",
    "status",
    optionalCol("paid by:method"),
    optionalCol("to:masked"),
    optionalCol("reference"),
    optionalCol("created:createdAt"),
    optionalCol("failed:failedAt"),
    optionalCol("failure"),
    detail("playtester id:userId"),
    detail("completed:completedAt"),
    detail("batch:batchId"),
  ],
  { empty: "No payouts yet." },
);

export const batchView = viewOf<ItemOf<"listPayoutBatches">>(
  [
    "id",
    "payouts:total.payouts",
    "amount:total.amountCents",
    "pending:pending.payouts",
    "completed:completed.payouts",
    "failed:failed.payouts",
    optionalCol("method", ({ method }) => method ?? "all"),
    "created:createdAt",
    optionalCol("by:createdByName"),
    detail("minimum:minCents"),
    detail("pending amount:pending.amountCents"),
    detail("completed amount:completed.amountCents"),
    detail("failed amount:failed.amountCents"),
  ],
  { empty: "No batches of payouts yet." },
);

export const settledView = viewOf<Row<"line" | "reference" | "said" | "payoutId">>(
  ["line", "reference", "outcome:said", optionalCol("payout:payoutId")],
  { empty: "The file has no rows." },
);

export const suspenseView = viewOf<ItemOf<"listSuspense">>(
  [
    "id",
    "amount:amountCents",
    col("crypto", ({ cryptoAmount, currency, chain }) => `${cryptoAmount} ${currency} on ${chain}`),
    "reason",
    col("proof", ({ proof }) => (proof as { by: string } | null)?.by ?? null),
    shorter(col("owner:userId"), ({ displayName, userId }) => displayName ?? userId),
    "status",
    "received:createdAt",
    detail("transaction:txHash"),
    detail("sender"),
    detail("proved by", ({ proof }) => (proof as { userId: string } | null)?.userId ?? null, "id"),
    detail("signature", ({ proof }) => (proof as { signature: string } | null)?.signature ?? null),
    detail("payment:paymentId", "text"),
    detail("resolved:resolvedAt"),
    detail("note"),
  ],
  { empty: "No unmatched deposits." },
);

export const disputeView = viewOf<ItemOf<"listDisputes">>(
  [
    col("payment:paymentId", "text"),
    "owner:displayName",
    detail("owner id:userId"),
    "amount:amountCents",
    "status",
    "disputed:createdAt",
    col("answer by:answerBy", "ago"),
    detail("lifted:liftedAt"),
    detail("payment amount:paymentCents"),
    detail("id", "text"),
  ],
  { empty: "No payment is disputed." },
);

export const flaggedView = viewOf<ItemOf<"listFlaggedPayments">>(
  [
    col("payment:id", "id"),
    "owner:displayName",
    detail("owner id:userId"),
    "amount:amountCents",
    "status",
    "flagged:createdAt",
    prose("reason"),
    detail("provider"),
    detail("id at the processor:externalId"),
  ],
  { empty: "No payment waits for an operator." },
);

export const statsView = viewOf<ItemOf<"getStats">>([
  "owners",
  "playtesters",
  "games",
  "active playtests:activePlaytests",
  "open slots:openSlots",
  "pending reviews:pendingReviews",
  "pending approvals:pendingApprovals",
  "credit held:creditCents",
  "owed to playtesters:payableCents",
  "last backup:lastBackupAt",
  "backup fails:backupFailing",
]);

export const trialView = viewOf<ItemOf<"rejectPlaytest">>([
  "id",
  "status",
  "visibility",
  "slots:quantity",
  detail("created:createdAt"),
]);
export const videoView = viewOf<ItemOf<"rejectVideo">>(["id", "game:game.name", "status", "playtester:playtester.displayName"]);
export const gameView = viewOf<ItemOf<"suspendGame">>(["id", "name", "status"]);
export const categoryView = viewOf<ItemOf<"listCategories">>(["id", "name", "slug"]);
export const paymentView = viewOf<ItemOf<"chargebackPayment">>(["id", "amount:amountCents", "status", "provider"]);
