import type { Data } from "../../../src/contract/index.ts";
import { html } from "../html.ts";
import { button } from "../shared/parts.ts";
import { time } from "../shared/text.ts";
import { actionFor, type PageContext } from "../shared/types.ts";
import type { Part, Place } from "./place.ts";

type Session = Data<"listSessions">["sessions"][number];

export const used = (at: string | null) => (at === null ? "never used" : html`last used ${time(at)}`);

/** The browsers that are signed in. */
export function sessions<C extends PageContext>({ to }: Pick<Place<C>, "to">): Part<C> {
  const action = actionFor<C>();
  const end = action({ at: to.account.below("sessions/:id/end") }, async ({ call, id, form }) => {
    await call("endSession", { params: { id }, idempotencyKey: form.formKey });
    return `${to.account()}?done=signed-out`;
  });
  const endAll = action({ at: to.account.below("sign-out-everywhere") }, async ({ call, form }) => {
    await call("signOutEverywhere", { idempotencyKey: form.formKey });
    return `${to.signIn()}?done=everywhere`;
  });
  const item = (
    context: C,
    { id, agent, address, createdAt, lastUsedAt, current }: Session,
  ) => html`<li><strong>${agent ?? "Unknown browser"}</strong>${current && " (this browser)"}
<p class="soft">${address !== null && `From ${address}, `}signed in ${time(createdAt)}, ${used(lastUsedAt)}</p>
${!current && button(context, end.at(id), "Sign out this browser", "link")}</li>`;
  return {
    async section(context) {
      const all = (await context.call("listSessions")).data.sessions;
      return html`<section><h2>Where you are signed in</h2><ul class="list">${all.map((session) => item(context, session))}</ul>
${button(context, endAll.at(), "Sign out everywhere", "danger")}</section>`;
    },
    actions: [end, endAll],
  };
}
