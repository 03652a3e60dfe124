// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are pieces of sources.
import { chatRows, choosing } from "../files.ts";
import type { Mutant } from "../mutant.ts";

const log = "server/events/store.ts";
const eventRoutes = "server/events/handlers.ts";
const stream = "server/events/stream.ts";
const notices = "server/events/notifications-store.ts";
const chat = "server/chat/handlers.ts";
const preview = "server/chat/rules.ts";
const letters = "server/mail/texts.ts";
const sending = "server/mail/send-mail.ts";
const smtp = "server/mail/smtp.ts";
const mailRules = "server/mail/rules.ts";

const events: readonly Omit<Mutant, "test">[] = [
  {
    rule: "a stream resumes behind Last-Event-ID",
    edits: [[eventRoutes, "next: nextAfter(accountId, start.seq)", "next: nextAfter(accountId, start.seq + 1)"]],
  },
  {
    rule: "a stream resumes behind, not at, Last-Event-ID",
    edits: [
      [
        log,
        "WHERE account_id = ? AND seq > ? ORDER BY seq LIMIT CAST(? AS INTEGER)",
        "WHERE account_id = ? AND seq >= ? ORDER BY seq LIMIT CAST(? AS INTEGER)",
      ],
    ],
  },
  {
    rule: "a stream is in order",
    edits: [[log, "AND seq > ? ORDER BY seq LIMIT CAST(? AS INTEGER)", "AND seq > ? ORDER BY seq DESC LIMIT CAST(? AS INTEGER)"]],
  },
  {
    rule: "events of one instant are numbered as they were made",
    edits: [[log, "(ORDER BY created_at, id)", "(ORDER BY created_at, id DESC)"]],
  },
  {
    rule: "a stream is of one account",
    edits: [[log, "WHERE account_id = ? AND seq > ? ORDER BY", "WHERE account_id >= ? AND seq > ? ORDER BY"]],
  },
  {
    rule: "a list is of one account",
    edits: [[log, "FROM events e WHERE e.account_id = ?", "FROM events e WHERE e.account_id >= ?"]],
  },
  {
    rule: "nobody resumes behind another's event",
    edits: [
      [
        log,
        '"SELECT id, seq FROM events WHERE id = ? AND account_id = ? AND seq IS NOT NULL"',
        '"SELECT id, seq FROM events WHERE id = ? AND account_id <> CAST(? AS INTEGER) AND seq IS NOT NULL"',
      ],
    ],
  },
  {
    rule: "nobody resumes behind an unknown event",
    edits: [
      [eventRoutes, 'if (!found) throw invalid("Last-Event-ID", unknownEvent);', "if (!found) return eventStore.beginning;"],
    ],
  },
  {
    rule: "a stream without Last-Event-ID begins with the next event",
    edits: [[eventRoutes, "(await eventStore.lastPosition(q, accountId)) ?? eventStore.beginning", "eventStore.beginning"]],
  },
  {
    rule: "a stream ends with its key",
    edits: [[stream, "      if (!(await source.allowed())) break;\n", "      if (!(await source.allowed())) continue;\n"]],
  },
  { rule: "each event has its id", edits: [[stream, "`id: ${id}\\ndata: ${data}\\n\\n`", "`data: ${data}\\n\\n`"]] },
];

const notifications: readonly Omit<Mutant, "test">[] = [
  {
    rule: "one for each event",
    edits: [
      [
        "server/events/emit.ts",
        "  notifications.insert(\n    tx,\n    recorded.map((event, index) => notificationOf(deps, event, recipients[index]!, notice)),\n  );\n",
        "  void [notifications.insert, notificationOf, notice];\n",
      ],
    ],
  },
  {
    rule: "unread ones are unread",
    edits: [["server/events/emit.ts", "title, body, read_at: null,", "title, body, read_at: event.created_at,"]],
  },
  {
    rule: "marking all as read reaches all",
    edits: [
      [
        notices,
        '"UPDATE notifications SET read_at = ? WHERE user_id = ? AND read_at IS NULL", now, userId',
        '"UPDATE notifications SET read_at = ? WHERE id = (SELECT MIN(id) FROM notifications WHERE user_id = ? AND read_at IS NULL)", now, userId',
      ],
    ],
  },
  {
    rule: "marking all as read counts once",
    edits: [[notices, "SET read_at = ? WHERE user_id = ? AND read_at IS NULL", "SET read_at = ? WHERE user_id = ?"]],
  },
  {
    rule: "marking all as read is of one account",
    edits: [[notices, "SET read_at = ? WHERE user_id = ? AND", "SET read_at = ? WHERE user_id >= ? AND"]],
  },
  {
    rule: "the total is of one account",
    edits: [
      [
        notices,
        "COUNT(*) AS count FROM notifications WHERE user_id = ? AND",
        "COUNT(*) AS count FROM notifications WHERE user_id >= ? AND",
      ],
    ],
  },
];

