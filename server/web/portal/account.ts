import { html, type PageContent } from "../html.ts";
import { frame, notice, tokens } from "./layout.ts";
import { newPasswordField } from "./sign-in-views.ts";
import type { PageContext } from "./types.ts";

/** `/play/account`: what owners see of a playtester, and the password. */
export async function accountPage(context: PageContext): Promise<PageContent> {
  const { email, profile } = (await context.call("getMe")).data;
  const { form } = context;
  const body = html`${context.query.get("done") === "saved" && notice("Your changes were saved.")}
<p class="soft">${email}</p>
<form method="post" action="/play/account">${tokens(context)}
<label for="name">Display name <span class="soft">(visible to game owners)</span></label>
<input id="name" name="name" autocomplete="nickname" maxlength="100" value="${form.name ?? profile?.displayName}" required>
<label for="experience">Gaming experience <span class="soft">(optional; visible to owners when you apply)</span></label>
<textarea id="experience" name="experience" maxlength="2000">${form.experience ?? profile?.gamingExperience}</textarea>
<button>Save</button></form>
<section><h2>Change password</h2>
<p class="soft">Changing your password signs you out of every browser, including this one.</p>
<form method="post" action="/play/account/password">${tokens(context)}
<input type="email" name="username" value="${email}" autocomplete="username" aria-label="Email address" readonly hidden>
<label for="current">Current password</label>
<input id="current" name="current" type="password" autocomplete="current-password" maxlength="256" required>
${newPasswordField("New password")}
<button class="quiet">Change password</button></form>
<p><a href="/play/forgot">Forgot your password?</a></p></section>`;
  return frame(context, undefined, { title: "Your account", body });
}

export async function saveAccount({ call, form }: PageContext): Promise<string> {
  const displayName = form.name?.trim() ?? "";
  const gamingExperience = form.experience?.trim() || null;
  await call("updateProfile", { idempotencyKey: form.formKey, body: { displayName, gamingExperience } });
  return "/play/account?done=saved";
}

export async function changePassword({ call, form }: PageContext): Promise<string> {
  await call("changePassword", { body: { currentPassword: form.current ?? "", newPassword: form.password ?? "" } });
  return "/play/sign-in?done=password";
}
