/**
 * The first schema. `{int}`, `{blob}` and `{strict}` are filled in per dialect by migrate.ts. One statement per entry.
 * Times are milliseconds since the epoch, money cents, playtest hours minutes; crypto amounts are text.
 */
export const initial = {
  name: "001-initial",
  statements: [
    // People and keys
    `CREATE TABLE users (
      id TEXT PRIMARY KEY, email TEXT NOT NULL, email_key TEXT NOT NULL UNIQUE, password_hash TEXT NOT NULL, role TEXT NOT NULL,
      display_name TEXT NOT NULL, company_name TEXT NOT NULL, website_url TEXT, gaming_experience TEXT,
      email_verified_at {int}, validated_at {int}, suspended_at {int}, simulated {int} NOT NULL DEFAULT 0,
      created_at {int} NOT NULL, updated_at {int} NOT NULL) {strict}`,
    `CREATE INDEX users_by_role ON users (role, created_at, id)`,
    `CREATE INDEX users_by_time ON users (created_at, id)`,
    `CREATE TABLE api_keys (
      id TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES users (id), name TEXT NOT NULL, prefix TEXT NOT NULL, hash TEXT NOT NULL UNIQUE,
      scopes TEXT NOT NULL, created_at {int} NOT NULL, last_used_at {int}, expires_at {int}, revoked_at {int}) {strict}`,
    `CREATE INDEX api_keys_by_user ON api_keys (user_id, created_at, id)`,
    `CREATE TABLE one_time_tokens (
      hash TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES users (id), purpose TEXT NOT NULL,
      created_at {int} NOT NULL, expires_at {int} NOT NULL, used_at {int}) {strict}`,
    `CREATE INDEX one_time_tokens_by_user ON one_time_tokens (user_id)`,
    `CREATE TABLE sessions (
      hash TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES users (id), csrf TEXT NOT NULL,
      created_at {int} NOT NULL, expires_at {int} NOT NULL) {strict}`,
    `CREATE INDEX sessions_by_user ON sessions (user_id)`,
    `CREATE TABLE idempotency (
      account_id TEXT NOT NULL, idempotency_key TEXT NOT NULL, fingerprint TEXT NOT NULL, status {int} NOT NULL, headers TEXT NOT NULL,
      body {blob} NOT NULL, created_at {int} NOT NULL, expires_at {int} NOT NULL, PRIMARY KEY (account_id, idempotency_key)) {strict}`,
    `CREATE INDEX idempotency_by_expiry ON idempotency (expires_at)`,
    `CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) {strict}`,

    // Games
    `CREATE TABLE categories (id TEXT PRIMARY KEY, name TEXT NOT NULL, slug TEXT NOT NULL UNIQUE) {strict}`,
    `CREATE TABLE games (
      id TEXT PRIMARY KEY, owner_id TEXT NOT NULL REFERENCES users (id), name TEXT NOT NULL, description TEXT, instructions TEXT,
      build_url TEXT NOT NULL, build_id TEXT, cover_image_url TEXT, external_url TEXT, status TEXT NOT NULL, devices TEXT NOT NULL, platforms TEXT NOT NULL,
      created_at {int} NOT NULL, updated_at {int} NOT NULL) {strict}`,
    `CREATE INDEX games_by_owner ON games (owner_id, created_at, id)`,
    `CREATE TABLE game_categories (
      game_id TEXT NOT NULL REFERENCES games (id), category_id TEXT NOT NULL REFERENCES categories (id), PRIMARY KEY (game_id, category_id)) {strict}`,
    `CREATE TABLE builds (
      id TEXT PRIMARY KEY, game_id TEXT NOT NULL REFERENCES games (id), build_url TEXT NOT NULL, blob_key TEXT, filename TEXT, size {int}, sha256 TEXT,
      content_sha256 TEXT, version TEXT, channel TEXT, notes TEXT, created_at {int} NOT NULL) {strict}`,
    `CREATE INDEX builds_by_game ON builds (game_id, created_at, id)`,
    `CREATE TABLE uploads (
      id TEXT PRIMARY KEY, kind TEXT NOT NULL, user_id TEXT NOT NULL REFERENCES users (id), game_id TEXT, slot_id TEXT, size {int} NOT NULL,
      filename TEXT NOT NULL, filetype TEXT, sha256 TEXT, metadata TEXT NOT NULL, status TEXT NOT NULL,
      created_at {int} NOT NULL, completed_at {int}, expires_at {int} NOT NULL) {strict}`,
    `CREATE INDEX uploads_by_slot ON uploads (slot_id, status, created_at)`,
    `CREATE INDEX uploads_by_expiry ON uploads (status, expires_at)`,

    // Playtests and slots
    `CREATE TABLE playtests (
      id TEXT PRIMARY KEY, game_id TEXT NOT NULL REFERENCES games (id), owner_id TEXT NOT NULL REFERENCES users (id), visibility TEXT NOT NULL,
      quantity {int} NOT NULL, duration_minutes {int} NOT NULL, player_count {int} NOT NULL, cost_per_slot_cents {int} NOT NULL, payout_cents {int} NOT NULL,
      notes_for_testers TEXT, status TEXT NOT NULL, is_free_public_trial {int} NOT NULL,
      targeting_type TEXT, targeting_scope TEXT, past_playtester_scope TEXT, targeted_playtester_id TEXT,
      selection_mode TEXT NOT NULL, qualifications TEXT, applications_expire_at {int}, approved_at {int},
      paid_with TEXT, payment_id TEXT, pay_by {int}, created_at {int} NOT NULL, updated_at {int} NOT NULL) {strict}`,
    `CREATE INDEX playtests_by_game ON playtests (game_id, created_at, id)`,
    `CREATE INDEX playtests_by_owner ON playtests (owner_id, status, created_at, id)`,
    `CREATE INDEX playtests_offered ON playtests (status, created_at, id)`,
    `CREATE UNIQUE INDEX one_trial_per_game ON playtests (game_id) WHERE is_free_public_trial = 1 AND status <> 'cancelled'`,
    `CREATE TABLE playtest_keys (
      playtest_id TEXT NOT NULL REFERENCES playtests (id), position {int} NOT NULL, ciphertext TEXT NOT NULL, slot_id TEXT, PRIMARY KEY (playtest_id, position)) {strict}`,
    `CREATE INDEX playtest_keys_by_slot ON playtest_keys (slot_id)`,
    `CREATE TABLE slots (
      id TEXT PRIMARY KEY, playtest_id TEXT NOT NULL REFERENCES playtests (id), game_id TEXT NOT NULL, owner_id TEXT NOT NULL, status TEXT NOT NULL,
      playtester_id TEXT REFERENCES users (id), retry_of TEXT, replaces TEXT, reserved_at {int}, deadline_at {int}, submitted_at {int}, ended_at {int},
      created_at {int} NOT NULL) {strict}`,
    `CREATE INDEX slots_by_playtest ON slots (playtest_id, created_at, id)`,
    `CREATE INDEX slots_by_playtest_status ON slots (playtest_id, status, created_at, id)`,
    `CREATE INDEX slots_by_owner ON slots (owner_id, status, created_at, id)`,
    `CREATE INDEX slots_by_owner_all ON slots (owner_id, created_at, id)`,
    `CREATE INDEX slots_by_playtester ON slots (playtester_id, created_at, id) WHERE playtester_id IS NOT NULL`,
    `CREATE UNIQUE INDEX one_live_slot_per_playtester ON slots (playtest_id, playtester_id)
      WHERE status IN ('reserved', 'blocked', 'submitted', 'publishing', 'accepted')`,
    `CREATE TABLE submissions (
      id TEXT PRIMARY KEY, slot_id TEXT NOT NULL UNIQUE REFERENCES slots (id), blob_key TEXT NOT NULL, filename TEXT NOT NULL, content_type TEXT NOT NULL,
      video_file_size {int} NOT NULL, notes TEXT NOT NULL, created_at {int} NOT NULL, published_at {int}, published_url TEXT, admin_approved_at {int}) {strict}`,
    `CREATE TABLE ratings (slot_id TEXT PRIMARY KEY REFERENCES slots (id), score {int}, comment TEXT, created_at {int} NOT NULL) {strict}`,
    `CREATE TABLE rejections (slot_id TEXT PRIMARY KEY REFERENCES slots (id), reason TEXT NOT NULL, allow_retry {int} NOT NULL, created_at {int} NOT NULL) {strict}`,
    `CREATE TABLE blocked_reports (
      id TEXT PRIMARY KEY, slot_id TEXT NOT NULL REFERENCES slots (id), reason_code TEXT NOT NULL, notes TEXT, reported_at {int} NOT NULL, resolved_at {int}) {strict}`,
    `CREATE INDEX blocked_reports_by_slot ON blocked_reports (slot_id, reported_at)`,
    `CREATE TABLE transcriptions (
      id TEXT PRIMARY KEY, slot_id TEXT NOT NULL UNIQUE REFERENCES slots (id), status TEXT NOT NULL, selected_version TEXT, original_key TEXT, edited_key TEXT,
      key_takeaways TEXT NOT NULL, error TEXT, created_at {int} NOT NULL, updated_at {int} NOT NULL) {strict}`,
    `CREATE TABLE applications (
      id TEXT PRIMARY KEY, playtest_id TEXT NOT NULL REFERENCES playtests (id), playtester_id TEXT NOT NULL REFERENCES users (id), status TEXT NOT NULL,
      qualifications_response TEXT, created_at {int} NOT NULL, reviewed_at {int}, assigned_slot_id TEXT, UNIQUE (playtest_id, playtester_id)) {strict}`,
    `CREATE INDEX applications_by_playtest ON applications (playtest_id, status, created_at, id)`,
    `CREATE INDEX applications_by_playtest_all ON applications (playtest_id, created_at, id)`,
    `CREATE INDEX applications_by_playtester ON applications (playtester_id, created_at, id)`,

    // Ledger (double entry, append only; system accounts keep no cached balance)
    `CREATE TABLE ledger_accounts (id TEXT PRIMARY KEY, asset TEXT NOT NULL, balance {int} NOT NULL) {strict}`,
    `CREATE TABLE ledger_transfers (
      id TEXT PRIMARY KEY, event_key TEXT NOT NULL UNIQUE, asset TEXT NOT NULL, source TEXT NOT NULL, note TEXT,
      owner_id TEXT, subscription_id TEXT, payment_id TEXT, playtest_id TEXT, created_at {int} NOT NULL) {strict}`,
    `CREATE TABLE ledger_postings (
      id TEXT PRIMARY KEY, transfer_id TEXT NOT NULL REFERENCES ledger_transfers (id), account_id TEXT NOT NULL, amount {int} NOT NULL,
      balance_after {int}, created_at {int} NOT NULL) {strict}`,
    `CREATE INDEX ledger_postings_by_transfer ON ledger_postings (transfer_id)`,
    `CREATE INDEX ledger_postings_by_account ON ledger_postings (account_id, created_at, id)`,
    {
      sqlite: `CREATE TRIGGER ledger_postings_unchanged BEFORE UPDATE ON ledger_postings BEGIN SELECT RAISE(ABORT, 'a posting is never changed'); END`,
      postgres: "REVOKE UPDATE, TRUNCATE ON ledger_postings FROM CURRENT_USER",
    },
    {
      sqlite: `CREATE TRIGGER ledger_postings_kept BEFORE DELETE ON ledger_postings BEGIN SELECT RAISE(ABORT, 'a posting is never removed'); END`,
      postgres: "REVOKE DELETE ON ledger_postings FROM CURRENT_USER",
    },

    // Billing
    `CREATE TABLE payments (
      id TEXT PRIMARY KEY, owner_id TEXT NOT NULL REFERENCES users (id), amount_cents {int} NOT NULL, status TEXT NOT NULL, provider TEXT NOT NULL,
      external_id TEXT NOT NULL, purpose TEXT NOT NULL, playtest_id TEXT, subscription_id TEXT, return_url TEXT, description TEXT,
      checkout_hash TEXT UNIQUE, expires_at {int}, completed_at {int}, flagged TEXT, fee_cents {int} NOT NULL DEFAULT 0, created_at {int} NOT NULL, updated_at {int} NOT NULL) {strict}`,
    `CREATE INDEX payments_by_owner ON payments (owner_id, created_at, id)`,
    `CREATE INDEX payments_by_subscription ON payments (subscription_id, created_at, id)`,
    `CREATE INDEX payments_by_external ON payments (provider, external_id)`,
    `CREATE TABLE payment_reversals (
      id TEXT PRIMARY KEY, payment_id TEXT NOT NULL REFERENCES payments (id), kind TEXT NOT NULL, cents {int} NOT NULL, state TEXT NOT NULL,
      fee_cents {int} NOT NULL DEFAULT 0, created_at {int} NOT NULL, updated_at {int} NOT NULL) {strict}`,
    `CREATE INDEX payment_reversals_by_payment ON payment_reversals (payment_id, created_at, id)`,
    `CREATE TABLE invoices (
      payment_id TEXT PRIMARY KEY REFERENCES payments (id), issuer TEXT NOT NULL, year {int} NOT NULL, sequence {int} NOT NULL, number TEXT NOT NULL,
      document TEXT NOT NULL, issued_at {int} NOT NULL, UNIQUE (issuer, year, sequence)) {strict}`,
    `CREATE TABLE processor_events (provider TEXT NOT NULL, event_id TEXT NOT NULL, kind TEXT NOT NULL, received_at {int} NOT NULL, PRIMARY KEY (provider, event_id)) {strict}`,
    `CREATE TABLE subscriptions (
      id TEXT PRIMARY KEY, owner_id TEXT NOT NULL REFERENCES users (id), plan_key TEXT NOT NULL, status TEXT NOT NULL, provider TEXT NOT NULL,
      checkout_expires_at {int} NOT NULL, card TEXT, anchor_at {int}, period_index {int} NOT NULL, current_period_start {int}, current_period_end {int},
      failed_renewals {int} NOT NULL, cancel_at_period_end {int} NOT NULL, cancelled_at {int}, ended_at {int}, ended_reason TEXT,
      created_at {int} NOT NULL, updated_at {int} NOT NULL) {strict}`,
    `CREATE INDEX subscriptions_by_owner ON subscriptions (owner_id, created_at, id)`,
    `CREATE UNIQUE INDEX one_running_subscription ON subscriptions (owner_id) WHERE status IN ('active', 'past_due')`,
    `CREATE TABLE crypto_quotes (
      id TEXT PRIMARY KEY, payment_id TEXT NOT NULL UNIQUE REFERENCES payments (id), owner_id TEXT NOT NULL, playtest_id TEXT, request_key TEXT,
      chain TEXT NOT NULL, currency TEXT NOT NULL, receiver TEXT NOT NULL, asset TEXT NOT NULL, amount_atomic TEXT NOT NULL, amount_cents {int} NOT NULL,
      rate {int} NOT NULL, paid {int} NOT NULL, reserved {int} NOT NULL, created_at {int} NOT NULL, expires_at {int} NOT NULL) {strict}`,
    `CREATE UNIQUE INDEX one_reserved_amount ON crypto_quotes (chain, currency, receiver, amount_atomic) WHERE reserved = 1`,
    `CREATE INDEX crypto_quotes_by_amount ON crypto_quotes (chain, currency, receiver, amount_atomic, created_at)`,
    `CREATE INDEX crypto_quotes_by_owner ON crypto_quotes (owner_id, paid, created_at, id)`,
    `CREATE INDEX crypto_quotes_by_key ON crypto_quotes (owner_id, request_key)`,
    `CREATE TABLE crypto_proofs (
      owner_id TEXT NOT NULL, chain TEXT NOT NULL, tx_hash TEXT NOT NULL, created_at {int} NOT NULL, PRIMARY KEY (owner_id, chain, tx_hash)) {strict}`,
    `CREATE TABLE crypto_deposits (
      chain TEXT NOT NULL, tx_hash TEXT NOT NULL, tx_index {int} NOT NULL, currency TEXT NOT NULL, receiver TEXT NOT NULL, amount_atomic TEXT NOT NULL,
      owner_id TEXT, payment_id TEXT, value_cents {int} NOT NULL, status TEXT NOT NULL, note TEXT, seen_at {int} NOT NULL,
      resolved_at {int}, resolved_by TEXT, resolution TEXT, PRIMARY KEY (chain, tx_hash, tx_index)) {strict}`,
    `CREATE TABLE crypto_scans (chain TEXT PRIMARY KEY, position TEXT NOT NULL, scanned_at {int} NOT NULL) {strict}`,
    `CREATE TABLE sandbox_chain (
      chain TEXT NOT NULL, tx_hash TEXT NOT NULL, currency TEXT NOT NULL, receiver TEXT NOT NULL, amount_atomic TEXT NOT NULL, status TEXT NOT NULL,
      confirmations {int} NOT NULL, created_at {int} NOT NULL, PRIMARY KEY (chain, tx_hash)) {strict}`,
    `CREATE TABLE payouts (
      id TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES users (id), amount_cents {int} NOT NULL, status TEXT NOT NULL, created_at {int} NOT NULL, failed_at {int}) {strict}`,
    `CREATE INDEX payouts_by_user ON payouts (user_id, created_at, id)`,
    `CREATE INDEX payouts_by_time ON payouts (created_at, id)`,

    // Events, notifications, webhooks
    `CREATE TABLE events (
      id TEXT PRIMARY KEY, account_id TEXT NOT NULL REFERENCES users (id), kind TEXT NOT NULL, data TEXT NOT NULL, seq {int},
      created_at {int} NOT NULL, UNIQUE (account_id, seq)) {strict}`,
    `CREATE INDEX events_by_account ON events (account_id, created_at, id)`,
    `CREATE INDEX events_unnumbered ON events (account_id, created_at, id) WHERE seq IS NULL`,
    `CREATE TABLE event_counters (account_id TEXT PRIMARY KEY REFERENCES users (id), last_seq {int} NOT NULL) {strict}`,
    `CREATE TABLE notifications (
      id TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES users (id), event_id TEXT, type TEXT NOT NULL, title TEXT NOT NULL, body TEXT NOT NULL,
      read_at {int}, created_at {int} NOT NULL) {strict}`,
    `CREATE INDEX notifications_by_user ON notifications (user_id, created_at, id)`,
    `CREATE INDEX notifications_unread ON notifications (user_id, created_at, id) WHERE read_at IS NULL`,
    `CREATE TABLE webhooks (
      id TEXT PRIMARY KEY, owner_id TEXT NOT NULL REFERENCES users (id), url TEXT NOT NULL, host TEXT NOT NULL, events TEXT NOT NULL, secret TEXT NOT NULL, is_active {int} NOT NULL,
      failure_count {int} NOT NULL, last_failure_at {int}, disabled_at {int}, created_at {int} NOT NULL, deleted_at {int}) {strict}`,
    `CREATE INDEX webhooks_by_owner ON webhooks (owner_id, created_at, id)`,
    `CREATE TABLE webhook_deliveries (
      id TEXT PRIMARY KEY, webhook_id TEXT NOT NULL REFERENCES webhooks (id), host TEXT NOT NULL, event_id TEXT NOT NULL REFERENCES events (id),
      event TEXT NOT NULL, state TEXT NOT NULL, status_code {int}, attempt_count {int} NOT NULL, round_start {int} NOT NULL, delivered_at {int}, next_retry_at {int}, last_error TEXT, created_at {int} NOT NULL) {strict}`,
    `CREATE INDEX webhook_deliveries_by_webhook ON webhook_deliveries (webhook_id, created_at, id)`,
    `CREATE INDEX webhook_deliveries_due ON webhook_deliveries (host, next_retry_at, id) WHERE state = 'pending'`,
    `CREATE INDEX webhook_deliveries_waiting ON webhook_deliveries (webhook_id) WHERE state IN ('pending', 'paused', 'held')`,
    `CREATE TABLE webhook_attempts (
      id TEXT PRIMARY KEY, delivery_id TEXT NOT NULL REFERENCES webhook_deliveries (id), status_code {int}, error TEXT, duration_ms {int} NOT NULL,
      response TEXT, created_at {int} NOT NULL) {strict}`,
    `CREATE INDEX webhook_attempts_by_delivery ON webhook_attempts (delivery_id, created_at)`,

    // Chat
    `CREATE TABLE conversations (
      id TEXT PRIMARY KEY, owner_id TEXT NOT NULL REFERENCES users (id), playtester_id TEXT NOT NULL REFERENCES users (id),
      blocked_by_owner {int} NOT NULL DEFAULT 0, blocked_by_playtester {int} NOT NULL DEFAULT 0, last_message_at {int}, last_message_preview TEXT,
      created_at {int} NOT NULL, UNIQUE (owner_id, playtester_id)) {strict}`,
    `CREATE INDEX conversations_by_playtester ON conversations (playtester_id)`,
    `CREATE TABLE messages (
      id TEXT PRIMARY KEY, conversation_id TEXT NOT NULL REFERENCES conversations (id), sender_type TEXT NOT NULL, sender_id TEXT NOT NULL, content TEXT NOT NULL,
      read_at {int}, created_at {int} NOT NULL) {strict}`,
    `CREATE INDEX messages_by_conversation ON messages (conversation_id, created_at, id)`,
    `CREATE INDEX messages_unread ON messages (conversation_id, sender_type) WHERE read_at IS NULL`,

    // Mail and jobs
    `CREATE TABLE mails (
      id TEXT PRIMARY KEY, recipient TEXT NOT NULL, subject TEXT NOT NULL, text_body TEXT NOT NULL, html_body TEXT, created_at {int} NOT NULL,
      sent_at {int}, failed_at {int}, error TEXT) {strict}`,
    `CREATE INDEX mails_by_time ON mails (created_at, id)`,
    `CREATE TABLE jobs (
      id TEXT PRIMARY KEY, kind TEXT NOT NULL, unique_key TEXT NOT NULL UNIQUE, payload TEXT NOT NULL, run_at {int} NOT NULL, attempts {int} NOT NULL,
      failures {int} NOT NULL DEFAULT 0, state TEXT NOT NULL, lease_until {int} NOT NULL, lease_token TEXT, last_error TEXT, created_at {int} NOT NULL) {strict}`,
    `CREATE INDEX jobs_due ON jobs (state, run_at, id)`,
    `CREATE INDEX jobs_due_by_kind ON jobs (kind, state, run_at, id)`,
  ],
};