const chats: readonly Omit<Mutant, "test">[] = [
  {
    rule: "chat unlocks at the first accepted slot",
    edits: [[chat, "if (access.unlocked === 0)", "if (access.unlocked === 2)"]],
  },
  {
    rule: "who shares no slot is no contact",
    edits: [[chat, "        if (!access) throw notFound();\n        if (access.unlocked", "        if (access?.unlocked"]],
  },
  { rule: "a fetched page counts as read", edits: [[chat, "if (unread.length > 0) await", "if (unread.length > 99) await"]] },
  { rule: "a fetched page shows as read", edits: [[chat, "(isNew(row) ? { ...row, read_at: now } : row)", "row"]] },
  {
    rule: "one's own messages are not read by oneself",
    edits: [[chat, "row.read_at === null && row.sender_id !== principal.userId", "row.read_at === null"]],
  },
  {
    rule: "the unread are of the other side",
    edits: [[chatRows, "      userId,\n      otherSide(side),\n", "      userId,\n      side,\n"]],
  },
  {
    rule: "the unread of a contact are of the other side",
    edits: [[chatRows, "    otherSide(side),\n    userId,\n    userId,", "    side,\n    userId,\n    userId,"]],
  },
  {
    rule: "the contact with the latest message comes first",
    edits: [[chatRows, "COALESCE(c.last_message_at, k.first_at - 1000000000000000) AS created_at", "k.first_at AS created_at"]],
  },
  {
    rule: "who blocked cannot write either",
    edits: [
      [chat, "        if (blockedBy(conversation, side))\n", "        if (blockedBy(conversation, side) && side.length === 0)\n"],
    ],
  },
  { rule: "who was blocked sees the chat closed", edits: [[chat, "row.blocked_by_contact === 1 || row", "row"]] },
  { rule: "unblocking unblocks", edits: [[chatRows, "blocked ? 1 : 0,", "1,"]] },
  { rule: "a preview is one line without controls", edits: [[preview, 'content.replace(unsafe, " ")', "content"]] },
  { rule: "a preview turns no text around", edits: [[preview, "\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069", ""]] },
  { rule: "a preview has 100 characters at most", edits: [[preview, "previewCharacters = 100", "previewCharacters = 101"]] },
  { rule: "the recipient is told", edits: [[chat, "await emit(deps, tx, [recipient],", "await emit(deps, tx, [],"]] },
];

const mails: readonly Omit<Mutant, "test">[] = [
  { rule: "people's words are escaped", edits: [[letters, "`<p>${escapeHtml(paragraph)", "`<p>${(paragraph)"]] },
  { rule: "a subject is one line", edits: [[letters, "    subject: oneLine(subject),\n", "    subject,\n"]] },
  {
    rule: "the owner's words are verbatim in the text",
    edits: [
      [
        letters,
        "const text = [\n    greeting,\n    ...paragraphs,",
        "const text = [\n    greeting,\n    ...paragraphs.map(escapeHtml),",
      ],
    ],
  },
  { rule: "tried again after 1 min, 5 min, …", edits: [[mailRules, "[1, 5, 30, 120, 360,", "[1, 5, 30, 120, 300,"]] },
  {
    rule: "tried again when nobody answers",
    edits: [[mailRules, "status < 500 || status > 599", "status > 0 && status < 500"]],
  },
  { rule: "a refusal is final", edits: [[mailRules, "status < 500 || status > 599", "status > 0"]] },
  {
    rule: "the job gives up what is refused",
    edits: [[sending, "error instanceof MailRefused ? undefined : nextTry", "nextTry"]],
  },
  {
    rule: "sent once",
    edits: [
      [
        sending,
        "await mails.update(tx, id, { sent_at: deps.clock.now(), error: null, ...removeSecret });\n    await job.done(tx);",
        "await job.reschedule(tx, deps.clock.now() + 60_000);",
      ],
    ],
  },
  { rule: "nothing in the clear to another machine", edits: [[smtp, "requireTLS: !isLocal,", "requireTLS: false,"]] },
];

