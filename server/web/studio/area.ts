import { html } from "../html.ts";
import { type Area, SignedInPages } from "../shared/pages.ts";
import { studioContext } from "./context.ts";
import { studioLayout } from "./layout.ts";
import { createStudioRouter } from "./routes.ts";
import type { StudioContext, StudioHost } from "./types.ts";

type Given = Pick<Area<StudioContext>, "site" | "readForm" | "countPassword" | "newFormKey" | "now">;

/** The pages of Studio, for any host. */
export const studioPages = (given: Given, host: StudioHost): SignedInPages<StudioContext> =>
  new SignedInPages({
    ...given,
    base: "/studio",
    router: createStudioRouter(host),
    contextOf: studioContext(host),
    layout: (context, page) => studioLayout(context, undefined, page),
    back: html`<a href="/studio">Back to the inbox</a>`,
  });
