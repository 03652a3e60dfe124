import type { AreaPage, PageContext } from "../shared/types.ts";
import { emails } from "./emails.ts";
import { factor } from "./factor.ts";
import { apiKeys } from "./keys.ts";
import { notifications } from "./notifications.ts";
import { accountPage } from "./page.ts";
import { passkeyPages } from "./passkeys.ts";
import type { Place } from "./place.ts";

/** The pages of an account, the same for playtesters and game owners. */
export const accountPages = <C extends PageContext>(place: Place<C>): AreaPage<C>[] => [
  accountPage(place),
  notifications(place),
  emails(place),
  factor(place),
  apiKeys(place),
  ...passkeyPages(place),
];
