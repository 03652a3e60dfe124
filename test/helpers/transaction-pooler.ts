import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { message, messages } from "./postgres-messages.ts";
import type { Relay } from "./postgres-relay.ts";

/** A session of the database. Its replies go to the client that has it. */
interface Session {
  socket: Socket;
  client: Client | undefined;
}

interface Client {
  near: Socket;
  /** Queries and Syncs that were not answered yet. */
  unanswered: number;
}

const refusal = message("E", Buffer.from("SFATAL\0C08P01\0Munsupported startup parameter: options\0\0"));
/** What a message leaves open until the server is ready again: a simple query, and the end of an extended one. */
const answered = ["Q", "S"];

/**
 * A server before PostgreSQL that gives each transaction of its clients another of `size` sessions, as pgbouncer does in transaction mode:
 * what a statement leaves in its session is not there in the next transaction, and startup `options` are refused. Each client signs in
 * at a session of its own, which is shared from then on, or closed if there are enough.
 */
export async function startTransactionPooler(databaseUrl: string, size: number): Promise<Relay> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  const idle: Session[] = [];
  const waiting: ((session: Session) => void)[] = [];
  let open = 0;

  const remember = (socket: Socket) => {
    sockets.add(socket);
    socket.setNoDelay();
    socket.on("error", () => socket.destroy());
    socket.on("close", () => sockets.delete(socket));
  };

  function free(session: Session): void {
    session.client = undefined;
    const next = waiting.shift();
    if (next) next(session);
    else idle.push(session);
  }

  function take(): Promise<Session> {
    // The one that was idle longest, so that a client that is alone never has the same one twice.
    const session = idle.shift();
    return session ? Promise.resolve(session) : new Promise((resolve) => waiting.push(resolve));
  }

  /** Passes on what the session answers, and takes it from its client at the end of each transaction. */
  function share(session: Session): void {
    const { socket } = session;
    const read = messages({ startup: false }, (type, body) => {
      const { client } = session;
      client?.near.write(message(type, body));
      if (type !== "Z" || !client) return;
      client.unanswered--;
      if (client.unanswered === 0 && body.toString() === "I") free(session);
    });
    socket.on("data", read);
    socket.on("close", () => {
      open--;
      if (idle.includes(session)) idle.splice(idle.indexOf(session), 1);
    });
    open++;
    free(session);
  }

  function serve(client: Client): void {
    const { near } = client;
    let session: Session | undefined;
    let order = Promise.resolve();
    const send = async (type: string, body: Buffer) => {
      if (type === "X") return void near.end();
      if (session?.client !== client) session = await take();
      session.client = client;
      if (answered.includes(type)) client.unanswered++;
      session.socket.write(message(type, body));
    };
    const read = messages({ startup: false }, (type, body) => {
      order = order.then(() => send(type, body));
    });
    near.on("data", read);
    // What it left unfinished must not become another client's transaction.
    near.on("close", () => session?.client === client && session.socket.destroy());
  }

  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    for (const socket of [near, far]) remember(socket);
    far.on("close", () => near.destroy());
    near.on("close", () => far.destroy());
    near.once("data", (startup) => {
      if (startup.includes("\0options\0")) return void near.end(refusal);
      far.write(startup);
      near.on("data", (chunk) => far.write(chunk));
    });
    const signIn = messages({ startup: false }, (type, body) => {
      near.write(message(type, body));
      if (type !== "Z") return;
      for (const socket of [near, far]) for (const event of ["data", "close"]) socket.removeAllListeners(event);
      for (const socket of [near, far]) socket.on("close", () => sockets.delete(socket));
      if (open < size) share({ socket: far, client: undefined });
      else far.end(message("X", Buffer.alloc(0)));
      serve({ near, unanswered: 0 });
    });
    far.on("data", signIn);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  return { url: url.href, close };
}
