import type { Deps } from "../app/deps.ts";
import { forbidden, invalid } from "../lib/api-error.ts";

/** Refuses an account that somebody wants to create for themselves, as the operator configured. An invitation is another way in. */
export function refuseRegistration({ config }: Pick<Deps, "config">, email: string): void {
  if (config.registration === "closed")
    throw forbidden("This server takes no new accounts. Nothing was created. If you have an account, sign in.");
  if (config.registration === "invite")
    throw forbidden(
      "This server takes new accounts by invitation only. Nothing was created. Ask its operator for an invitation. If you have one, open the link in its email.",
    );
  refuseForeignAddress({ config }, "email", email);
}

/** 422 for an address outside the domains that the operator configured. */
export function refuseForeignAddress({ config }: Pick<Deps, "config">, field: string, email: string): void {
  const domains = config.allowedDomains.map((domain) => domain.toLowerCase());
  const domain = email.trim().toLowerCase().split("@").at(-1)!;
  if (domains.length === 0 || domains.includes(domain)) return;
  throw invalid(field, `must be an address at ${config.allowedDomains.join(" or ")}: this server accepts no others`);
}
