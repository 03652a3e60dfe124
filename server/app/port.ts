import { once } from "node:events";
import { createServer } from "node:net";
import { apiTitle } from "../../src/contract/openapi/document.ts";

const answerWithinMs = 5_000;

/** Where something listens, and the names of what chooses that: flags, or settings. */
export interface Address {
  host: string;
  port: number;
  names: { host: string; port: string };
}

/** Throws if the server could not listen there, and says why: what listens already, or what the system refuses. Port 0 is any free one. */
export async function requireFreePort(address: Address): Promise<void> {
  const refusal = await tryToListen(address);
  if (refusal === undefined) return;
  const running = refusal.code === "EADDRINUSE" ? await runningAt(address) : undefined;
  throw cannotListen(address, refusal, "Nothing was started or created.", running);
}

/** The error for an address that cannot be listened on. `undone` says what was not done. */
export function cannotListen(address: Address, cause: NodeJS.ErrnoException, undone: string, running = "another program"): Error {
  const { host, port, names } = address;
  if (cause.code === "EADDRINUSE") {
    const any = names.port.startsWith("--") ? `, or any free one with ${names.port} 0` : "";
    return refused(
      `Port ${port} is in use: ${running} listens there. ${undone} Choose another port with ${names.port}${any}.`,
      cause,
    );
  }
  const reason = reasons[cause.code ?? ""];
  const why = reason?.why ?? cause.message;
  const hint = reason?.hint(names) ?? `Choose another address with ${names.host}, or another port with ${names.port}.`;
  return refused(`The server cannot listen on ${host}${port === 0 ? "" : `, port ${port}`}: ${why}. ${undone} ${hint}`, cause);
}

const ownAddress = ({ host }: Address["names"]) => `Give ${host} an address of this machine, or leave it out.`;
const reasons: Readonly<Record<string, { why: string; hint(names: Address["names"]): string }>> = {
  EACCES: {
    why: "this user may not use the port",
    hint: ({ port }) =>
      `Choose a port from 1024 on with ${port}, with a proxy in front of it, or give the program CAP_NET_BIND_SERVICE.`,
  },
  EADDRNOTAVAIL: { why: "this machine does not have the address", hint: ownAddress },
  ENOTFOUND: { why: "the name has no address", hint: ownAddress },
  EAI_AGAIN: { why: "the name could not be looked up", hint: ownAddress },
};

const refused = (text: string, cause: unknown) => Object.assign(new Error(text, { cause }), { name: "ConfigError", exitCode: 1 });

/** The error that listening gives; undefined where it succeeds. */
async function tryToListen({ host, port }: Address): Promise<NodeJS.ErrnoException | undefined> {
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
async function runningAt({ host, port }: Address): Promise<string | undefined> {
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
