import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { emit } from "../../server/events/emit.ts";
import { mailUserAbout } from "../../server/events/event-mails.ts";
import type { EventKind } from "../../src/contract/events/kinds.ts";
import type { MailedKind } from "../../src/contract/events/mails.ts";
import { type Person, registerOwner, registerPlaytester } from "../helpers/factories.ts";
import { insertRow } from "../helpers/raw-rows.ts";
import { type Receiver, startReceiver } from "../helpers/receiver.ts";
import { startTestServer, type TestServer } from "../helpers/server.ts";
import { drivers, type TestStore } from "../helpers/store.ts";

/** Kinds that only a newer version knows, which runs beside this one during an upgrade. */
const later = "slot.later" as EventKind & MailedKind;
const columns = ["events.kind", "notifications.type", "webhook_deliveries.event", "notification_settings.kind"];

const times = { run_at: 0, attempts: 0, state: "queued", lease_until: 0, created_at: 0 };

describe.each(drivers)("what a newer version recorded ($name)", ({ open }) => {
  let store: TestStore;
  let server: TestServer;
  let owner: Person;
  let receiver: Receiver;

  beforeEach(async () => {
    store = await open();
    // As it is installed: in other tests, replies have only what this version's contract has.
    server = await startTestServer({ store, config: (config) => void Object.assign(config, { strict: false }) });
    owner = await registerOwner(server);
    receiver = await startReceiver();
    await store.write(async (tx) => {
      for (const [table, column] of columns.map((name) => name.split(".") as [string, string]))
        await tx.run(`ALTER TABLE ${table} DROP CONSTRAINT ${table}_${column}_check`);
    });
  });
  afterEach(async () => {
    await server.close();
    await receiver.close();
    await store.remove();
  });
  const happen = () =>
    server.deps.store.write((tx) =>
      emit(tx, [{ id: owner.id, role: "game_owner" }], { kind: later, data: { slotId: "s" } as never, notice: {} }),
    );

  it("is listed, and delivered to webhooks of every format, although this version does not know its kind", async () => {
    for (const format of ["standard", "slack"] as const)
      await owner.createWebhook({ body: { url: receiver.url, events: ["*"], format } });
    await happen();
    for (const path of ["/notifications", "/events", "/inbox", "/notifications/settings"])
      expect([path, (await owner.get(path)).status]).toEqual([path, 200]);
    const { notifications } = await owner.listNotifications();
    expect(notifications).toMatchObject([{ type: later, path: "/studio" }]);
    await server.advance(0);
    expect(receiver.received.map(({ body }) => body).sort()).toEqual([
      expect.stringContaining(`"event":"${later}"`),
      expect.stringContaining(`New event: ${later}`),
    ]);
  });

  it("is mailed in the daily email under the name of its kind", async () => {
    const letter = {
      subject: "Later",
      preview: "Later",
      paragraphs: ["Later."],
      action: { label: "See", url: "https://a.example" },
    };
    await server.deps.store.write(async (tx) => {
      await tx.run("UPDATE users SET email_verified_at = 1 WHERE id = ?", owner.id);
      await insertRow(tx, "notification_settings", { user_id: owner.id, kind: later, mail: "digest", updated_at: 0 });
      await mailUserAbout(tx, owner.id, later, letter);
    });
    await server.advance(2 * 86_400_000);
    expect(server.mails.at(-1)?.text).toContain(`because of your setting for “${later}”`);
  });

  it("is removed a day after an older version deleted the account, which removes only what it knows", async () => {
    const playtester = await registerPlaytester(server);
    await playtester.deleteAccount({ body: { password: "correct horse" } });
    // As the older version leaves it, which does not know the table.
    await store.write((tx) => insertRow(tx, "playtester_traits", { user_id: playtester.id, kind: "country", value: "DE" }));
    const left = () => store.read((q) => q.all("SELECT value FROM playtester_traits"));
    expect(await left()).toEqual([{ value: "DE" }]);
    await server.advance(86_400_000);
    expect(await left()).toEqual([]);
  });

  it("stays queued where it is a job of a kind that this version does not know", async () => {
    // The other job, of a slot that is gone, becomes due later.
    const known = { payload: '{"slotId":"none","scheduledAt":0}', ...times, run_at: 1 };
    await store.write(async (tx) => {
      await insertRow(tx, "jobs", { id: "j", kind: "do-later", unique_key: "do-later:j", payload: "{}", ...times });
      await insertRow(tx, "jobs", { id: "k", kind: "remind-session", unique_key: "remind-session:k", ...known });
    });
    const jobs = () => store.read((q) => q.all("SELECT id, state, attempts, failures FROM jobs WHERE id IN ('j', 'k')"));
    await expect.poll(jobs, { timeout: 60_000 }).toEqual([{ id: "j", state: "queued", attempts: 0, failures: 0 }]);
  });
});
