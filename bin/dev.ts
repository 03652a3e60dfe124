/**
 * Serves a sandbox with demo data from the sources, starts it again when they change, and shows the emails that it sent in the browser.
 * `npm run dev -- --port 5000` passes flags on to `playtest serve run`. The data is kept in `.tmp/dev`.
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, renameSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { parseArgs } from "node:util";

interface Mail {
  to: string;
  subject: string;
  text: string;
  createdAt: string;
}

const root = join(import.meta.dirname, "..");
const given = process.argv.slice(2);
const port = parseArgs({ args: given, options: { port: { type: "string" } }, strict: false }).values.port ?? "4747";
const baseUrl = `http://127.0.0.1:${port}`;
const mailPort = Number(port) + 1;

const escaped = (text: string) => text.replace(/[&<]/g, (sign) => (sign === "&" ? "&amp;" : "&lt;"));
const linked = (text: string) => escaped(text).replace(/https?:\/\/[^\s<]+/g, (url) => `<a href="${url}">${url}</a>`);

const article = ({ to, subject, text, createdAt }: Mail) =>
  `<article><h2>${escaped(subject)}</h2><p>To ${escaped(to)}, ${createdAt}</p><pre>${linked(text)}</pre></article>`;

/** The latest emails, the newest first. The page loads itself again every five seconds. */
async function page(): Promise<string> {
  const reply = await fetch(`${baseUrl}/api/v1/sandbox/outbox`);
  const { data } = (await reply.json()) as { data: { messages: Mail[] } };
  const list = data.messages.map(article).join("") || "<p>No emails yet.</p>";
  return `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="5"><title>Emails</title>
<style>body{font:16px/1.5 system-ui;max-width:44rem;margin:2rem auto;padding:0 1rem}pre{white-space:pre-wrap}</style>${list}`;
}

createServer((_, response) => {
  page().then(
    (html) => response.setHeader("Content-Type", "text/html; charset=utf-8").end(html),
    () => response.writeHead(503).end("The server is starting. Load this page again.\n"),
  );
}).listen(mailPort, "127.0.0.1", () => process.stdout.write(`Emails: http://127.0.0.1:${mailPort}\n`));

const data = join(root, ".tmp/dev");
const serveFrom = (folder: string) => [join(root, "bin/playtest.js"), "serve", "run", "--sandbox", "--data", folder];

/** Makes a sandbox with demo data. It gets its place when it is complete: demo data goes only into a new database. */
function seed(): void {
  const begun = `${data}.begun`;
  rmSync(begun, { recursive: true, force: true });
  // `--exec` ends the server when the data is there.
  const seeding = [...serveFrom(begun), "--port", "0", "--seed", "demo", "--exec", "true"];
  const { status } = spawnSync(process.execPath, seeding, { stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
  renameSync(begun, data);
}
if (!existsSync(data)) seed();

const watch = [join(root, "node_modules/tsx/dist/cli.mjs"), "watch", "--clear-screen=false"];
const server = spawn(process.execPath, [...watch, ...serveFrom(data), "--port", String(port), ...given], { stdio: "inherit" });
server.on("exit", (code) => process.exit(code ?? 1));
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => server.kill(signal));
