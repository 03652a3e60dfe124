import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";

/**
 * A file copied over a socket by stream pipelines, hashed on both sides. `copy.ts receive FILE` prints its port and writes what each
 * connection brings to FILE-1, FILE-2 and so on; `copy.ts send FILE PORT` sends it there and ends when all of it was written. Every
 * copy is kept, as the server keeps what is uploaded: overwriting one would spare the disk much of the work.
 */
const [mode, file, port] = process.argv.slice(2);

function hashing(): Transform {
  const hash = createHash("sha256");
  return new Transform({
    transform(chunk, _, done) {
      hash.update(chunk);
      done(null, chunk);
    },
    flush(done) {
      hash.digest("hex");
      done();
    },
  });
}

let copies = 0;

async function receive(socket: Socket): Promise<void> {
  copies++;
  await pipeline(socket, hashing(), createWriteStream(`${file}-${copies}`));
  socket.end("written");
}

if (mode === "receive") {
  const server = createServer({ allowHalfOpen: true }, (socket) => void receive(socket));
  server.listen(0, "127.0.0.1", () => process.stdout.write(`${(server.address() as { port: number }).port}\n`));
  process.on("SIGTERM", () => process.exit(0));
} else {
  const socket = connect({ port: Number(port), host: "127.0.0.1", allowHalfOpen: true });
  const written = new Promise((resolve) => socket.once("data", resolve));
  await pipeline(createReadStream(file!), hashing(), socket, { end: true });
  await written;
}