/** Each kind of mail is sent, and once. */
const kinds: readonly (readonly [mail: string, test: string, file: string, call: string])[] = [
  [
    "verification",
    "api/accounts",
    "server/accounts/service.ts",
    "await queueMail(\n    deps,\n    tx,\n    user.email,\n    composeVerification(",
  ],
  [
    "reset",
    "api/accounts",
    "server/accounts/service.ts",
    "await queueMail(\n    deps,\n    tx,\n    user.email,\n    composeReset(",
  ],
  ["sign-in", "api/portal", "server/accounts/service.ts", "await queueMail(deps, tx, user.email, composeSignIn("],
  ["approval", "api/applications", choosing, 'await mailAbout(deps, tx, playtester, "application.approved", '],
  ["rejection", "api/applications", choosing, 'await mailAbout(deps, tx, playtester, "application.rejected", '],
  ["closing", "api/applications", choosing, 'await mailAbout(deps, tx, playtester, "application.auto_rejected", '],
  ["deadline", "api/deadlines", "server/playtests/slots/reminders.ts", 'await mailAbout(deps, tx, holder, "slot.due", '],
];

const sends = /await \w+\(/;
const mailed = kinds.flatMap(([mail, test, file, call]): Mutant[] => [
  { rule: `mail: ${mail}`, test, edits: [[file, call, call.replace(sends, "void Array.of(")]] },
  {
    rule: `mail: ${mail} once`,
    test,
    edits: [[file, call, call.replace(sends, "for (let copy = 0; copy < 2; copy++) $&")]],
  },
]);

const [deciding, footer] = ["server/events/event-mails.ts", "server/events/unsubscribe.ts"];
/** Which emails about events a person gets. */
const chosen: readonly Pick<Mutant, "rule" | "edits">[] = [
  { rule: "none of a kind that is off", edits: [[deciding, 'if (mode === "off") return;', ""]] },
  { rule: "one a day of a kind in the digest", edits: [[deciding, 'mode === "digest" ?', "mode === undefined ?"]] },
  { rule: "what was collected is sent once", edits: [[deciding, "await mails.markCollected(tx, reader.id, now);", ""]] },
  { rule: "at most so many an hour", edits: [[sending, "< deps.config.mail.perPersonPerHour", ">= 0"]] },
  {
    rule: "emails about security and summaries are not counted",
    edits: [[sending, "mail.user_id !== null && mail.entry !== null", "true"]],
  },
  { rule: "a link is for what it was signed for", edits: [[footer, "!secrets.isMacOfRing(purpose, payload, mac)", "false"]] },
  {
    rule: "opening the link changes nothing",
    edits: [["server/web/pages/unsubscribe.ts", "await unsubscribing.find(token)", 'await unsubscribing.set(token, "off")']],
  },
  {
    rule: "one about a conversation until it is read",
    edits: [["server/chat/unread.ts", "|| unread.some((message) => message.mailed_at !== null)", ""]],
  },
  { rule: "none about messages before their time", edits: [["server/chat/unread.ts", "if (dueAt > now)", "if (dueAt < 0)"]] },
  { rule: "none from who is blocked", edits: [["server/chat/unread.ts", "if (isBlocked === 1) return;", ""]] },
];

export const inboxRules: readonly Mutant[] = [
  ...events.map((row) => ({ ...row, rule: `events: ${row.rule}`, test: "api/events", only: "sqlite|key is revoked" })),
  ...notifications.map((row) => ({ ...row, rule: `notifications: ${row.rule}`, test: "api/notifications" })),
  ...chats.map((row) => ({ ...row, rule: `chat: ${row.rule}`, test: "api/chat" })),
  ...mails.map((row) => ({ ...row, rule: `mail: ${row.rule}`, test: "api/mail", only: "." })),
  ...mailed,
  ...chosen.map((row) => ({ ...row, rule: `emails: ${row.rule}`, test: "api/event-mails" })),
];
