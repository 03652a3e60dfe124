import { pages } from "../../../src/contract/pages/addresses.ts";
import { plural } from "../../../src/contract/text/plural.ts";
import type { BrowserAccounts } from "../../accounts/browser/accounts.ts";
import { type KeysAfterReset, passkeysNote } from "../../accounts/service.ts";
import { ApiError } from "../../lib/api-error.ts";
import { html, type Markup, type PageContent, sendPage } from "../html.ts";
import { errorText } from "../shared/error-text.ts";
import { hiddenFields } from "../shared/parts.ts";
import { type Door, doorOf, leading, nextOf, playDoor, studioDoor } from "../sign-in/doors.ts";
import type { Site } from "../site.ts";
import type { Page, ReadForm } from "../types.ts";
import { deadLinkPage, named } from "./dead-link.ts";

const [shortest, longest] = [8, 256];
const title = "Set a new password";

/** `/reset-password?token=…`: the link in the password reset email. The token stays valid until a new password is set with it. */
export function resetPassword(accounts: BrowserAccounts, readForm: ReadForm, site: Site): Page {
  const dead = async (token: string, next: string | null | undefined): Promise<PageContent> => {
    const link = (await accounts.links.dead(token, "reset")) ?? { why: "used" as const, role: undefined, isVerified: false };
    const door = (link.role && doorOf(link.role)) ?? playDoor;
    return deadLinkPage(site, link, {
      used: "It was used, or a newer one took its place.",
      validity: "one hour",
      nothing: "Nothing was changed.",
      again: html`<p><a class="button" href="${leading(door, door.to.forgot(), nextOf(door, next))}">Send a new link</a></p>`,
    });
  };
  return async (request, response, url, { client }) => {
    const posted = request.method === "POST" ? await readForm(request) : undefined;
    const token = posted?.token ?? url.searchParams.get("token") ?? "";
    const next = posted?.next ?? url.searchParams.get("next") ?? "";
    // The token is checked before the password is hashed, so that requests with invalid tokens cannot cause expensive hashing.
    const found = await accounts.findReset(token);
    if (!found) return sendPage(response, 410, await dead(token, next));
    const removes = posted ? posted.passkeys === "remove" : !found.hasApp;
    const shown = { token, next, isNew: found.isNew, revoke: posted?.keys === "revoke", passkeys: found.passkeys, removes };
    if (!posted) return sendPage(response, 200, named(site, { title, body: passwordForm(shown) }));
    const { password = "" } = posted;
    const length = [...password].length;
    if (length < shortest || length > longest)
      return sendPage(
        response,
        422,
        named(site, {
          title,
          body: passwordForm({ ...shown, problem: `The password must have ${shortest} to ${longest} characters.` }),
        }),
      );
    const visit = { headers: request.headers, client };
    const wanted = { password, revokeKeys: shown.revoke, removePasskeys: removes };
    const done = await accounts.resetPassword(visit, token, wanted).catch((error: unknown) => {
      if (error instanceof ApiError && error.code === "VALIDATION_ERROR") return error;
      throw error;
    });
    if (done instanceof ApiError)
      return sendPage(response, 422, named(site, { title, body: passwordForm({ ...shown, problem: errorText(done) }) }));
    if (!done) return sendPage(response, 410, await dead(token, next));
    const signIn = (door: Door) => leading(door, door.to.signIn(), nextOf(door, next));
    const said = html`<p>Your password was changed and you were signed out of every browser. ${keysSaid[done.keys]}${passkeysNote(done.passkeys)}</p><p>Playtesters: <a href="${signIn(playDoor)}">sign in with the new password</a>. Game owners: <a href="${signIn(studioDoor)}">sign in to Studio</a>, or run <code>playtest login</code>.</p>`;
    sendPage(response, 200, named(site, { title: "Password changed", body: said }));
  };
}

const keysSaid: Record<KeysAfterReset, string> = {
  kept: "API keys still work.",
  revoked: "All API keys were revoked.",
  void: "Your email address is verified. The API keys that the account had before no longer work.",
};

interface Shown {
  token: string;
  /** The page that was asked for before the password. */
  next?: string;
  /** The email address was not verified before. In this case all API keys are revoked. */
  isNew: boolean;
  revoke: boolean;
  /** How many passkeys the account has, and whether they are to be removed. */
  passkeys?: number;
  removes?: boolean;
  problem?: string;
  /** Whether the account can have API keys already. */
  keys?: boolean;
}

const keysField = (
  checked: boolean,
): Markup => html`<label class="check"><input type="checkbox" name="keys" value="revoke"${checked && html` checked`}> Also revoke my API keys</label>
<p class="soft">Choose this if somebody else may know your password. Everything that uses a key stops working until you give it a new one.</p>`;

const passkeysField = (
  count: number,
  checked: boolean,
): Markup => html`<label class="check"><input type="checkbox" name="passkeys" value="remove"${checked && html` checked`}> Also remove ${plural(count, "passkey")} of my account</label>
<p class="soft">Whoever knew your password may have added a passkey, which is enough to sign in. You can add your own again.</p>`;

/** The form that sets a password with a reset token. */
export const passwordForm = ({
  token,
  next = "",
  isNew,
  revoke,
  passkeys = 0,
  removes = false,
  problem,
  keys = true,
}: Shown): Markup => html`<form method="post" action="${pages.resetPassword()}">
${hiddenFields({ token, ...(next !== "" && { next }) })}
<label for="password">New password</label>
<input id="password" name="password" type="password" autocomplete="new-password" minlength="${shortest}" maxlength="${longest}" required
${problem ? html`aria-invalid="true" aria-describedby="problem"` : ""} autofocus>
${problem ? html`<p class="bad" id="problem">${problem}</p>` : ""}
${isNew ? html`<p class="soft">This also verifies your email address and revokes the API keys that the account has now.</p>` : keys && keysField(revoke)}
${passkeys > 0 && passkeysField(passkeys, removes)}
<button>Set password</button></form>`;
