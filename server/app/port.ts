import { once } from "node:events";
import { createServer } from "node:net";
import { apiTitle } from "../../src/contract/openapi/document.ts";

const answerWithinMs = 5_000;

/** Throws if something listens on the port already, and says what. 0 is any free port. Call it before anything is created. */
export async function requireFreePort(host: string, port: number): Promise<void> {
  if (port === 0 || (await isFree(host, port))) return;
  throw portInUse(port, await runningAt(host, port));
}

/** The error for a port that something else listens on. */
export function portInUse(port: number, running = "another program", cause?: unknown): Error {
  const text = `Port ${port} is in use: ${running} listens there. Nothing was started or created. Choose another port with --port, or any free one with --port 0.`;
  return Object.assign(new Error(text, { cause }), { name: "ConfigError", exitCode: 1 });
}

async function isFree(host: string, port: number): Promise<boolean> {
  const probe = createServer();
  try {
    probe.listen(port, host);
    await once(probe, "listening");
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EADDRINUSE") return false;
    // Any other problem is reported where the server listens.
    return true;
  } finally {
    probe.close();
  }
}

/** What answers on the port: a playtest server names itself in its API document. */
async function runningAt(host: string, port: number): Promise<string | undefined> {
  const name = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "[::1]" : host.includes(":") ? `[${host}]` : host;
  const origin = `http://${name}:${port}`;
  try {
    const reply = await fetch(`${origin}/api/v1/openapi.json`, { signal: AbortSignal.timeout(answerWithinMs) });
    const { info } = (await reply.json()) as { info?: { title?: string; version?: string } };
    return info?.title === apiTitle ? `a playtest server (version ${info.version}, ${origin})` : undefined;
  } catch {
    return undefined;
  }
}
