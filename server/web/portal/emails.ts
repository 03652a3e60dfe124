import type { Data } from "../../../src/contract/index.ts";
import { portal } from "../../../src/contract/pages/addresses.ts";
import { noneSent } from "../../mail/delivery.ts";
import { html, type PageContent } from "../html.ts";
import { notice, tokens } from "../shared/parts.ts";
import { signedInLayout } from "./layout.ts";
import { action, type PageContext, type PortalPage } from "./types.ts";

type Setting = Data<"listNotificationSettings">["settings"][number];

const labels = { on: "Each email", digest: "One a day", off: "None" } as const;

/** `/play/account/emails`: which emails about events the playtester gets. */
async function emailsPage(context: PageContext): Promise<PageContent> {
  const { settings, digestHour } = (await context.call("listNotificationSettings")).data;
  const body = html`${context.query.get("done") === "saved" && notice("Your email settings were saved.")}
<p>Choose which emails you get. Emails about the security of your account are always sent, and <a href="${portal.notifications()}">notifications</a> always appear here.</p>
${context.site.delivery === "saved" && html`<p class="soft">${noneSent}</p>`}
<form method="post" action="${save.at()}">${tokens(context)}
${settings.filter(({ kind }) => context.site.payments || !kind.startsWith("payout.")).map(choice)}
<p class="soft">“One a day” collects what happened into one email at ${String(digestHour).padStart(2, "0")}:00 UTC.</p>
<button>Save</button></form>
<p><a href="${portal.account()}">Back to your account</a></p>`;
  return signedInLayout(context, undefined, { title: "Your emails", body });
}

const choice = ({ kind, topic, mail }: Setting) => html`<label for="${kind}">${topic}</label>
<select id="${kind}" name="${kind}">${(Object.keys(labels) as (keyof typeof labels)[]).map(
  (mode) => html`<option value="${mode}"${mode === mail && html` selected`}>${labels[mode]}</option>`,
)}</select>`;

const save = action({ at: portal.emails }, async ({ call, form }) => {
  const { settings } = (await call("listNotificationSettings")).data;
  for (const mail of ["on", "digest", "off"] as const) {
    const kinds = settings.filter(({ kind, mail: before }) => form[kind] === mail && before !== mail).map(({ kind }) => kind);
    if (kinds.length > 0) await call("updateNotificationSettings", { body: { kinds, mail }, idempotencyKey: form.formKey });
  }
  return `${portal.emails()}?done=saved`;
});

export const emails: PortalPage = { at: portal.emails, view: emailsPage, actions: [save] };
