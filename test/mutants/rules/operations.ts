// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are pieces of sources.
import type { Mutant } from "../mutant.ts";

/** What keeps a server up for months, whoever asks it for what. */
export const operationsRules: readonly Mutant[] = [
  {
    rule: "nobody claims of a suspended owner",
    test: "api/admin",
    only: "that is suspended offers nothing",
    edits: [["server/games/store.ts", "g.status = 'active' AND u.suspended_at IS NULL", "g.status = 'active'"]],
  },
  {
    rule: "a suspended owner's playtests are not listed",
    test: "api/admin",
    only: "that is suspended offers nothing",
    edits: [["server/playtests/store.ts", "g.status = 'active' AND u.suspended_at IS NULL AND", "g.status = 'active' AND"]],
  },
  {
    rule: "a key that ends makes none that lasts longer",
    test: "api/accounts",
    only: "makes none that lasts longer",
    edits: [["server/accounts/handlers.ts", "expires! > maker.keyExpiresAt", "false"]],
  },
  {
    rule: "a key that ends makes keys that end with it",
    test: "api/accounts",
    only: "makes none that lasts longer",
    edits: [
      ["server/accounts/handlers.ts", "expiresAt === undefined ? maker.keyExpiresAt :", "expiresAt === undefined ? null :"],
    ],
  },
  {
    rule: "a card pays no order whose time is up",
    test: "api/billing",
    only: "when the order's time is up",
    edits: [
      ["server/playtests/paid-orders.ts", "awaitsPayment(playtest, deps.clock.now());", 'playtest.status === "pending_payment";'],
    ],
  },
  {
    rule: "a deposit pays no order whose time is up",
    test: "api/crypto-orders",
    only: "whose time was up",
    edits: [
      ["server/playtests/paid-orders.ts", "awaitsPayment(playtest, deps.clock.now());", 'playtest.status === "pending_payment";'],
    ],
  },
  {
    rule: "a path that names what every object has is no page",
    test: "api/http",
    only: "what every object has",
    edits: [["server/web/index.ts", "Object.hasOwn(pages, name) ? pages[name]! : other", "pages[name] ?? other"]],
  },
  {
    rule: "an event stream is told nothing more once its key is revoked",
    test: "api/events",
    only: "revoked key and a suspended account",
    edits: [["server/events/stream.ts", "if (events.length > 0 && !(await source.allowed())) break;", ""]],
  },
  {
    rule: "a job that was given up begins anew when it is queued again",
    test: "store/jobs",
    edits: [["server/jobs/store.ts", 'if (known?.state === "dead") tx', "if (known === undefined) tx"]],
  },
  {
    rule: "a job that was given up is as good as new once it is taken up",
    test: "store/jobs",
    edits: [
      [
        "server/jobs/store.ts",
        "attempts = 0, failures = 0, lease_until = 0, lease_token = NULL`;",
        "attempts = 0, lease_until = 0, lease_token = NULL`;",
      ],
    ],
  },
  {
    rule: "a job is put back once the database is back, not when its lease ends",
    test: "store/jobs",
    only: "put back as soon as it can be",
    edits: [["server/jobs/run.ts", "if (!(error instanceof StoreUnavailable) ||", "if (error ||"]],
  },
  {
    rule: "jobs whose lease was committed unseen are free again",
    test: "store/jobs",
    only: "lost while they were leased",
    edits: [["server/jobs/runner.ts", "for (const lost of unsure) await jobs.release(tx, lost);", ""]],
  },
  {
    rule: "a process that was busy does not take its database for silent",
    test: "unit/liveness",
    edits: [["server/database/postgres/liveness.ts", "if (isLate) this.#doubts++;", ""]],
  },
  {
    rule: "a database that answers one connection is not silent",
    test: "unit/liveness",
    edits: [["server/database/postgres/liveness.ts", "this.#quietTicks = 0;\n    this.#doubts++;", "this.#quietTicks = 0;"]],
  },
  {
    rule: "a full disk is no defect of the server",
    test: "api/sandbox",
    only: "gets 503 when",
    edits: [["server/http/reply.ts", "if (!shortage) return", "if (shortage || !shortage) return"]],
  },
  {
    rule: "a sample video that was not stored leaves nothing behind",
    test: "api/sandbox",
    only: "gets 503 when",
    edits: [["server/sandbox/sample.ts", "await rm(path, { force: true });\n", ""]],
  },
  {
    rule: "an upload whose file was removed meanwhile is gone",
    test: "api/uploads",
    only: "while bytes of the one before",
    edits: [["server/uploads/index.ts", "isMissing(error) && error.path === file ? gone() : error", "error"]],
  },
  {
    rule: "connections leave room for files",
    test: "faults/shortages",
    only: "leave it the files",
    edits: [["server/app/connections.ts", "limit === undefined ? configured", "limit !== 0 ? configured"]],
  },
  {
    rule: "what is over is removed however much there is of it",
    test: "api/retention",
    edits: [
      [
        "server/operations/retention.ts",
        "let removed = batch;\n    while (removed === batch &&",
        "let removed = batch;\n    if (removed === batch &&",
      ],
    ],
  },
  {
    rule: "a delivery on its way is not removed",
    test: "api/retention",
    edits: [["server/operations/retention-store.ts", "state <> 'pending' ORDER", "state <> 'paused' ORDER"]],
  },
  {
    rule: "a page far down a list is led to by an index",
    test: "store/lists",
    only: "list of events",
    edits: [["server/database/keyset.ts", "AND ${at} ${sign}= ? AND (", "AND (${at} + 0) ${sign}= ? AND ("]],
  },
  {
    rule: "the submissions of one status are not looked for among all",
    test: "store/lists",
    only: "list of submissions: an index",
    edits: [["server/playtests/slots/store.ts", "AND s.status ${narrowed} AND", "AND +s.status ${narrowed} AND"]],
  },
  {
    rule: "a start that fails leaves no port open",
    test: "api/first-start",
    only: "leaves no port open",
    edits: [["server/app/start.ts", "    await server.close();\n    throw error;", "    throw error;"]],
  },
  {
    rule: "all addresses of an IPv6 network count as one caller",
    test: "unit/callers",
    edits: [["server/http/address.ts", "networkOf(addressOf(request))", "addressOf(request)"]],
  },
  {
    rule: "mail has a lane of its own",
    test: "api/mail",
    only: "does not delay other jobs",
    edits: [["server/app/compose.ts", '    mail: { kinds: ["send-mail"], width: 8 },\n', ""]],
  },
  {
    rule: "a new password ends the links that were mailed before",
    test: "api/accounts",
    only: "ends every mailed link",
    edits: [["server/accounts/service.ts", "[...users.signInPurposes, ...emailPurposes]", "[...emailPurposes]"]],
  },
  {
    rule: "whoever registered an address that is not theirs keeps no key",
    test: "api/account-safety",
    only: "after a sign-in link",
    edits: [
      ["server/accounts/service.ts", "  await keys.revokeAll(tx, userId, now);\n  await setPassword", "  await setPassword"],
    ],
  },
  {
    rule: "a password that changed since it was checked makes no key",
    test: "api/account-safety",
    only: "while that password changes",
    edits: [["server/accounts/handlers.ts", "if (maker.user) await requireUnchanged(tx, maker.user);", ""]],
  },
  {
    rule: "what was created with a key is revoked with it",
    test: "api/keys",
    only: "revoking a key revokes",
    edits: [["server/accounts/keys-store.ts", "UNION SELECT k.id FROM api_keys k JOIN family f ON k.parent_id = f.id", ""]],
  },
  {
    rule: "a key replaces no other key than itself and those created with it",
    test: "api/keys",
    only: "a key rotates only itself",
    edits: [["server/accounts/keys.ts", "if (!isProven) await requireReplaceable", "if (isProven) await requireReplaceable"]],
  },
  {
    rule: "a one-time token is not stored in the clear",
    test: "api/mail",
    only: "stores a one-time token encrypted",
    edits: [["server/mail/queue.ts", "body.replaceAll(secret, secretMark)", "body"]],
  },
  {
    rule: "an address elsewhere is spelled as a header can carry it",
    test: "api/downloads",
    only: "build the game has now",
    edits: [["server/web/html.ts", "URL.canParse(location) ? new URL(location).href : location", "location"]],
  },
  {
    rule: "a silent connection to PostgreSQL ends",
    test: "store/postgres",
    only: "that only goes silent",
    edits: [["server/database/postgres/connections.ts", "      query_timeout: silenceMs,\n", ""]],
  },
  {
    rule: "a client that takes nothing is cut off",
    test: "api/http",
    only: "a client that takes nothing",
    edits: [["server/app/listen.ts", "  server.timeout = options.config.http.idleTimeoutMs;\n", ""]],
  },
  {
    rule: "an account has so many event streams open at once",
    test: "api/events",
    only: "another when one of them ends",
    edits: [["server/events/handlers.ts", "const left = open.get(accountId)! - 1;", "const left = open.get(accountId)!;"]],
  },
  {
    rule: "a job that had to wait is not given up at its first failure",
    test: "store/jobs",
    edits: [["server/jobs/run.ts", "const failures = row.failures + 1;", "const failures = row.attempts;"]],
  },
  {
    rule: "nobody is mailed more than five links of a kind an hour",
    test: "api/accounts",
    only: "more than five links",
    edits: [["server/accounts/service.ts", ">= mailsPerHour) return undefined;", ">= 1000) return undefined;"]],
  },
  {
    rule: "due jobs of several kinds are not looked for among all that are due",
    test: "store/lists",
    only: "due jobs of several kinds",
    edits: [["server/jobs/store.ts", '? "+run_at" : "run_at"', '? "run_at" : "run_at"']],
  },
  {
    rule: "a start with a key that is none is refused before a database is made",
    test: "cli/upgrade",
    only: "a key that is none",
    edits: [["server/main.ts", "  findInstanceKey(host.env.PLAYTEST_SECRET_KEY, dataDir);\n", ""]],
  },
  {
    rule: "a start that could not write its ready file is refused before anything is made",
    test: "cli/upgrade",
    only: "a ready file in no folder",
    edits: [
      [
        "server/main.ts",
        "if (options.readyFile !== undefined) requireReplaceable",
        "if (options.readyFile === '') requireReplaceable",
      ],
    ],
  },
  {
    rule: "a start at an address of another machine is refused before anything is made",
    test: "cli/upgrade",
    only: "an address of another machine",
    edits: [["server/app/port.ts", "  throw cannotListen(", "  if (port < 0) throw cannotListen("]],
  },
  {
    rule: "a sandbox keeps copies of older databases no longer than 14 days",
    test: "cli/upgrade",
    only: "for 14 days",
    edits: [["server/main.ts", "    await removeOldCopies(dataDir, Date.now());\n", ""]],
  },
  {
    rule: "a server below its floor of free space is not ready",
    test: "api/request-log",
    only: "floor of free space",
    edits: [["server/web/adapters/health.ts", "free >= config.http.readyMinFreeBytes", "free >= 0"]],
  },
  {
    rule: "only a trusted proxy names a request",
    test: "api/request-log",
    only: "from anybody else",
    edits: [["server/http/request-id.ts", " && isProxy(peerOf(request))", ""]],
  },
];
