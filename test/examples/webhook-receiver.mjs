// A webhook receiver with nothing but Node.js.
// Run it with: WEBHOOK_SECRET=whsec_… node webhook-receiver.mjs
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const secret = process.env.WEBHOOK_SECRET;
if (!secret) throw new Error("Set WEBHOOK_SECRET to the webhook's secret.");
const maxBodyBytes = 1024 * 1024;
const maxAgeSeconds = 5 * 60;
/** Ids of the events handled so far. Keep them in a database to survive a restart. */
const handled = new Set();

/**
 * Whether the server signed this body, and did so recently. `body` is the text as it
 * arrived, not parsed and printed again.
 */
function isGenuine(headers, body) {
  const { "x-wpg-timestamp": timestamp = "", "x-wpg-signature": signature = "" } =
    headers;
  const expected = createHmac("sha256", secret)
    .update(`${timestamp}.${body}`)
    .digest("hex");
  if (signature.length !== expected.length) return false;
  if (!timingSafeEqual(Buffer.from(signature), Buffer.from(expected))) return false;
  return Math.abs(Date.now() / 1000 - Number(timestamp)) <= maxAgeSeconds;
}

async function readBody(request) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > maxBodyBytes) throw new Error("The body is too large.");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** What your own program does with an event. */
function handle({ event, timestamp, data }) {
  console.log(`${timestamp} ${event} ${JSON.stringify(data)}`);
}

const server = createServer(async (request, response) => {
  try {
    const body = await readBody(request);
    if (!isGenuine(request.headers, body)) return response.writeHead(401).end();
    // The same event can arrive more than once. Its id stays the same.
    const id = request.headers["webhook-id"];
    if (!handled.has(id)) handle(JSON.parse(body));
    handled.add(id);
    // Answer with 2xx within 5 seconds; anything else is tried again later.
    response.writeHead(204).end();
  } catch (error) {
    console.error(error);
    response.writeHead(500).end();
  }
});

server.listen(Number(process.env.PORT ?? 3000), "127.0.0.1", () => {
  console.log(`Listening on http://127.0.0.1:${server.address().port}/`);
});
