import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * `receivers.ts [COUNT]`: webhook receivers, ten unless given, in one process. Prints the port of its control server: `GET /ports` names
 * theirs, `POST /reset?hostile=N` forgets what came and makes the first N never answer, `GET /counts` says how many requests each got, how
 * many of all these came again, and when the first and the last came.
 */
const received = new Array<number>(Number(process.argv[2] ?? 10)).fill(0);
/** The receiver and the event of each delivery. */
const seen = new Set<string>();
let repeated = 0;
let hostile = 0;
let firstAt = 0;
let lastAt = 0;

function note(index: number, event: string | string[] | undefined): void {
  if (event === undefined) return;
  const delivery = `${index} ${event}`;
  if (seen.has(delivery)) repeated++;
  else seen.add(delivery);
}

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
          note(index, request.headers["webhook-id"]);
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
    seen.clear();
    repeated = 0;
    firstAt = 0;
    hostile = Number(url.searchParams.get("hostile"));
  }
  response.end(JSON.stringify(url.pathname === "/ports" ? ports : { received, repeated, firstAt, lastAt }));
});
process.stdout.write(`${await listen(control)}\n`);
