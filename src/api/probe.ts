import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { connectThrough, type NamedProxy, portOf, startTls, withoutBrackets } from "./proxy.ts";

/** The certificate that a server presented. Times in milliseconds. */
export interface Certificate {
  subject: string;
  issuer: string;
  until: number;
  /** Why it is not trusted; undefined if it is. */
  distrust: string | undefined;
  /** The negotiated TLS version. */
  protocol: string;
}

async function direct(target: URL, signal: AbortSignal): Promise<Socket> {
  const socket = connect({ host: withoutBrackets(target.hostname), port: Number(portOf(target)), autoSelectFamily: true });
  const stop = () => socket.destroy(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  try {
    await once(socket, "connect");
    return socket;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

function describe(secure: TLSSocket): Certificate {
  const { subject, issuer, valid_to } = secure.getPeerCertificate();
  const named = (name: { CN?: string | string[]; O?: string | string[] } | undefined) => String(name?.CN ?? name?.O ?? "unknown");
  const distrust = secure.authorized ? undefined : String(secure.authorizationError ?? "not trusted");
  return {
    subject: named(subject),
    issuer: named(issuer),
    until: Date.parse(valid_to),
    distrust,
    protocol: secure.getProtocol() ?? "TLS",
  };
}

/** Connects as a request would and returns the certificate, trusted or not; undefined for plain HTTP. No request is sent. */
export async function probe(target: URL, proxy: NamedProxy | undefined, signal: AbortSignal): Promise<Certificate | undefined> {
  const socket = proxy ? await connectThrough(proxy, target, signal) : await direct(target, signal);
  try {
    if (target.protocol !== "https:") return undefined;
    const secure = await startTls(socket, target, signal, false);
    const certificate = describe(secure);
    secure.destroy();
    return certificate;
  } finally {
    socket.destroy();
  }
}
