import type { Traits } from "../../src/contract/accounts/audience-text.ts";
import type { Scope } from "../../src/contract/endpoint.ts";
import type { Toolset } from "../../src/contract/text/toolsets.ts";
import type { Principal } from "../http/call.ts";
import { iso, isoOrNull } from "../lib/time.ts";
import { browserName } from "./browser/agents.ts";
import type { KeyRow } from "./keys-store.ts";
import type { SessionRow } from "./sessions-store.ts";
import type { UserRow } from "./users-store.ts";

/** Converts rows to the shapes of the contract, field by field, so that no other columns are sent. */
export const userView = (user: UserRow) => ({
  id: user.id,
  email: user.email,
  role: user.role,
  emailVerified: user.email_verified_at !== null,
});

export const profileView = (user: UserRow, traits: Traits) => ({
  id: user.id,
  userId: user.id,
  companyName: user.company_name,
  displayName: user.display_name,
  websiteUrl: user.website_url,
  gamingExperience: user.gaming_experience,
  publishedName: user.published_name,
  timeZone: user.time_zone,
  ...traits,
  createdAt: iso(user.created_at),
});

export const sessionView = (session: SessionRow, inUse: Pick<Principal, "sessionId">) => ({
  id: session.id,
  createdAt: iso(session.created_at),
  lastUsedAt: isoOrNull(session.last_used_at),
  expiresAt: iso(session.expires_at),
  address: session.address,
  agent: session.agent === null ? null : browserName(session.agent),
  current: session.id === inUse.sessionId,
});

export const keyView = (key: KeyRow, inUse?: Pick<Principal, "keyId">) => ({
  id: key.id,
  name: key.name,
  prefix: key.prefix,
  scopes: JSON.parse(key.scopes) as Scope[],
  createdAt: iso(key.created_at),
  lastUsedAt: isoOrNull(key.last_used_at),
  expiresAt: isoOrNull(key.expires_at),
  parentId: key.parent_id,
  rotatedFrom: key.rotated_from,
  readOnly: key.read_only === 1,
  connection: key.toolsets === null ? null : (JSON.parse(key.toolsets) as Toolset[]),
  current: key.id === inUse?.keyId,
});
