import { connect, createServer, type Socket } from "node:net";

/** One round trip: the statements that were sent together, without waiting for the reply to one of them. */
export type Trip = string[];

export interface Wire {
  /** The URL of the database over this wire. */
  url: string;
  /** The round trips since the last call. */
  taken(): Trip[];
  close(): Promise<void>;
}

const latencyMs = 15;

/** A slow wire to a PostgreSQL that notes what is sent over it, and what had to wait for a reply. One caller at a time. */
export async function startWire(databaseUrl: string): Promise<Wire> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let trips: Trip[] = [];
  let unanswered = 0;
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", () => socket.destroy());
      socket.on("close", () => sockets.delete(socket));
    }
    const texts = new Map<string, string>();
    let statement = "";
    const sent = reader({ startup: true }, (type, body) => {
      if (type === "P") texts.set(text(body, 0), text(body, text(body, 0).length + 1));
      if (type === "B") statement = texts.get(text(body, text(body, 0).length + 1)) ?? "";
      if (type === "Q") statement = text(body, 0);
      if (type !== "Q" && type !== "S") return;
      if (unanswered++ === 0 || trips.length === 0) trips.push([]);
      trips.at(-1)!.push(statement.replace(/\s+/g, " "));
    });
    let started = false;
    const answered = reader({ startup: false }, (type) => {
      if (type === "Z" && started) unanswered--;
      if (type === "Z") started = true;
    });
    near.on("data", (chunk) => {
      sent(chunk);
      far.write(chunk);
    });
    far.on("data", (chunk) =>
      setTimeout(() => {
        answered(chunk);
        near.write(chunk);
      }, latencyMs),
    );
    near.on("close", () => far.destroy());
    far.on("close", () => near.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = new URL(databaseUrl);
  url.port = String((server.address() as { port: number }).port);
  return {
    url: url.href,
    taken() {
      const all = trips;
      trips = [];
      return all;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

const text = (body: Buffer, from: number) => body.toString("utf8", from, body.indexOf(0, from));

/** Splits a stream into messages. The first one of a client, the startup message, has no type. */
function reader({ startup }: { startup: boolean }, onMessage: (type: string, body: Buffer) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  let untyped = startup;
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      const head = untyped ? 0 : 1;
      if (rest.length < head + 4) return;
      const length = head + rest.readInt32BE(head);
      if (rest.length < length) return;
      if (!untyped) onMessage(String.fromCharCode(rest[0]!), rest.subarray(5, length));
      untyped = false;
      rest = rest.subarray(length);
    }
  };
}
