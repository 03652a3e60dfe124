import * as net from "node:net";
import * as tls from "node:tls";
import type { buildConnector } from "undici";
import type { Guard, Target } from "./guard.ts";
import type { Resolve } from "./types.ts";

const connectMs = 10_000;

/** Returns the socket that is being opened, so that the caller can destroy it. */
export type Connect = (...args: Parameters<buildConnector.connector>) => net.Socket;

/**
 * Opens connections to checked addresses only. A name is resolved once per connection, and the socket connects to exactly those
 * addresses, so DNS rebinding has no effect. The peer's address is checked again before anything is sent.
 */
export function createConnector(guard: Guard, resolve: Resolve): Connect {
  return ({ protocol, hostname, port }, done) => {
    const target: Target = { protocol, host: hostname.replace(/\.$/, "") };
    const secure = protocol === "https:";
    const where = { host: hostname, port: Number(port || (secure ? 443 : 80)), lookup: pinned(guard, resolve, target) };
    const servername = net.isIP(target.host) === 0 ? target.host : "";
    const socket = secure ? tls.connect({ ...where, servername, ALPNProtocols: ["http/1.1"] }) : net.connect(where);
    const failed = (error: Error) => done(error, null);
    const silent = () => socket.destroy(new Error(`no connection within ${connectMs} ms`));
    socket.setNoDelay(true);
    const limit = setTimeout(silent, connectMs);
    socket.once("close", () => clearTimeout(limit));
    socket.once("error", failed);
    socket.once("connect", () => {
      try {
        guard.checkAddress(target, socket.remoteAddress ?? "nowhere");
      } catch (error) {
        socket.destroy(error as Error);
      }
    });
    socket.once(secure ? "secureConnect" : "connect", () => {
      if (socket.destroyed) return;
      clearTimeout(limit);
      socket.off("error", failed);
      done(null, socket);
    });
    return socket;
  };
}

/** The lookup function for `net`. Every address of a name must be allowed, not only the one that would be used. */
function pinned(guard: Guard, resolve: Resolve, target: Target): net.LookupFunction {
  return (host, options, done) => {
    const answer = async () => {
      const addresses = await resolve(host);
      if (addresses.length === 0) throw new Error(`${host} has no address`);
      for (const address of addresses) guard.checkAddress(target, address);
      return addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
    };
    answer().then(
      (all) => (options.all ? done(null, all) : done(null, all[0]!.address, all[0]!.family)),
      (error: NodeJS.ErrnoException) => done(error, "", 4),
    );
  };
}
