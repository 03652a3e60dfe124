import { col, detail, optionalCol, prose, type View } from "../../cli/define.ts";
import type { MailState } from "../../contract/admin/mails.ts";

export const approvalView: View = {
  columns: [
    col("id", ({ slotId, playtestId }) => slotId ?? playtestId, "id"),
    col("kind", ({ kind }) => (kind === "slot" ? "video" : "free trial")),
    col("game", "gameName"),
    col("owner", "ownerName"),
    detail("owner id", "ownerId", "id"),
    col("submitted", "createdAt", "ago"),
    detail("playtest", "playtestId", "id"),
    detail("video", "videoUrl"),
  ],
  empty: "Nothing is awaiting approval.",
};

export const problemView: View = {
  columns: [
    col("slot", "slotId", "id"),
    col("game", "gameName"),
    col("owner", "owner.displayName"),
    col("playtester", "playtester.displayName"),
    col("problem", ({ reasonCode }) => String(reasonCode).replaceAll("_", " ")),
    col("notes", "notes"),
    col("reported", "reportedAt", "ago"),
    col("answer by", "answerBy", "ago"),
  ],
  empty: "No reported problems are waiting for an answer.",
};

export const userView: View = {
  columns: [
    col("id", "id", "id"),
    col("email", "email"),
    col("role", "role"),
    col("name", "displayName"),
    col("verified", "emailVerified"),
    col("suspended", "suspendedAt", "ago"),
    col("created", "createdAt", "ago"),
    // Without one, an account has its own name there.
    detail("company", ({ companyName, displayName }) => (companyName === displayName ? undefined : companyName)),
  ],
  empty: "No matching accounts.",
};

export const consentView: View = {
  columns: [
    col("playtester", "playtester.displayName"),
    col("email", "email"),
    col("version", "version"),
    col("game", ({ gameName }) => gameName ?? "(server)"),
    col("accepted", "acceptedAt", "ago"),
    optionalCol("address", "address"),
    detail("sha256", "sha256"),
  ],
  empty: "Nobody has accepted an agreement.",
};

export const groupView: View = {
  columns: [col("id", "id", "id"), col("name", "name"), col("members", "members"), col("created", "createdAt", "ago")],
  empty: "No tester groups. Create one with `playtest admin groups create NAME`.",
};

export const memberView: View = {
  columns: [col("id", "id", "id"), col("email", "email"), col("name", "displayName"), col("added", "addedAt", "ago")],
  empty: "This group has no members.",
};
export const invitationView: View = {
  columns: [
    col("id", "id", "id"),
    col("email", "email"),
    col("role", ({ role }) => roleWord(role)),
    col("state", "state", "status"),
    col("delivery", ({ delivery }) => deliveryWords[delivery as MailState] ?? ""),
    col("sent", "sentAt", "ago"),
    col("expires", "expiresAt", "ago"),
    col("joined", "joinedAt", "ago"),
    detail("reason", "deliveryError"),
  ],
  empty: "No invitations.",
};

const deliveryWords: Record<MailState, string> = { sent: "sent", waiting: "not sent yet", failed: "not delivered" };

export const mailView: View = {
  columns: [
    col("id", "id", "id"),
    col("to", "to"),
    col("subject", "subject"),
    col("state", "state", "status"),
    col("tries", "tries"),
    optionalCol("created", "createdAt", "ago"),
    optionalCol("link ends", "expiresAt", "ago"),
    prose("reason", "error"),
  ],
  empty: "No emails.",
};

export const failedJobView: View = {
  columns: [
    col("id", "id", "id"),
    col("purpose", ({ purpose, kind }) => purpose ?? kind),
    prose("about", ({ about }) =>
      Object.entries(about as Record<string, string>)
        .map(([name, value]) => `${name} ${value}`)
        .join(", "),
    ),
    col("tries", "tries"),
    optionalCol("last try", "triedAt", "ago"),
    prose("reason", "error"),
  ],
  empty: "No background job has failed for good.",
};

const roleWord = (role: unknown) => (role === "playtester" ? "tester" : role === "game_owner" ? "owner" : String(role));

export const adminView: View = {
  columns: [
    col("id", "id", "id"),
    col("name", "name"),
    col("scopes", "scopes"),
    col("revoked", "suspendedAt", "ago"),
    col("created", "createdAt", "ago"),
  ],
};

const fieldsText = (fields: unknown) => (fields === null ? null : JSON.stringify(fields));

export const auditView: View = {
  columns: [
    col("seq", "seq"),
    col("time", "createdAt", "ago"),
    { ...col("actor", "actorId", "id"), inTable: ({ actorName, actorId }) => actorName ?? actorId },
    col("action", "action"),
    { ...col("target", "targetId", "id"), inTable: ({ targetName, targetId }) => targetName ?? targetId },
    col("address", "address"),
    detail("details", ({ details }) => fieldsText(details)),
    detail("before", ({ before }) => fieldsText(before)),
    detail("after", ({ after }) => fieldsText(after)),
    detail("key", "keyId", "id"),
    detail("hash", "hash"),
  ],
  empty: "The audit log has no such entries.",
};

const obstacles: Record<string, string> = {
  suspended: "suspended",
  no_details: "no details",
  new_details: "new details",
};

