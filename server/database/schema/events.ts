import { eventKinds } from "../../../src/contract/events/kinds.ts";
import { mailKinds, mailModes } from "../../../src/contract/events/mails.ts";
import { webhookFormats } from "../../../src/contract/events/webhook-formats.ts";
import { deliveryStatuses } from "../../../src/contract/states/index.ts";
import { int, oneOf, orElse, orNull, text } from "./columns.ts";

// biome-ignore format: several columns in a line, as in the migrations
export const events = {
  events: { id: text, account_id: text, kind: oneOf(eventKinds), data: text, seq: orNull(int), created_at: int },
  event_counters: { account_id: text, last_seq: int },
  notifications: {
    id: text, user_id: text, event_id: orNull(text), type: oneOf(eventKinds), title: text, body: text,
    /** What it says once the account that it names is deleted; null where it names nobody, empty in rows of earlier versions. */
    unnamed_body: orNull(text),
    read_at: orNull(int), created_at: int,
  },
  notification_settings: { user_id: text, kind: oneOf(mailKinds), mail: oneOf(mailModes), updated_at: int },
  webhooks: {
    id: text, owner_id: text, url: text,
    /** Host and port of the URL. The limit of concurrent deliveries is per host. */
    host: text,
    events: text, format: orElse(oneOf(webhookFormats), "standard"), secret: text, is_active: int, failure_count: int,
    last_failure_at: orNull(int), disabled_at: orNull(int), deleted_at: orNull(int), created_at: int,
  },
  webhook_deliveries: {
    id: text, webhook_id: text,
    /** The host of the webhook. Kept up to date while the delivery is pending, paused or held. */
    host: text,
    event_id: text, event: oneOf(eventKinds), state: oneOf(deliveryStatuses), status_code: orNull(int), attempt_count: int,
    /** Attempts made before a redelivery last restarted the retry schedule. */
    round_start: int,
    delivered_at: orNull(int), next_retry_at: orNull(int), last_error: orNull(text), created_at: int,
    /** The trace of the work that caused it, as `traceText` has it. */
    trace: orNull(text),
  },
  webhook_attempts: {
    id: text, delivery_id: text, status_code: orNull(int), error: orNull(text), duration_ms: int, response: orNull(text),
    created_at: int,
  },
  mails: {
    id: text, recipient: text, subject: text, text_body: text, html_body: orNull(text),
    /** The one-time token, encrypted. The text has `secretMark` in its place. Null when there is none, and once the email was sent. */
    sealed: orNull(text),
    /** The person and the event kind; null for emails about the security of an account, which cannot be turned off. */
    user_id: orNull(text),
    kind: orNull(text), unsubscribe_url: orNull(text),
    /** The email as an entry of a summary: a `Letter` as JSON. */
    entry: orNull(text),
    /** A calendar file (RFC 5545) that is attached. */
    calendar: orNull(text),
    /** An invoice that is attached as a PDF file. */
    document_id: orNull(text),
    /** When a summary collects it; null for an email that is sent by itself. */
    collect_at: orNull(int),
    /** When it was counted against the limit of the person. */
    admitted_at: orNull(int),
    /** When it was sent, by itself or in a summary. */
    sent_at: orNull(int),
    /** When it was given up. */
    failed_at: orNull(int),
    /** Why the last try failed; null once it was sent. */
    error: orNull(text),
    /** How many tries failed since it was queued. */
    tries: orElse(int, 0),
    /** Until when the link in it works; null without one. */
    expires_at: orNull(int),
    created_at: int,
  },
};
