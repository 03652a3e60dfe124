import { once } from "node:events";
import { rm } from "node:fs/promises";
import { connect } from "node:net";
import { join, win32 } from "node:path";
import { webUrl } from "../api/url.ts";
import { secondsInMs } from "../contract/text/position.ts";
import { privateFile } from "./files/private-page.ts";
import { temporaryFolder } from "./files/temporary.ts";
import type { Io } from "./io.ts";
import { startCommand } from "./shell.ts";

/** A video player that was started and says where it is. */
export interface Player {
  /** The position in ms; undefined if the player does not play or does not answer. */
  position(): Promise<number | undefined>;
  /** Removes what the conversation with the player needed. The player keeps running. */
  release(): Promise<void>;
}

const answerMs = 1_000;

/** Whether a command line starts mpv, the player whose position can be asked for. */
export function isMpv(command: string): boolean {
  const [program = ""] = command.trim().split(/\s+/);
  return /^mpv(\.(exe|com))?$/i.test(win32.basename(program));
}

/** Where mpv listens: a socket in a folder that only this user may enter, on Windows a named pipe. */
async function listeningPlace({ platform }: Io, newId: () => string): Promise<{ address: string; remove(): Promise<void> }> {
  if (platform === "win32") return { address: `\\\\.\\pipe\\playtest-mpv-${newId()}`, remove: async () => {} };
  const folder = await temporaryFolder("mpv");
  return { address: join(folder, "socket"), remove: () => rm(folder, { recursive: true, force: true }) };
}

/** Starts mpv on a URL, which it reads from a playlist: other users of the computer can see its arguments. Undefined if it cannot start. */
export async function startMpv(io: Io, url: string, command: string, newId: () => string): Promise<Player | undefined> {
  const { href } = webUrl(url);
  const [place, playlist] = await Promise.all([listeningPlace(io, newId), privateFile(io, "video.m3u", `${href}\n`)]);
  const release = async () => void (await Promise.all([place.remove(), playlist.remove()]));
  if (await startCommand(io, command, [`--input-ipc-server=${place.address}`, `--playlist=${playlist.path}`]))
    return { position: () => positionAt(place.address), release };
  await release();
  return undefined;
}

/** One line from mpv: an event, or the reply to the one request that is sent, with its id. `data` is in seconds. */
interface Message {
  request_id?: number;
  error?: string;
  data?: unknown;
}

const requestId = 1;
const request = { command: ["get_property", "time-pos"], request_id: requestId };

/** The lines of a stream of text, as they come. */
async function* linesOf(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = "";
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop()!;
    yield* lines;
  }
}

/** Asks the mpv that listens at this address for its position, in ms. One that was closed, or plays nothing yet, has none. */
async function positionAt(address: string): Promise<number | undefined> {
  const signal = AbortSignal.timeout(answerMs);
  const socket = connect(address).setEncoding("utf8");
  const stop = () => socket.destroy();
  signal.addEventListener("abort", stop);
  try {
    await once(socket, "connect", { signal });
    socket.write(`${JSON.stringify(request)}\n`);
    for await (const line of linesOf(socket)) {
      const { request_id, error, data } = JSON.parse(line) as Message;
      if (request_id !== requestId) continue;
      return error === "success" && typeof data === "number" && data >= 0 ? secondsInMs(data) : undefined;
    }
    return undefined;
  } catch {
    return undefined;
  } finally {
    signal.removeEventListener("abort", stop);
    socket.destroy();
  }
}
