import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * Ten webhook receivers in one process. Prints the port of its control server: `GET /ports` names theirs, `POST /reset?hostile=N`
 * forgets what came and makes the first N never answer, `GET /counts` says how many requests each got, and when the first and the last came.
 */
const count = 10;
const received = new Array<number>(count).fill(0);
let hostile = 0;
let firstAt = 0;
let lastAt = 0;

const listen = async (server: Server) => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
};

const ports = await Promise.all(
  received.map((_, index) =>
    listen(
      createServer((request, response) => {
        request.resume().once("end", () => {
          received[index]!++;
          if (index < hostile) return;
          lastAt = performance.timeOrigin + performance.now();
          firstAt ||= lastAt;
          response.end("ok");
        });
      }),
    ),
  ),
);

const control = createServer((request, response) => {
  const url = new URL(request.url ?? "/", "http://control");
  if (url.pathname === "/reset") {
    received.fill(0);
    firstAt = 0;
    hostile = Number(url.searchParams.get("hostile"));
  }
  response.end(JSON.stringify(url.pathname === "/ports" ? ports : { received, firstAt, lastAt }));
});
process.stdout.write(`${await listen(control)}\n`);
