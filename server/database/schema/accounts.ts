import { payoutMethods } from "../../../src/contract/accounts/payout-methods.ts";
import { invitedRoles } from "../../../src/contract/admin/invitations.ts";
import { roles } from "../../../src/contract/endpoint.ts";
import { publishedNames } from "../../../src/contract/publications/consent.ts";
import { int, oneOf, orElse, orNull, text } from "./columns.ts";

// biome-ignore format: several columns in a line, as in the migrations
export const accounts = {
  users: {
    id: text, email: text,
    /** The email address in lower case, unique per account. */
    email_key: text,
    password_hash: text, role: oneOf(roles), display_name: text, company_name: text, website_url: orNull(text),
    gaming_experience: orNull(text),
    /** Whether published videos show the display name. */
    published_name: orElse(oneOf(publishedNames), "shown"),
    /** IANA name, such as `Europe/Berlin`. Null for UTC. */
    time_zone: orNull(text),
    email_verified_at: orNull(int), validated_at: orNull(int), suspended_at: orNull(int),
    simulated: orElse(int, 0),
    /** Address and `User-Agent` of the client that registered it, kept until the email address is verified. */
    created_from: orNull(text),
    created_with: orNull(text),
    /** When its owner deleted it. The row is kept for the ledger, without personal data. */
    deleted_at: orNull(int),
    /** The scopes that the keys of an admin account can have, as JSON. Null for all scopes. */
    admin_scopes: orNull(text),
    created_at: int, updated_at: int,
  },
  /** What a playtester says about themselves in the profile, one value a row. */
  playtester_traits: { user_id: text, kind: oneOf(["country", "language", "device", "age"]), value: text },
  api_keys: {
    id: text, user_id: text, name: text, prefix: text, hash: text, scopes: text,
    /** The key it was created with. It expires no later than that key and is revoked with it. Null for a key created with a password. */
    parent_id: orNull(text),
    /** The key that it replaced, if nobody proved then that they are the owner. It is revoked with that key, whenever that is. */
    rotated_from: orNull(text),
    /** The key that it replaced, in any way: it inherits the budgets of that key, and of those above it. */
    replaces: orNull(text),
    /** 1 if it can change nothing. */
    read_only: orElse(int, 0),
    /** How many submissions it accepted or rejected in its last such day, of requests that limit it. The day as its first millisecond. */
    review_day: orElse(int, 0), reviews: orElse(int, 0),
    /** The OAuth client that acts with it, by its tokens alone: nobody has the secret of such a key. Null for an API key. */
    client_id: orNull(text),
    /** What that client may do, as a JSON array of toolsets. Null for an API key. */
    toolsets: orNull(text),
    last_used_at: orNull(int), expires_at: orNull(int), revoked_at: orNull(int), created_at: int,
  },
  /** A client that asks to be connected to an account, and what its owner decided. It becomes an authorization code, which is used once. */
  connection_requests: {
    id: text, client_id: text, client_name: text, redirect_uri: text, state: orNull(text),
    /** The SHA-256 of the client's secret, in base64url (PKCE, S256). */
    challenge: text,
    /** What it asks for, as a JSON array. */
    toolsets: text, created_at: int,
    /** Until when its owner can decide; then, until when the code works (ms). */
    expires_at: int,
    /** Who decided. */
    user_id: orNull(text),
    /** The key that was made for it; null while nobody decided, and when it was declined. It ends at `key_expires_at` once the code is used. */
    key_id: orNull(text), key_expires_at: orNull(int), decided_at: orNull(int), used_at: orNull(int),
  },
  /** A token of a connected client, by its SHA-256. `used_at`: when a refresh token was exchanged for the next one. */
  connection_tokens: {
    hash: text, kind: oneOf(["access", "refresh"]), key_id: text, created_at: int, expires_at: int, used_at: orNull(int),
  },
  /** A signed-in browser. `hash` is the SHA-256 of its cookie's token, `csrf` the token that its forms contain. */
  sessions: {
    hash: text, id: text, user_id: text, csrf: text, last_used_at: orNull(int), expires_at: int,
    /** Address and `User-Agent` of the client that signed in; null when unknown. */
    address: orNull(text),
    agent: orNull(text), created_at: int,
  },
  one_time_tokens: {
    hash: text, user_id: text, purpose: oneOf(["verify", "reset", "sign-in", "email-from", "email-to", "second-step"]),
    created_at: int, expires_at: int, used_at: orNull(int),
  },
  /** A pending change of an account's email address, until both addresses are confirmed. At most one per account. */
  email_changes: {
    user_id: text, email: text, email_key: text, expires_at: int, from_confirmed_at: orNull(int), to_confirmed_at: orNull(int),
    created_at: int,
  },
  /** The authenticator app of an account. It counts from `enabled_at` on; before, its owner has not entered a code yet. */
  second_factors: {
    user_id: text,
    /** Sealed with the context of `secretContext`. */
    secret: text,
    enabled_at: orNull(int),
    /** The time step of the last accepted code: neither it nor an earlier one is accepted again. */
    last_step: int,
    /** Wrong codes since the last accepted one, and the real time of the last one (ms). */
    wrong_codes: int,
    wrong_at: int, created_at: int,
  },
  recovery_codes: { hash: text, user_id: text, created_at: int, used_at: orNull(int) },
  confirmations: { credential_id: text, user_id: text, confirmed_at: int },
  passkeys: {
    id: text, user_id: text,
    /** The id that the authenticator chose, in base64url like the key and the handle. */
    credential_id: text,
    public_key: text,
    /** The signature counter of the last use. 0 for passkeys that do not count, which are synchronized between devices. */
    counter: int,
    /** How browsers reach the authenticator, as JSON. */
    transports: text,
    /** The random bytes by which the authenticator knows the account. They say nothing about it. */
    user_handle: text,
    name: text, last_used_at: orNull(int),
    /** When its counter went back. It is not accepted since: it may have been copied. */
    blocked_at: orNull(int),
    created_at: int,
  },
  /** A challenge that a session, or a browser that signs in, is to have signed. Each of them has one at a time. */
  passkey_challenges: {
    /** What it is bound to. A challenge for one purpose is never found for another. */
    bound_to: text,
    challenge: text,
    /** The account that must answer; null when signing in without a password, where the passkey says whose it is. */
    user_id: orNull(text),
    /** For a new passkey. */
    user_handle: orNull(text),
    expires_at: int,
  },
  wrong_passwords: { account: text, forgotten_at: int },
  payout_details: {
    user_id: text, method: oneOf(payoutMethods),
    /** The details as JSON, sealed with the context of `sealingContext`. */
    sealed: text,
    masked: text, changed_at: int,
  },
  invitations: {
    id: text, email: text, email_key: text, role: oneOf(invitedRoles), name: orNull(text), token_hash: text, sent_at: int,
    expires_at: int, joined_at: orNull(int), revoked_at: orNull(int),
    /** The newest email; null for those of earlier versions. */
    mail_id: orNull(text),
    created_at: int,
  },
};
