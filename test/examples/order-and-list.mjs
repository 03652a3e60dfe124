// Orders one playtest and prints its slots.
// Run it with: PLAYTEST_BASE_URL=… PLAYTEST_API_KEY=… node order-and-list.mjs
import { CliError, createClient } from "playtest-cli";

const playtest = createClient({
  baseUrl: process.env.PLAYTEST_BASE_URL ?? "http://127.0.0.1:4747",
  apiKey: process.env.PLAYTEST_API_KEY,
});

try {
  const { games } = await playtest.listGames();
  const game = games[0];
  if (!game) throw new Error("Create a game first.");

  // The same key orders once, however often the script runs within a day.
  const today = new Date().toISOString().slice(0, 10);
  const order = await playtest.createPlaytest({
    params: { gameId: game.id },
    body: { quantity: 2, durationMinutes: 30 },
    idempotencyKey: `nightly-${today}`,
  });
  console.log(`${order.playtest.id} ${order.playtest.status}`);

  // A list comes in pages; this goes through all of them.
  const slots = playtest.pages(
    "listSlots",
    { params: { id: order.playtest.id } },
    { all: true },
  );
  for await (const { items } of slots)
    for (const { id, status } of items) console.log(`${id} ${status}`);
} catch (error) {
  if (!(error instanceof CliError)) throw error;
  // exitCode is what the command would exit with; extra.hint says what to do next.
  console.error(error.code, error.message, error.extra.hint ?? "");
  process.exitCode = error.exitCode;
} finally {
  await playtest.close();
}
