import { html, type PageContent } from "../../html.ts";
import { studioLayout } from "../layout.ts";
import type { StudioContext } from "../types.ts";

/** `/studio/slots/ID`: a slot with its video. */
export async function slotPage(context: StudioContext): Promise<PageContent> {
  const { slot } = (await context.call("getSlot", { params: { id: context.id } })).data;
  const { links } = context;
  const body = html`<p>Status: ${slot.status}</p>
${slot.submission && html`<video controls preload="metadata" src="${links.video(slot.id)}" aria-label="The submitted video"></video>`}`;
  return studioLayout(context, undefined, { title: "Review", body });
}