export const owedView: View = {
  columns: [
    col("id", "userId", "id"),
    col("playtester", "displayName"),
    col("email", "email"),
    col("available", "availableCents", "usd"),
    col("held", "heldCents", "usd"),
    optionalCol("next release", "nextReleaseAt", "ago"),
    optionalCol("disputed", "disputedCents", "usd"),
    optionalCol("total", "balanceCents", "usd"),
    optionalCol("paid by", "method"),
    col("missing", ({ obstacle }) => obstacles[String(obstacle)] ?? obstacle),
    optionalCol("details usable", "detailsUsableFrom", "ago"),
  ],
  empty: "Nothing is owed to playtesters.",
  footer: ({ totals }) =>
    totals ? { ...(totals as object), displayName: `all ${(totals as { playtesters: number }).playtesters}` } : undefined,
};

export const payoutTotalView: View = {
  columns: [
    col("id", "userId", "id"),
    col("playtester", "displayName"),
    col("email", "email"),
    col("earned", "earnedCents", "usd"),
    col("paid", "paidCents", "usd"),
    col("balance", "balanceCents", "usd"),
  ],
  empty: "Nobody earned or was paid anything in this year.",
};

export const payoutView: View = {
  columns: [
    col("id", "id", "id"),
    col("playtester", "displayName"),
    col("amount", "amountCents", "usd"),
    col("status", "status", "status"),
    optionalCol("paid by", "method"),
    optionalCol("to", "masked"),
    optionalCol("reference", "reference"),
    optionalCol("created", "createdAt", "ago"),
    optionalCol("failed", "failedAt", "ago"),
    optionalCol("failure", "failure"),
    detail("playtester id", "userId", "id"),
    detail("completed", "completedAt", "ago"),
    detail("batch", "batchId", "id"),
  ],
  empty: "No payouts yet.",
};

export const batchView: View = {
  columns: [
    col("id", "id", "id"),
    col("payouts", "total.payouts"),
    col("amount", "total.amountCents", "usd"),
    col("pending", "pending.payouts"),
    col("completed", "completed.payouts"),
    col("failed", "failed.payouts"),
    optionalCol("method", ({ method }) => method ?? "all"),
    col("created", "createdAt", "ago"),
    optionalCol("by", "createdByName"),
    detail("minimum", "minCents", "usd"),
    detail("pending amount", "pending.amountCents", "usd"),
    detail("completed amount", "completed.amountCents", "usd"),
    detail("failed amount", "failed.amountCents", "usd"),
  ],
  empty: "No batches of payouts yet.",
};

export const settledView: View = {
  columns: [col("line", "line"), col("reference", "reference"), col("outcome", "said"), optionalCol("payout", "payoutId", "id")],
  empty: "The file has no rows.",
};

export const suspenseView: View = {
  columns: [
    col("id", "id", "id"),
    col("amount", "amountCents", "usd"),
    col("crypto", ({ cryptoAmount, currency, chain }) => `${cryptoAmount} ${currency} on ${chain}`),
    col("reason", "reason"),
    col("proof", ({ proof }) => (proof as { by: string } | null)?.by ?? null),
    { ...col("owner", "userId", "id"), inTable: ({ displayName, userId }) => displayName ?? userId },
    col("status", "status", "status"),
    col("received", "createdAt", "ago"),
    detail("transaction", "txHash"),
    detail("sender", "sender"),
    detail("proved by", ({ proof }) => (proof as { userId: string } | null)?.userId ?? null, "id"),
    detail("signature", ({ proof }) => (proof as { signature: string } | null)?.signature ?? null),
    detail("payment", "paymentId"),
    detail("resolved", "resolvedAt", "ago"),
    detail("note", "note"),
  ],
  empty: "No unmatched deposits.",
};

export const disputeView: View = {
  columns: [
    col("payment", "paymentId"),
    col("owner", "displayName"),
    detail("owner id", "userId", "id"),
    col("amount", "amountCents", "usd"),
    col("status", "status", "status"),
    col("disputed", "createdAt", "ago"),
    detail("lifted", "liftedAt", "ago"),
    detail("payment amount", "paymentCents", "usd"),
    detail("id", "id"),
  ],
  empty: "No payment is disputed.",
};

export const statsView: View = {
  columns: [
    col("owners", "owners"),
    col("playtesters", "playtesters"),
    col("games", "games"),
    col("active playtests", "activePlaytests"),
    col("open slots", "openSlots"),
    col("pending reviews", "pendingReviews"),
    col("pending approvals", "pendingApprovals"),
    col("credit held", "creditCents", "usd"),
    col("owed to playtesters", "payableCents", "usd"),
  ],
};

export const trialView: View = {
  columns: [
    col("id", "id", "id"),
    col("status", "status", "status"),
    col("visibility", "visibility"),
    col("slots", "quantity"),
    detail("created", "createdAt", "ago"),
  ],
};
export const videoView: View = {
  columns: [
    col("id", "id", "id"),
    col("game", "game.name"),
    col("status", "status", "status"),
    col("playtester", "playtester.displayName"),
  ],
};
export const gameView: View = { columns: [col("id", "id", "id"), col("name", "name"), col("status", "status", "status")] };
export const categoryView: View = { columns: [col("id", "id", "id"), col("name", "name"), col("slug", "slug")] };
export const paymentView: View = {
  columns: [
    col("id", "id", "id"),
    col("amount", "amountCents", "usd"),
    col("status", "status", "status"),
    col("provider", "provider"),
  ],
};
