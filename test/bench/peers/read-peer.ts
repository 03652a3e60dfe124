import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createReadWork } from "./read-work.ts";

/** `read-peer.ts bare|fastify|express FILE`: the same work under a bare handler or a framework; prints its port. */
const [kind, file] = process.argv.slice(2);
const work = createReadWork(file!);
const type = "application/json; charset=utf-8";

async function listen(): Promise<number> {
  if (kind === "fastify") {
    const { fastify } = await import("fastify");
    const app = fastify();
    app.get<{ Params: { id: string } }>("/api/v1/games/:id", (request, reply) => {
      const { status, body } = work(request.headers.authorization, request.params.id);
      reply.code(status).header("content-type", type).send(body);
    });
    await app.listen({ port: 0, host: "127.0.0.1" });
    return (app.server.address() as AddressInfo).port;
  }
  if (kind === "express") {
    const { default: express } = await import("express");
    const app = express();
    app.get("/api/v1/games/:id", (request, response) => {
      const { status, body } = work(request.headers.authorization, request.params.id);
      response.status(status).set("content-type", type).send(body);
    });
    return new Promise((resolve) => {
      const server = app.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
    });
  }
  const server = createServer((request, response) => {
    const { status, body } = work(request.headers.authorization, request.url!.split("/")[4]!);
    response.writeHead(status, { "content-type": type, "content-length": Buffer.byteLength(body) });
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

process.stdout.write(`${await listen()}\n`);
process.on("SIGTERM", () => process.exit(0));
