import { once } from "node:events";
import { createServer } from "node:net";
import { apiTitle } from "../../src/contract/openapi/document.ts";

const answerWithinMs = 5_000;

/** Throws if the server could not listen there, and says why: what listens already, or what the system refuses. 0 is any free port. */
export async function requireFreePort(host: string, port: number): Promise<void> {
  const refusal = await tryToListen(host, port);
  if (refusal === undefined) return;
  if (refusal.code === "EADDRINUSE") throw portInUse(port, await runningAt(host, port), refusal);
  throw cannotListen(host, port, refusal);
}

/** The error for a port that something else listens on. */
export const portInUse = (port: number, running = "another program", cause?: unknown): Error =>
  refused(
    `Port ${port} is in use: ${running} listens there. Nothing was started or created. Choose another port with --port, or any free one with --port 0.`,
    cause,
  );

function cannotListen(host: string, port: number, cause: NodeJS.ErrnoException): Error {
  const [why, hint] = reasons[cause.code ?? ""] ?? [
    cause.message,
    "Choose another address with --host, or another port with --port.",
  ];
  return refused(
    `The server cannot listen on ${host}${port === 0 ? "" : `, port ${port}`}: ${why}. Nothing was started or created. ${hint}`,
    cause,
  );
}

const ownAddress = "Give --host an address of this machine, or leave it out.";
const reasons: Readonly<Record<string, readonly [why: string, hint: string]>> = {
  EACCES: [
    "this user may not use the port",
    "Choose a port from 1024 on with --port, with a proxy in front of it, or give the program CAP_NET_BIND_SERVICE.",
  ],
  EADDRNOTAVAIL: ["this machine does not have the address", ownAddress],
  ENOTFOUND: ["the name has no address", ownAddress],
  EAI_AGAIN: ["the name could not be looked up", ownAddress],
};

const refused = (text: string, cause: unknown) => Object.assign(new Error(text, { cause }), { name: "ConfigError", exitCode: 1 });

/** The error that listening gives; undefined where it succeeds. */
async function tryToListen(host: string, port: number): Promise<NodeJS.ErrnoException | undefined> {
  const probe = createServer();
  try {
    probe.listen(port, host);
    await once(probe, "listening");
    return undefined;
  } catch (error) {
    return error as NodeJS.ErrnoException;
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
