import { expect, it } from "vitest";
import * as wrongPasswords from "../../server/accounts/attempts/store.ts";
import { startSession } from "../../server/accounts/sessions.ts";
import { emit, newDelivery } from "../../server/events/emit.ts";
import * as webhooks from "../../server/events/webhooks/store.ts";
import * as requestCounts from "../../server/http/limits/store.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { createGame, type Person, registerOwner } from "../helpers/factories.ts";
import { insertRows } from "../helpers/raw-rows.ts";
import type { TestServer } from "../helpers/server.ts";

const day = 86_400_000;
const tables = [
  "idempotency",
  "sessions",
  "one_time_tokens",
  "mails",
  "webhook_deliveries",
  "webhook_attempts",
  "processor_events",
  "wrong_passwords",
  "request_counts",
];
const kept = ["events", "notifications", "games", "users"];

onBothDatabases("retention", (serve) => {
  let server: TestServer;

  const counts = (names: readonly string[]) =>
    server.deps.store.read(async (q) => {
      const found: Record<string, number> = {};
      for (const name of names) found[name] = (await q.one<{ n: number }>(`SELECT COUNT(*) AS n FROM ${name}`))!.n;
      return found;
    });

  /** A delivery that arrived, one that waits for its webhook to be enabled, and one on its way. */
  const deliver = (owner: Person) =>
    server.deps.store.write(async (tx) => {
      const { deps } = server;
      const webhook = {
        ...{
          id: deps.newId(),
          owner_id: owner.id,
          url: "https://example.com/",
          host: "example.com",
          events: '["*"]',
          secret: "",
        },
        ...{
          format: "standard" as const,
          is_active: 0,
          failure_count: 10,
          last_failure_at: null,
          disabled_at: null,
          created_at: deps.clock.now(),
          deleted_at: null,
        },
      };
      await webhooks.insert(tx, webhook);
      const recipient = { id: owner.id, role: "game_owner" } as const;
      const [event] = await emit(tx, [recipient], {
        kind: "payment.failed",
        data: { paymentId: webhook.id, amountCents: 1, status: "failed", provider: "sandbox" },
        notice: {},
      });
      await webhooks.insertDelivery(tx, newDelivery(deps, webhook, event!, "pending", Number.MAX_SAFE_INTEGER));
      const arrived = newDelivery(deps, webhook, event!, "delivered", null);
      await webhooks.insertDelivery(tx, arrived);
      const about = { delivery_id: arrived.id, status_code: 200, error: null, duration_ms: 1, response: "thanks" };
      await webhooks.insertAttempts(tx, [{ ...about, id: deps.newId(), created_at: deps.clock.now() }]);
    });

  it("old rows: deleted after their time, however many there are; history stays", async () => {
    server = await serve({ config: (config) => (config.sandbox = false) });
    const owner = await registerOwner(server);
    await createGame(owner);
    await owner.post("/notifications/mark-all-read", {}, { "idempotency-key": "once" });
    await server.request("POST", "/auth/password-reset", { body: { email: "game_owner1@example.com" } });
    await server.deps.store.write((tx) =>
      startSession(tx, owner.id, { address: "127.0.0.1", agent: null, signal: new AbortController().signal }),
    );
    await deliver(owner);
    const now = server.clock.now();
    const reports = Array.from({ length: 1001 }, (_, n) => ({
      provider: "stripe",
      event_id: `evt_${n}`,
      kind: "x",
      received_at: now,
    }));
    await server.deps.store.write((tx) => insertRows(tx, "processor_events", reports));
    // The last one is forgotten a minute later.
    await server.deps.store.write((tx) => wrongPasswords.add(tx, "a", { now, forgetMs: 60_000, most: 20 }));
    // One caller sends another request a day later.
    for (const [caller, at] of [
      ["a", now],
      ["b", now],
      ["b", now + day],
    ] as const)
      await server.deps.store.write((tx) => requestCounts.add(tx, caller, 1, at));
    await server.advance(0);
    const history = await counts(kept);

    const after = async (days: number) => {
      server.clock.set(now + days * day);
      await server.advance(0);
      return Object.values(await counts(tables));
    };
    expect(await after(0)).toEqual([1, 1, 1, 1, 3, 1, 1001, 1, 2]);
    expect(await after(1)).toEqual([0, 1, 0, 1, 3, 1, 1001, 0, 1]);
    expect(await after(2)).toEqual([0, 1, 0, 1, 3, 1, 1001, 0, 0]);
    expect(await after(29)).toEqual([0, 1, 0, 1, 3, 1, 1001, 0, 0]);
    expect(await after(31)).toEqual([0, 0, 0, 0, 3, 1, 1001, 0, 0]);
    expect(await after(89)).toEqual([0, 0, 0, 0, 3, 1, 1001, 0, 0]);
    expect(await after(91)).toEqual([0, 0, 0, 0, 1, 0, 0, 0, 0]);
    expect(await counts(kept)).toEqual(history);
    expect((await owner.get("/events")).body.data.events).toHaveLength(history.events!);
  });

  it("what cannot be removed keeps nothing else from being removed, and is tried again", async () => {
    server = await serve({ config: (config) => (config.sandbox = false) });
    const { store, clock } = server.deps;
    const rename = (from: string, to: string) => store.write((tx) => tx.run(`ALTER TABLE ${from} RENAME TO ${to}`));
    await store.write((tx) => wrongPasswords.add(tx, "a", { now: clock.now(), forgetMs: 1, most: 20 }));
    await rename("idempotency", "kept_replies");
    await rename("sessions", "kept_sessions");
    try {
      await server.advance(60_000);
      expect(await counts(["wrong_passwords"])).toEqual({ wrong_passwords: 0 });
      const failed = server.errors.splice(0).map(String);
      expect(failed[0]).toContain("sessions");
      expect(failed[1]).toContain("idempotency");
    } finally {
      await rename("kept_replies", "idempotency");
      await rename("kept_sessions", "sessions");
    }
    const queued = "SELECT failures FROM jobs WHERE kind = 'remove-old' AND state = 'queued'";
    expect(await store.read((q) => q.one(queued))).not.toEqual({ failures: 0 });
    await server.advance(day);
    expect(await store.read((q) => q.one(queued))).toEqual({ failures: 0 });
  });
});
