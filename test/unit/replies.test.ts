import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createOutbound, type Outbound } from "../../server/outbound/index.ts";

let server: Server;
let outbound: Outbound;
let sockets: Socket[];
/** What the receiver sends for the next request, one packet each. */
let packets: readonly string[];
let ends: boolean;

beforeEach(async () => {
  sockets = [];
  ends = false;
  server = createServer({ noDelay: true }, (socket) => {
    sockets.push(socket);
    socket.on("error", () => {});
    socket.on("data", async () => {
      for (const packet of packets) await new Promise<void>((sent) => socket.write(Buffer.from(packet, "latin1"), () => sent()));
      if (ends) socket.end();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  outbound = createOutbound({ allowPrivate: [], allowLoopback: true });
});
afterEach(() => {
  outbound.close();
  for (const socket of sockets) socket.destroy();
  server.close();
});

const send = () =>
  outbound.request({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    ...{ method: "POST", headers: { "Content-Type": "application/json" }, body: "{}", deadlineMs: 5_000, maxBytes: 1_000 },
  });

const ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
const replies: [name: string, text: string, status: number, body: string, ends?: true][] = [
  ["100 before 204", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n", 204, ""],
  ["100 twice, with headers", `${"HTTP/1.1 100 Continue\r\nX-A: b\r\n\r\n".repeat(2)}${ok}`, 200, "ok"],
  ["102", `HTTP/1.1 102 Processing\r\n\r\n${ok}`, 200, "ok"],
  ["103", `HTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\n${ok}`, 200, "ok"],
  ["its length twice", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-A: b\r\ncontent-length: 2\r\n\r\nok", 200, "ok"],
  ["its length twice in one line", "HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\n\r\nok", 200, "ok"],
  ["lines that end with LF only", "HTTP/1.1 200 OK\nContent-Length: 2\n\nok", 200, "ok"],
  ["a header in two lines", "HTTP/1.1 200 OK\r\nX-A: b\r\n c\r\nContent-Length: 2\r\n\r\nok", 200, "ok"],
  ["a space before a colon", "HTTP/1.1 200 OK\r\nContent-Length : 2\r\n\r\nok", 200, "ok"],
  ["no reason phrase", "HTTP/1.1 204\r\n\r\n", 204, ""],
  ["chunks and a trailer", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-A: b\r\n\r\n", 200, "ok"],
  ["HTTP/1.0", "HTTP/1.0 200 OK\r\n\r\nok", 200, "ok", true],
  ["no length, and the end of the connection", "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nok", 200, "ok", true],
  ["a body with 204", "HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\nok", 204, "", true],
];

it.each(replies)("reply with %s is understood, in one packet and byte by byte", async (_, text, status, body, closes) => {
  ends = closes === true;
  for (const sent of [[text], [...text]]) {
    packets = sent;
    const reply = await send();
    expect([reply.status, reply.body.toString()]).toEqual([status, body]);
  }
});

it("replies over one connection are each read from their beginning", async () => {
  packets = [`HTTP/1.1 100 Continue\r\n\r\n${ok}`];
  for (let request = 0; request < 3; request++) expect((await send()).status).toBe(200);
  expect(sockets).toHaveLength(1);
});

it.each([
  ["two different lengths", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok"],
  ["no HTTP", "SSH-2.0-OpenSSH_9.2\r\n"],
  ["interim responses without end", "HTTP/1.1 100 Continue\r\n\r\n".repeat(10_000)],
  ["an interim response only", "HTTP/1.1 100 Continue\r\n\r\n"],
])("reply with %s is an error", async (_, text) => {
  packets = [text];
  ends = true;
  await expect(send()).rejects.toThrow();
});
