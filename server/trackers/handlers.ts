import { trackers as names, type TrackerName, trackerTitles } from "../../src/contract/findings/trackers.ts";
import type { Deps } from "../app/deps.ts";
import type { Tx } from "../app/tx.ts";
import type { Handlers } from "../http/call.ts";
import { conflict, invalid } from "../lib/api-error.ts";
import { iso, isoOrNull } from "../lib/time.ts";
import { AddressRefused } from "../outbound/index.ts";
import { countedOf, findingOf, requireGame, shown } from "../playtests/findings/handlers.ts";
import * as issues from "../playtests/findings/issues-store.ts";
import { recordingsIn, verdictOf } from "../playtests/findings/rules.ts";
import { follow } from "../playtests/findings/service.ts";
import * as findings from "../playtests/findings/store.ts";
import { type Credential, openTracker, usualSites } from "./open.ts";
import * as service from "./service.ts";
import * as store from "./store.ts";
import { Refusal } from "./tracker.ts";

function trackerView(tracker: TrackerName, row: store.ConnectionRow | undefined, now: number) {
  const paused = row?.paused_until ?? null;
  return {
    tracker,
    state: row ? ("connected" as const) : ("not_connected" as const),
    site: row?.site ?? null,
    account: row?.account ?? null,
    connectedAt: row ? iso(row.created_at) : null,
    pausedUntil: isoOrNull(paused !== null && paused > now ? paused : null),
  };
}

interface Given {
  tracker: TrackerName;
  site?: string | undefined;
  email?: string | undefined;
  token: string;
}

/** The origin that a token is for. 422 where one is missing, or is more than an address. */
function siteOf({ tracker, site }: Given): string {
  const usual = usualSites[tracker];
  if (site === undefined) {
    if (usual === undefined)
      throw invalid("site", `is required for ${trackerTitles[tracker]}, such as https://acme.atlassian.net`);
    return usual;
  }
  const { origin, pathname, search, hash } = new URL(site);
  if (pathname !== "/" || search !== "" || hash !== "")
    throw invalid("site", "must be an address without a path, such as https://example.com");
  return origin;
}

function credentialOf({ tracker, email, token }: Given): Credential {
  if (tracker === "jira" && email === undefined)
    throw invalid("email", "is required for Jira: its tokens belong to an email address");
  if (tracker !== "jira" && email !== undefined)
    throw invalid("email", `must be left out: ${trackerTitles[tracker]} needs the token alone`);
  return { token, email: email ?? null };
}

/** Asks the tracker whose token it is. 409 where it does not accept it or does not answer. */
async function accountOf(deps: Deps, tracker: TrackerName, site: string, credential: Credential): Promise<string> {
  try {
    return (await openTracker(deps, tracker, site, credential).account()).slice(0, 200);
  } catch (error) {
    if (error instanceof AddressRefused) throw invalid("site", error.message);
    const why = error instanceof Error ? error.message : String(error);
    const what = error instanceof Refusal ? "The token was not accepted." : "The tracker did not answer as it should.";
    throw conflict(`${what} ${why} Nothing was changed. Check the token, and the address of the tracker.`);
  }
}

/** Findings whose closing newer builds confirm or refute. Those with an issue are compared with it as well, by their jobs. */
async function followBuilds(tx: Tx, gameId: string, withIssue: ReadonlySet<string>): Promise<void> {
  const [counted, rows, evidence] = await Promise.all([
    countedOf(tx, gameId),
    findings.listOfGame(tx, gameId),
    findings.evidenceOf(tx, "game", gameId),
  ]);
  const known = { builds: counted.builds, recordings: recordingsIn(counted) };
  for (const row of rows) {
    if (withIssue.has(row.id)) continue;
    const own = evidence.filter(({ finding_id }) => finding_id === row.id);
    const verdict = verdictOf(row, own, known);
    if (verdict !== undefined) await follow(tx, row, verdict === "again" ? "open" : "verified");
  }
}

/** Findings as issues of a team's tracker. */
export const trackers = {
  listTrackers: (call) =>
    call.read(async (q) => {
      const rows = await store.list(q, call.principal.userId);
      const of = (name: TrackerName) => rows.find(({ tracker }) => tracker === name);
      return { trackers: names.map((name) => trackerView(name, of(name), q.now)) };
    }),

  async connectTracker(call) {
    const { tracker } = call.body;
    const [site, credential] = [siteOf(call.body), credentialOf(call.body)];
    const account = await accountOf(call.deps, tracker, site, credential);
    const owner_id = call.principal.userId;
    return call.commit(async (tx, audit) => {
      const known = await store.find(tx, owner_id, tracker);
      const id = known?.id ?? tx.newId();
      if (known) await audit.changing(id);
      else audit.created(id);
      const sealed = tx.secrets.seal(JSON.stringify(credential), store.tokenContext(owner_id, tracker));
      const row = { id, owner_id, tracker, site, account, sealed, paused_until: null, created_at: tx.now };
      await store.put(tx, row);
      await store.resumeIssues(tx, owner_id, tracker, tx.now);
      for (const { finding_id } of await store.waiting(tx, owner_id, tracker)) await service.schedule(tx, finding_id, owner_id);
      return { tracker: trackerView(tracker, row, tx.now) };
    });
  },

  disconnectTracker: (call) =>
    call.commit(async (tx, audit) => {
      const { tracker } = call.body;
      const known = await store.find(tx, call.principal.userId, tracker);
      if (!known) throw conflict(`${trackerTitles[tracker]} is not connected. Nothing was changed.`);
      await audit.changing(known.id);
      await store.remove(tx, known.owner_id, tracker);
      return { tracker: trackerView(tracker, undefined, tx.now) };
    }),

  fileFinding: (call) =>
    call.commit(async (tx) => {
      const row = await findingOf(tx, call.params.id, call.principal.userId);
      await service.file(tx, row, call.body);
      return shown(tx, row.id, row.owner_id);
    }),

  syncFindings: (call) =>
    call.commit(async (tx) => {
      const { id } = call.params;
      await requireGame(tx, id, call.principal.userId);
      const filed = (await issues.ofGame(tx, id)).filter(({ state }) => state !== "deleted");
      for (const issue of filed) await service.ask(tx, issue);
      await followBuilds(tx, id, new Set(filed.map(({ finding_id }) => finding_id)));
      return { queued: filed.length };
    }),
} satisfies Partial<Handlers>;
