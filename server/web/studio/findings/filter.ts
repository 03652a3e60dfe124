import { findingStatuses } from "../../../../src/contract/findings/statuses.ts";
import { kindTitles, momentKinds } from "../../../../src/contract/moments/kinds.ts";
import { studio } from "../../../../src/contract/pages/addresses.ts";
import { html, type Markup } from "../../html.ts";
import { ifOffered } from "../../shared/not-offered.ts";
import { everyItem } from "../every-item.ts";
import type { StudioContext } from "../types.ts";

const severities = ["4", "3", "2", "1"] as const;
const choices = { status: findingStatuses, kind: momentKinds, severity: severities } as const;

/** The names of the statuses as people read them. */
export const statusTitles: Record<(typeof findingStatuses)[number], string> = {
  open: "Open",
  filed: "Filed",
  fixed: "Fixed",
  verified: "Verified",
  wontfix: "Won't fix",
};

/** Which findings of a game are shown, as the address of the page has it. */
export type Filter = { [Name in keyof typeof choices]?: (typeof choices)[Name][number] } & { tag?: string; build?: string };

/** A tag as they are written, from what a person typed. */
const tagIn = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^\p{Ll}\p{Lo}\p{N}]+/gu, "-")
    .replace(/^-|-$/g, "");

/** What the address asks for. What is no choice of the form is left out. */
export function filterOf(query: URLSearchParams): Filter {
  const chosen = Object.entries(choices).map(([name, values]): [string, string] => {
    const given = query.get(name) ?? "";
    return [name, values.some((value) => value === given) ? given : ""];
  });
  const build = query.get("build") ?? "";
  const all = [...chosen, ["tag", tagIn(query.get("tag") ?? "")], ["build", /^[\w-]{1,64}$/.test(build) ? build : ""]];
  return Object.fromEntries(all.filter(([, value]) => value !== "")) as Filter;
}

const titles: Readonly<Record<string, string>> = { ...statusTitles, ...kindTitles };

const labels = { status: "Status", kind: "Kind", severity: "Severity" } as const;

/** How many builds the form offers, besides the one that was chosen. */
const mostBuilds = 100;

/** The newest builds with their names, and the one that was chosen: it is looked for where it is not one of them. */
async function buildsFor({ call, id }: StudioContext, chosen: string | undefined) {
  const page = async (cursor: string | undefined) => {
    const { data, meta } = await call("listBuilds", { params: { id }, query: { limit: mostBuilds, cursor } });
    const items = data.builds.map(
      (build) => [build.id, build.version ?? build.filename ?? build.createdAt.slice(0, 10)] as const,
    );
    return { items, meta };
  };
  const { items, meta } = (await ifOffered(page(undefined))) ?? { items: [], meta: {} };
  const hasMore = meta.hasMore === true;
  const isChosen = ([build]: (typeof items)[number]) => build === chosen;
  if (chosen === undefined || items.some(isChosen)) return { builds: items, hasMore };
  const found = hasMore ? (await everyItem(page)).find(isChosen) : undefined;
  return { builds: [found ?? ([chosen, "The build that was chosen"] as const), ...items], hasMore };
}

/** The form that chooses which findings are shown. It is a plain one: it works by keyboard and without scripts. */
export async function filterForm(context: StudioContext, filter: Filter): Promise<Markup> {
  const { id } = context;
  const { builds, hasMore } = await buildsFor(context, filter.build);
  const option = (value: string, label: string, chosen: string | undefined) =>
    html`<option value="${value}"${value === chosen && html` selected`}>${label}</option>`;
  const select = (name: keyof Filter, label: string, all: string, options: readonly (readonly [string, string])[]) =>
    html`<span><label for="only-${name}">${label}</label> <select id="only-${name}" name="${name}">${option("", all, filter[name] ?? "")}${options.map(([value, text]) => option(value, text, filter[name]))}</select></span>
`;
  return html`<form class="filter" method="get" action="${studio.findings(id)}">
${(["status", "kind", "severity"] as const).map((name) =>
  select(
    name,
    labels[name],
    "All",
    choices[name].map((value) => [value, titles[value] ?? value]),
  ),
)}${(builds.length > 1 || filter.build !== undefined) && select("build", "Build", "All", builds)}<span><label for="only-tag">Tag</label> <input id="only-tag" name="tag" maxlength="50" autocomplete="off" value="${filter.tag}"></span>
<button class="quiet">Show</button></form>${hasMore && html`<p class="soft">Only the ${mostBuilds} newest builds are listed. The command below takes an earlier one as <code>--build</code>.</p>`}`;
}
