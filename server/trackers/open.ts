import * as z from "zod";
import { type TrackerName, trackerTitles } from "../../src/contract/findings/trackers.ts";
import type { Deps } from "../app/deps.ts";
import { type ClientOptions, createClient } from "./client.ts";
import { GithubTracker } from "./github.ts";
import { GitlabTracker } from "./gitlab.ts";
import { JiraTracker } from "./jira.ts";
import { LinearTracker } from "./linear.ts";
import type { Tracker } from "./tracker.ts";

/** With what a tracker is reached. */
export interface Credential {
  token: string;
  /** Of Jira only. */
  email: string | null;
}

/** The sites that a connection without one of its own is to. Each company has its own at Jira. */
export const usualSites: Readonly<Partial<Record<TrackerName, string>>> = {
  github: "https://github.com",
  gitlab: "https://gitlab.com",
  linear: "https://linear.app",
};

const text = z.string();
const restError = z.object({ message: z.unknown().optional(), error: z.unknown().optional() });
const jiraError = z.object({ errorMessages: z.array(text).optional(), errors: z.record(text, text).optional() });
const linearError = z.object({
  errors: z
    .array(
      z.object({
        message: text,
        extensions: z.object({ code: text.optional(), userPresentableMessage: text.optional() }).optional(),
      }),
    )
    .min(1),
});

const said = (value: unknown) => (value === undefined ? undefined : typeof value === "string" ? value : JSON.stringify(value));

/** GraphQL reports refusals as errors of a reply with any status. */
function linearRefusal(json: unknown) {
  const first = linearError.safeParse(json).data?.errors[0];
  if (!first) return undefined;
  const { code, userPresentableMessage } = first.extensions ?? {};
  const status = { RATELIMITED: 429, AUTHENTICATION_ERROR: 401, FORBIDDEN: 403, INTERNAL_SERVER_ERROR: 500 }[code ?? ""] ?? 422;
  return { message: userPresentableMessage ?? first.message, status };
}

interface Kind {
  api(site: string): string;
  headers(credential: Credential): Record<string, string>;
  explain: ClientOptions["explain"];
  make(...parts: ConstructorParameters<typeof GithubTracker>): Tracker;
}

const rest: Kind["explain"] = (json) => {
  const { message, error } = restError.safeParse(json).data ?? {};
  return { message: said(message ?? error) };
};

const kinds: Readonly<Record<TrackerName, Kind>> = {
  github: {
    api: (site) => (site === usualSites.github ? "https://api.github.com" : `${site}/api/v3`),
    headers: ({ token }) => ({
      authorization: `Bearer ${token}`,
      accept: "application/vnd.github+json",
      "x-github-api-version": "2022-11-28",
    }),
    explain: rest,
    make: (...parts) => new GithubTracker(...parts),
  },
  gitlab: {
    api: (site) => `${site}/api/v4`,
    headers: ({ token }) => ({ "private-token": token }),
    explain: rest,
    make: (...parts) => new GitlabTracker(...parts),
  },
  jira: {
    api: (site) => `${site}/rest/api/3`,
    headers: ({ token, email }) => ({ authorization: `Basic ${Buffer.from(`${email}:${token}`).toString("base64")}` }),
    explain: (json) => {
      const { errorMessages = [], errors = {} } = jiraError.safeParse(json).data ?? {};
      const parts = [...errorMessages, ...Object.entries(errors).map(([field, message]) => `${field}: ${message}`)];
      return parts.length === 0 ? undefined : { message: parts.join(" ") };
    },
    make: (...parts) => new JiraTracker(...parts),
  },
  linear: {
    api: (site) => (site === usualSites.linear ? "https://api.linear.app" : site),
    headers: ({ token }) => ({ authorization: token }),
    explain: linearRefusal,
    make: (...parts) => new LinearTracker(...parts),
  },
};

/** The tracker at a site (an origin). Its token is sent to no other host than that of the site's API. */
export function openTracker(
  { outbound, clock }: Pick<Deps, "outbound" | "clock">,
  name: TrackerName,
  site: string,
  credential: Credential,
): Tracker {
  const { api, headers, explain, make } = kinds[name];
  return make(
    createClient({ outbound, clock, api: api(site), headers: headers(credential), title: trackerTitles[name], explain }),
    site,
  );
}
