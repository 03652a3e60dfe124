import { isAskedFor, mailModes } from "../../../src/contract/events/mails.ts";
import type { Data } from "../../../src/contract/index.ts";
import { noneSent } from "../../mail/delivery.ts";
import { html, type Markup, type PageContent } from "../html.ts";
import { notice, tokens } from "../shared/parts.ts";
import { timeOfDay } from "../shared/text.ts";
import { type AreaPage, actionFor, type PageContext } from "../shared/types.ts";
import { backToAccount, type Place } from "./place.ts";

type Setting = Data<"listNotificationSettings">["settings"][number];

const labels = { on: "Each email", digest: "One a day", off: "None" } as const;
const modes = Object.keys(labels) as (keyof typeof labels)[];

/** What the choice for all does not do. */
const onlyByName = ({ topic }: Setting) =>
  html`<p class="soft">“All of them” does not turn on “${topic}”: choose it by itself.</p>`;

const option = (mode: keyof typeof labels, isSelected: boolean): Markup =>
  html`<option value="${mode}"${isSelected && html` selected`}>${labels[mode]}</option>`;

const choice = ({ kind, topic, mail }: Setting) => html`<label for="${kind}">${topic}</label>
<select id="${kind}" name="${kind}">${modes.filter((mode) => mode !== "on" || !isAskedFor(kind)).map((mode) => option(mode, mode === mail))}</select>`;

/** `/play/account/emails`, `/studio/account/emails`: which emails about events the account gets. */
export function emails<C extends PageContext>({ to, layout }: Place<C>): AreaPage<C> {
  const save = actionFor<C>()({ at: to.emails }, async ({ call, form }) => {
    const forAll = mailModes.find((mode) => mode === form.all);
    if (forAll) {
      await call("updateNotificationSettings", { body: { mail: forAll }, idempotencyKey: form.formKey });
      return `${to.emails()}?done=saved`;
    }
    const { settings } = (await call("listNotificationSettings")).data;
    for (const mail of mailModes) {
      const kinds = settings.filter(({ kind, mail: before }) => form[kind] === mail && before !== mail).map(({ kind }) => kind);
      if (kinds.length > 0) await call("updateNotificationSettings", { body: { kinds, mail }, idempotencyKey: form.formKey });
    }
    return `${to.emails()}?done=saved`;
  });
  const view = async (context: C): Promise<PageContent> => {
    const { settings, digestHour } = (await context.call("listNotificationSettings")).data;
    const body = html`${context.query.get("done") === "saved" && notice("Your email settings were saved.")}
<p>Choose which emails you get. Emails about the security of your account are always sent, and <a href="${to.notifications()}">notifications</a> always appear here.</p>
${context.site.delivery === "saved" && html`<p class="soft">${noneSent}</p>`}
<form method="post" action="${save.at()}">${tokens(context)}
<label for="all">All of them</label>
<select id="all" name="all"><option value="">As chosen below</option>${modes.map((mode) => option(mode, false))}</select>
${settings.filter(({ kind }) => isAskedFor(kind)).map(onlyByName)}
<hr>
${settings.filter(({ kind }) => context.site.payments || !kind.startsWith("payout.")).map(choice)}
<p class="soft">“One a day” collects what happened into one email at ${timeOfDay(digestHour)}. What would come too late in it is sent at once.${settings.some(({ kind }) => isAskedFor(kind)) && " New playtests are in an email of their own, at the same time."}</p>
<button>Save</button></form>
${backToAccount({ to })}`;
    return layout(context, { title: "Your emails", body });
  };
  return { at: to.emails, view, actions: [save] };
}
