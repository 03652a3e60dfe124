import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { killLeftovers, readyFile, spawnPlaytest } from "../helpers/process.ts";
import { nodeAt } from "../helpers/server.ts";
import { freshFolder } from "../helpers/store.ts";

afterEach(killLeftovers);

it("clients that hold as many connections as the server may have open leave it the files that it needs", async () => {
  const folder = freshFolder();
  const file = join(folder, "ready.json");
  const flags = ["--sandbox", "--seed", "minimal", "--rate-limit", "off", "--log-level", "error"];
  const argv = ["serve", "run", "--port", "0", "--data", folder, "--ready-file", file, ...flags];
  const { child, ended } = spawnPlaytest(folder, argv, {}, "-n 256");
  const { baseUrl, ownerKey: key, gameId } = await readyFile(file);
  const server = nodeAt(baseUrl);
  const ordered = await server.request("POST", `/games/${gameId}/playtests`, { key, body: { quantity: 3 } });
  const { slots } = (await server.request("GET", `/playtests/${ordered.body.data.playtest.id}/slots`, { key })).body.data;

  const { hostname, port } = new URL(baseUrl);
  const idle: Socket[] = [];
  for (let opened = 0; opened < 250; opened++) {
    const socket = connect(Number(port), hostname).on("error", () => {});
    await once(socket, "connect");
    idle.push(socket);
  }
  async function play(id: string): Promise<number> {
    const headers = { "idempotency-key": id };
    try {
      return (await server.request("POST", `/sandbox/slots/${id}/play`, { headers, body: {} })).status;
    } catch {
      // The server had no room for another connection. Clients try again, so this one does when a held connection was closed.
      const held = idle.filter((socket) => !socket.closed);
      if (held.length > 0) await Promise.race(held.map((socket) => once(socket, "close")));
      return play(id);
    }
  }
  const played = [];
  for (const { id } of slots) played.push(await play(id));
  expect(played).toEqual([200, 200, 200]);
  for (const socket of idle) socket.destroy();
  child.kill("SIGTERM");
  expect((await ended).code).toBe(0);
});
