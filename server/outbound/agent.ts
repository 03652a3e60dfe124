import * as http from "node:http";
import * as https from "node:https";
import type { LookupFunction, Socket } from "node:net";
import type { Guard, Target } from "./guard.ts";
import type { Resolve } from "./index.ts";

const idleMs = 10_000;

type Connected = (error: Error | null, socket?: Socket) => void;

/**
 * Connections to checked addresses only. A name is resolved once per connection and the socket goes to those very
 * addresses, so a second answer of the name server changes nothing; the peer's address is looked at once more before
 * anything is sent. Kept connections are per host and port.
 */
export function createAgent(protocol: "http:" | "https:", guard: Guard, resolve: Resolve): http.Agent {
  const settings = { keepAlive: true, maxFreeSockets: 4, timeout: idleMs };
  const agent = protocol === "https:" ? new https.Agent(settings) : new http.Agent(settings);
  const connect = agent.createConnection.bind(agent) as (options: object, done: Connected) => Socket;
  const guarded = (options: { host: string }, done: Connected): void => {
    const target: Target = { protocol, host: options.host.replace(/\.$/, "") };
    const socket = connect({ ...options, lookup: pinned(guard, resolve, target) }, () => {});
    const failed = (error: Error) => done(error);
    const silent = () => socket.destroy(new Error(`no connection within ${idleMs} ms`));
    socket.once("error", failed);
    socket.once("timeout", silent);
    socket.once("connect", () => {
      try {
        guard.checkAddress(target, socket.remoteAddress ?? "nowhere");
        socket.off("error", failed).off("timeout", silent);
        done(null, socket);
      } catch (error) {
        socket.destroy(error as Error);
      }
    });
  };
  return Object.assign(agent, { createConnection: guarded });
}

/** What `net` calls for a name: every address of it must pass, not only the one that would be used. */
function pinned(guard: Guard, resolve: Resolve, target: Target): LookupFunction {
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
