import type { Traits } from "../../../src/contract/accounts/audience-text.ts";
import { languageOr } from "../../../src/contract/fields.ts";
import { type Device, deviceNames } from "../../../src/contract/games.ts";
import { portal } from "../../../src/contract/pages/addresses.ts";
import { mine } from "../../../src/contract/playtester.ts";
import type { FiltersCookie } from "../../accounts/sessions.ts";
import type { Page } from "../types.ts";
import type { PageContext } from "./types.ts";

/** Which playtests a playtester wants to see. Undefined: all. */
export interface Filters {
  device: Device | typeof mine | undefined;
  language: string | undefined;
}

const tag = languageOr(mine);
const names = ["device", "language"] as const;

const isGiven = (query: URLSearchParams) => names.some((name) => query.has(name));

/** The filters in the address. */
const filtersIn = (query: URLSearchParams): Filters => ({
  device: ([...deviceNames, mine] as const).find((name) => name === query.get("device")),
  language: tag.safeParse(query.get("language")).data,
});

/** The filters in the address, or else what the profile names. */
export function filtersOf({ query }: Pick<PageContext, "query">, profile: Pick<Traits, "devices" | "languages"> | null): Filters {
  if (isGiven(query)) return filtersIn(query);
  const has = (values: readonly string[] | undefined) => (values?.length ? mine : undefined);
  return { device: has(profile?.devices), language: has(profile?.languages) };
}

/** The query that selects the same playtests. It names both, so that it replaces what the browser remembers. */
export const queryOf = ({ device, language }: Partial<Filters>) =>
  new URLSearchParams({ device: device ?? "", language: language ?? "" }).toString();

/** What a browser sent as the cookie of its filters, which can be anything. */
function queryIn(cookie: string): URLSearchParams {
  try {
    return new URLSearchParams(decodeURIComponent(cookie));
  } catch {
    return new URLSearchParams();
  }
}

/** Shows the list of playtests with the filters that the browser used last, unless the address has some, which are remembered. */
export const withFilters =
  (cookie: FiltersCookie, page: Page): Page =>
  async (request, response, url, origin) => {
    const isList = request.method === "GET" && url.pathname.replace(/\/$/, "") === portal.offers();
    if (!isList) return page(request, response, url, origin);
    const { pathname, search, searchParams: query } = url;
    if (isGiven(query)) {
      response.setHeader("Set-Cookie", cookie.bake(encodeURIComponent(queryOf(filtersIn(query)))));
      return page(request, response, url, origin);
    }
    const kept = cookie.read(request.headers);
    if (kept === undefined) return page(request, response, url, origin);
    const remembered = filtersIn(queryIn(kept));
    const searchParams = new URLSearchParams([...new URLSearchParams(queryOf(remembered)), ...query]);
    return page(request, response, { pathname, search, searchParams }, origin);
  };
