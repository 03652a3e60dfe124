import { expect, it } from "vitest";
import { schema } from "../../server/database/schema/index.ts";
import { dataFile } from "../../server/database/sqlite/driver.ts";
import { account, kinds } from "../../server/personal/export-store.ts";
import { Database } from "../helpers/sqlite.ts";
import { sqlite } from "../helpers/store.ts";

/** The columns that the export of an account leaves out, by why. `*` stands for every table or column. */
const leftOut: Record<string, readonly string[]> = {
  "it is the account itself, or the other side of what it did": [
    "*.owner_id",
    "*.user_id",
    "*.playtester_id",
    "moments.author_id",
    "messages.sender_id",
    "audit_entries.actor_id",
    "crypto_deposits.proved_by",
  ],
  "the export has it in an expression": [
    "audit_entries.address",
    "audit_entries.key_id",
    "audit_entries.session_id",
    "messages.mailed_at",
    "conversations.blocked_by_owner",
    "conversations.blocked_by_playtester",
    "crypto_deposits.proof",
    "crypto_deposits.proved_at",
    "crypto_deposits.resolution",
  ],
  "a secret, what opens one, or what would find its holder": [
    "users.password_hash",
    "api_keys.hash",
    "connection_requests.state",
    "connection_requests.challenge",
    "connection_tokens.*",
    "sessions.hash",
    "sessions.csrf",
    "one_time_tokens.*",
    "second_factors.secret",
    "second_factors.last_step",
    "recovery_codes.hash",
    "passkeys.credential_id",
    "passkeys.public_key",
    "passkeys.user_handle",
    "passkey_challenges.*",
    "invitations.token_hash",
    "order_approvals.sealed",
    "payout_details.sealed",
    "payouts.details",
    "playtest_keys.*",
    "payments.checkout_hash",
    "subscriptions.card",
    "crypto_deposits.signature",
    "signed_payments.signature",
    "tracker_connections.sealed",
    "publications.session",
    "webhooks.secret",
    "shares.token",
    "shares.token_hash",
    "shares.password_hash",
  ],
  "an email contains links that work as passwords do": [
    "mails.text_body",
    "mails.html_body",
    "mails.sealed",
    "mails.unsubscribe_url",
    "mails.entry",
    "mails.calendar",
    "mails.expires_at",
  ],
  "it follows from what is exported": [
    "users.email_key",
    "email_changes.email_key",
    "invitations.email_key",
    "api_keys.review_day",
    "api_keys.reviews",
    "budget_uses.*",
    "budget_entries.starts_at",
    "order_approvals.body_hash",
    "covers.*",
    "categories.*",
    "game_categories.category_id",
    "games.last_finding",
    "webhooks.host",
    "webhook_deliveries.host",
    "notifications.unnamed_body",
    "conversations.last_message_preview",
    "ledger_accounts.*",
    "ledger_transfers.*",
    "ledger_postings.transfer_id",
    "ledger_postings.balance_after",
    "billing_documents.id",
    "billing_documents.event_key",
    "billing_documents.issuer",
    "billing_documents.year",
    "billing_documents.sequence",
    "crypto_deposits.resolved_by",
    "teams.id",
    "teams.slot_id",
    "teams.created_at",
    "team_members.team_id",
    "submissions.id",
    "submissions.slot_id",
    "submissions.created_at",
    "ratings.slot_id",
    "rejections.slot_id",
    "rejections.created_at",
    "finding_issues.game_id",
    "finding_evidence.game_id",
  ],
  "each event has a notification, which is exported": ["events.*", "event_counters.*"],
  "it is about the other side, or about all": [
    "tester_groups.id",
    "tester_groups.created_at",
    "tester_group_members.group_id",
    "consents.agreement_id",
    "publisher_connections.*",
    "payout_batches.*",
    "payouts.batch_id",
    "invoice_numbers.*",
    "settings.*",
  ],
  "operators need it, to look into what went wrong": [
    "payments.flagged",
    "payments.flagged_at",
    "payments.flag_cleared_at",
    "payments.fee_cents",
    "payment_reversals.fee_cents",
    "payment_reversals.answer_by",
    "processor_events.*",
    "publications.error",
    "publications.detail",
    "transcriptions.error",
    "clips.error",
    "stills.error",
    "webhook_attempts.*",
    "audit_entries.request_id",
    "audit_links.*",
    "audit_pending.*",
  ],
  "files and measurements of a video, and the index in which it is searched": [
    "builds.blob_key",
    "submissions.blob_key",
    "transcriptions.original_key",
    "transcriptions.edited_key",
    "video_signals.*",
    "search_passages.*",
    "search_words.*",
    "search_vocabulary.*",
    "search_slots.*",
  ],
  "how the server does its work": [
    "users.simulated",
    "users.deleted_at",
    "second_factors.wrong_codes",
    "second_factors.wrong_at",
    "passkeys.counter",
    "passkeys.transports",
    "wrong_passwords.*",
    "invitations.mail_id",
    "order_approvals.request_key",
    "crypto_quotes.request_key",
    "crypto_quotes.reserved",
    "crypto_scans.*",
    "sandbox_chain.*",
    "upload_writers.*",
    "storing_blobs.*",
    "stray_blobs.*",
    "storing_folders.*",
    "publications.bytes_sent",
    "publications.bytes_total",
    "publications.attempts",
    "publications.next_attempt_at",
    "publications.give_up_at",
    "tracker_connections.id",
    "tracker_connections.paused_until",
    "finding_issues.marker",
    "finding_issues.begun_at",
    "finding_issues.remote_id",
    "finding_issues.sent_hash",
    "finding_issues.attempts",
    "finding_issues.next_attempt_at",
    "finding_issues.checked_at",
    "webhook_deliveries.round_start",
    "webhook_deliveries.trace",
    "mails.document_id",
    "mails.collect_at",
    "mails.admitted_at",
    "mails.error",
    "mails.tries",
    "idempotency.*",
    "jobs.*",
    "request_counts.*",
  ],
};

const matches = (column: string, pattern: string) => {
  const [[table, name], [ofTable, wanted]] = [column.split("."), pattern.split(".")];
  return (ofTable === "*" || ofTable === table) && (wanted === "*" || wanted === name);
};

/** The columns that the queries of the export read as they are, as `table.column`. */
async function exportedColumns(): Promise<Set<string>> {
  const { options, remove } = await sqlite.location();
  const database = new Database(dataFile(options.dataDir!));
  const found = [account, ...Object.values(kinds)].flatMap((sql) => database.prepare(sql).columns());
  database.close();
  await remove();
  return new Set(found.map(({ table, column }) => `${table}.${column}`));
}

it("what is kept about an account is in its export, or is listed here with a reason", async () => {
  const exported = await exportedColumns();
  const columns = Object.entries(schema).flatMap(([table, names]) => Object.keys(names).map((name) => `${table}.${name}`));
  const missing = columns.filter((column) => !exported.has(column));
  const patterns = Object.values(leftOut).flat();
  expect(missing.filter((column) => !patterns.some((pattern) => matches(column, pattern)))).toEqual([]);
  // What is exported by now, or is no column any more.
  expect(patterns.filter((pattern) => !missing.some((column) => matches(column, pattern)))).toEqual([]);
});
