import type { Scope } from "../../src/contract/endpoint.ts";
import { iso, isoOrNull } from "../lib/time.ts";
import type { KeyRow } from "./keys-store.ts";
import type { UserRow } from "./users-store.ts";

/** Rows as the contract shows them: field by field, so that nothing is sent that was not meant to be. */
export const userView = (user: UserRow) => ({
  id: user.id,
  email: user.email,
  role: user.role,
  emailVerified: user.email_verified_at !== null,
});

export const profileView = (user: UserRow) => ({
  id: user.id,
  userId: user.id,
  companyName: user.company_name,
  displayName: user.display_name,
  websiteUrl: user.website_url,
  gamingExperience: user.gaming_experience,
  createdAt: iso(user.created_at),
});

export const keyView = (key: KeyRow) => ({
  id: key.id,
  name: key.name,
  prefix: key.prefix,
  scopes: JSON.parse(key.scopes) as Scope[],
  createdAt: iso(key.created_at),
  lastUsedAt: isoOrNull(key.last_used_at),
  expiresAt: isoOrNull(key.expires_at),
});
