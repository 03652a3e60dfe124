// A week on the marketplace in one test. Run it with:
// playtest serve run --ephemeral --seed minimal --port 0 --exec 'node --test'
import assert from "node:assert/strict";
import test from "node:test";

const { PLAYTEST_BASE_URL: base, PLAYTEST_API_KEY: key } = process.env;

async function api(method, path, body) {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const reply = await fetch(`${base}/api/v1${path}`, {
    method,
    headers,
    body: body && JSON.stringify(body),
  });
  const { data, error } = await reply.json();
  if (error) throw new Error(error.message);
  return data;
}

test("one slot is played, the other stays open and is refunded after 7 days", async () => {
  const { games } = await api("GET", "/games");
  const order = { quantity: 2, selectionMode: "manual" };
  const { playtest } = await api("POST", `/games/${games[0].id}/playtests`, order);
  const { slots } = await api("GET", `/playtests/${playtest.id}/slots`);
  // A simulated playtester applies, is approved and submits.
  await api("POST", `/sandbox/slots/${slots[0].id}/play`);
  await api("POST", `/slots/${slots[0].id}/accept`, { rating: 5 });
  const before = await api("GET", "/billing/balance");
  await api("POST", "/sandbox/clock/advance", { seconds: 7 * 24 * 3600 });
  const after = await api("GET", "/billing/balance");
  assert.equal(after.balanceCents - before.balanceCents, playtest.costPerSlotCents);
  assert.equal(
    (await api("GET", `/playtests/${playtest.id}`)).playtest.status,
    "completed",
  );
});
