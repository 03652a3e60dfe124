import { isClosed } from "../../src/contract/findings/statuses.ts";
import { trackers as names, type TrackerName, trackerTitles } from "../../src/contract/findings/trackers.ts";
import { ended, firstCharacters } from "../../src/contract/text/one-line.ts";
import type { Deps } from "../app/deps.ts";
import type { Tx } from "../app/tx.ts";
import type { Handlers } from "../http/call.ts";
import { conflict, invalid } from "../lib/api-error.ts";
import { iso, isoOrNull } from "../lib/time.ts";
import { AddressRefused } from "../outbound/index.ts";
import { countedOf, findingOf, requireGame, shown } from "../playtests/findings/handlers.ts";
import * as issues from "../playtests/findings/issues-store.ts";
import { type Known, knownOf, verdictOf } from "../playtests/findings/rules.ts";
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
    return firstCharacters(await openTracker(deps, tracker, site, credential).account(), 200);
  } catch (error) {
    if (error instanceof AddressRefused) throw invalid("site", error.message);
    const why = ended(error instanceof Error ? error.message : String(error));
    const what = error instanceof Refusal ? "The token was not accepted." : "The tracker did not answer as it should.";
    throw conflict(`${what} ${why} Nothing was changed. Check the token, and the address of the tracker.`);
  }
}

/** What newer builds say of one finding that is closed: nothing, or the status that it has from then on. */
async function followBuild(tx: Tx, { id, owner_id }: findings.FindingRow, known: Known): Promise<void> {
  const row = await findings.findForOwner(tx, id, owner_id);
  if (!row || row.merged_into !== null) return;
  const verdict = verdictOf(row, await findings.evidenceOf(tx, "finding", id), known);
  if (verdict !== undefined) await follow(tx, row, verdict === "again" ? "open" : "verified");
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
    call.commit(async (tx, audit) => {
      const row = await findingOf(tx, call.params.id, call.principal.userId);
      await audit.changing(row.id);
      const shareId = await service.file(call.deps, tx, row, call.body);
      if (shareId !== null) audit.created(shareId, { action: "share.create" });
      return shown(tx, row.id, row.owner_id);
    }),

  /** Each finding in a short transaction of its own, so that a game with many holds nobody up. Whatever is done twice takes effect once. */
  async syncFindings(call) {
    const { id } = call.params;
    const { filed, closed, counted } = await call.read(async (q) => {
      await requireGame(q, id, call.principal.userId);
      const filed = (await issues.ofGame(q, id)).filter(({ state }) => state !== "deleted");
      const withIssue = new Set(filed.map(({ finding_id }) => finding_id));
      const closed = (await findings.listOfGame(q, id)).filter((row) => isClosed(row.status) && !withIssue.has(row.id));
      return { filed, closed, counted: await countedOf(q, id) };
    });
    const { store: database } = call.deps;
    for (const { finding_id, marker } of filed)
      await database.write(async (tx) => {
        const issue = await issues.find(tx, finding_id);
        if (issue?.marker === marker) await service.ask(tx, issue);
      });
    // Those with an issue are compared with newer builds as well, by their jobs.
    const known = knownOf(counted);
    for (const row of closed) await database.write((tx) => followBuild(tx, row, known));
    return call.commit(async () => ({ queued: filed.length }));
  },
} satisfies Partial<Handlers>;
