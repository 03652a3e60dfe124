import { html, type PageContent } from "../html.ts";
import { frame, notice, tokens } from "./layout.ts";
import { newPasswordField } from "./sign-in-views.ts";
import type { PageContext } from "./types.ts";

/** `/play/account`: who one is to the owners of games, and the password. */
export async function accountPage(context: PageContext): Promise<PageContent> {
  const { email, profile } = (await context.call("getMe")).data;
  const { form } = context;
  const body = html`${context.query.get("done") === "saved" && notice("Saved.")}
<p class="soft">${email}</p>
<form method="post" action="/play/account">${tokens(context)}
<label for="name">Name <span class="soft">(the owners of games see it)</span></label>
<input id="name" name="name" autocomplete="nickname" maxlength="100" value="${form.name ?? profile?.displayName}" required>
<label for="experience">Your gaming experience <span class="soft">(optional; owners see it when you apply)</span></label>
<textarea id="experience" name="experience" maxlength="2000">${form.experience ?? profile?.gamingExperience}</textarea>
<button>Save</button></form>
<section><h2>Change the password</h2>
<p class="soft">Every browser is signed out then, this one too.</p>
<form method="post" action="/play/account/password">${tokens(context)}
<input type="email" name="username" value="${email}" autocomplete="username" aria-label="E-mail address" readonly hidden>
<label for="current">Current password</label>
<input id="current" name="current" type="password" autocomplete="current-password" maxlength="256" required>
${newPasswordField("New password")}
<button class="quiet">Change it</button></form>
<p><a href="/play/forgot">Forgot the current one?</a></p></section>`;
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
