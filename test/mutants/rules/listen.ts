// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are pieces of sources.
import type { Mutant } from "../mutant.ts";

const listen = "src/commands/webhooks/listen.ts";
const forward = "src/commands/webhooks/forward.ts";
const place = "src/commands/webhooks/checkpoint.ts";
const polled = "src/commands/webhooks/sources.ts";
const streamed = "src/commands/shared/event-source.ts";

const rows: readonly Omit<Mutant, "test">[] = [
  {
    rule: "goes on where it ended",
    edits: [[listen, '{ eventId: "0" } : checkpoints.read()', '{ eventId: "0" } : { eventId: "0" }']],
  },
  { rule: "goes on behind the last event over a new connection", edits: [[streamed, "        last = id;\n", ""]] },
  {
    rule: "an event is done when the receiver had it",
    edits: [[listen, "      if (wanted) await handle(", "      places.save(step.place);\n      if (wanted) await handle("]],
  },
  { rule: "one event after the other", edits: [[listen, "if (wanted) await handle(", "if (wanted) void handle("]] },
  { rule: "only the kinds asked for", edits: [[listen, "(kinds.size === 0 || kinds.has(step.event.event))", "kinds.size >= 0"]] },
  { rule: "signed under the event's id", edits: [[forward, "sign({ id: step.id,", 'sign({ id: "",']] },
  { rule: "the secret stays", edits: [[place, "  write(first);\n", ""]] },
  { rule: "a receiver that refuses is told again", edits: [[forward, "status < 300 || ++refused", "status < 600 || ++refused"]] },
  {
    rule: "a receiver that is not there is waited for",
    edits: [[forward, "if (!(error instanceof CliError)) throw error;", "throw error;"]],
  },
  {
    rule: "ends at a lost connection where asked to",
    edits: [[listen, "exitCodes.unreachable, message", "exitCodes.usage, message"]],
  },
  { rule: "says that it is disconnected", edits: [[listen, "if (!lost) ctx.out.warn", "if (lost) ctx.out.warn"]] },
  {
    rule: "polling looks at all pages when something changed",
    edits: [
      [
        polled,
        "const thorough = notifications.some(({ type }) => reportedKinds.has(type));",
        "const thorough = reportedKinds.size === 0;",
      ],
    ],
  },
  {
    rule: "polling tells what was submitted and decided meanwhile",
    edits: [[polled, "[submitted, happened(status, seenAt)]", "[happened(status, seenAt)]"]],
  },
  { rule: "polling tells a slot once", edits: [[polled, "new Set(checkpoint.slots), thorough", "new Set(), thorough"]] },
  { rule: "polling tells the oldest first", edits: [[polled, "return found.reverse();", "return found;"]] },
];

export const listenRules: readonly Mutant[] = rows.map((row) => ({ ...row, rule: `listen: ${row.rule}`, test: "cli/listen" }));
