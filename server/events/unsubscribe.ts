import type { Role } from "../../src/contract/endpoint.ts";
import { type MailedKind, type MailMode, mailedKinds, mailedTopics } from "../../src/contract/events/mails.ts";
import { pages, portal, studio } from "../../src/contract/pages/addresses.ts";
import * as users from "../accounts/users-store.ts";
import type { Deps } from "../app/deps.ts";
import type { Context } from "../app/tx.ts";
import { chooseMails } from "./choose-mails.ts";
import { modesOf } from "./settings-store.ts";

const purpose = "unsubscribe";

/**
 * The link in the footer of an email: it changes these kinds of emails of this account and nothing else, without signing in. It does not
 * expire, because old emails are the ones people unsubscribe from, and it works after a rotation of the instance key.
 */
export function unsubscribeUrl({ config, secrets }: Context, userId: string, kinds: readonly MailedKind[]): string {
  const payload = Buffer.from(JSON.stringify([userId, ...kinds])).toString("base64url");
  return `${config.baseUrl}${pages.unsubscribe()}?token=${payload}.${secrets.mac(purpose, payload)}`;
}

function readToken({ secrets }: Deps, token: string): { userId: string; kinds: MailedKind[] } | undefined {
  const [payload = "", mac = ""] = token.split(".");
  if (token !== `${payload}.${mac}` || !secrets.isMacOfRing(purpose, payload, mac)) return undefined;
  const [userId, ...kinds] = JSON.parse(Buffer.from(payload, "base64url").toString()) as [string, ...MailedKind[]];
  return { userId, kinds: kinds.filter((kind) => Object.hasOwn(mailedTopics, kind)) };
}

/** Address of the page of all email settings. Operators have none, but a command. */
export function settingsPage(role: Role): string | null {
  if (role === "admin") return null;
  return (role === "playtester" ? portal : studio).emails();
}

/** The emails that a link is about. */
export interface Subscription {
  topics: { kind: MailedKind; topic: string; mail: MailMode }[];
  /** Address of the page of all email settings of the account, as `settingsPage` says. */
  settings: string | null;
}

/** What the page behind the link does. */
export class Unsubscribing {
  readonly #deps: Deps;
  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Undefined for a link that is not valid, or whose account is gone. */
  find(token: string): Promise<Subscription | undefined> {
    return this.#deps.store.read(async (q) => {
      const found = readToken(this.#deps, token);
      const user = found && (await users.find(q, found.userId));
      if (!user || user.deleted_at !== null) return undefined;
      const topics = (await modesOf(q, user.id, found.kinds)).map((one) => ({ ...one, topic: mailedTopics[one.kind] }));
      return { topics, settings: settingsPage(user.role) };
    });
  }

  /** False for a link that is not valid, or whose account is gone. */
  set(token: string, mail: MailMode): Promise<boolean> {
    return this.#deps.store.write(async (tx) => {
      const found = readToken(this.#deps, token);
      const user = found && (await users.find(tx, found.userId));
      if (!user || user.deleted_at !== null) return false;
      const kinds = found.kinds.filter((kind) => (mailedKinds[user.role] as readonly string[]).includes(kind));
      await chooseMails(this.#deps, tx, user.id, kinds, mail);
      return true;
    });
  }
}
