import type { AgeBand } from "../../../src/contract/accounts/audience-text.ts";
import type { Device } from "../../../src/contract/games.ts";
import type { Data } from "../../../src/contract/index.ts";
import type { portal, studio } from "../../../src/contract/pages/addresses.ts";
import { html, type Markup, type PageContent } from "../html.ts";
import type { AreaPage, PageContext } from "../shared/types.ts";
import type { Site } from "../site.ts";

/** Where the pages of accounts are, of playtesters or of game owners, and what differs between the two. */
export interface Place<C extends PageContext> {
  to: typeof portal | typeof studio;
  layout(context: C, page: PageContent, section?: "notifications"): Promise<PageContent>;
  /** What the first form of the account page changes. */
  profile: ProfileForm;
  /** What only these accounts have, after the profile. */
  parts: readonly Part<C>[];
  /** What goes and what stays when such an account is deleted. */
  deletion(site: Site): string;
}

/** What every part of the account page may show. */
export interface Known {
  me: Data<"getMe">;
  factor: Data<"getFactor">;
}

/** A section of the account page, with what its forms do. */
export interface Part<C extends PageContext> {
  section(context: C, known: Known): Markup | false | Promise<Markup | false>;
  actions?: NonNullable<AreaPage<C>["actions"]>;
  files?: NonNullable<AreaPage<C>["files"]>;
}

type Fields = NonNullable<Extract<NonNullable<AreaPage<PageContext>["actions"]>[number], { fields?: unknown }>["fields"]>;

/** The form of the names and texts that others see. */
export interface ProfileForm {
  inputs(context: PageContext, profile: Data<"getMe">["profile"]): Markup;
  fields: Fields;
  bodyOf(form: PageContext["form"]): BodyOfProfile;
}

type BodyOfProfile = {
  displayName: string;
  companyName?: string;
  websiteUrl?: string | null;
  gamingExperience?: string | null;
  publishedName?: "shown" | "hidden";
  country?: string | null;
  languages?: string[];
  devices?: Device[];
  ageBand?: AgeBand | null;
};

export const backToAccount = ({ to }: Pick<Place<never>, "to">): Markup =>
  html`<p class="more"><a href="${to.account()}">Back to your account</a></p>`;
