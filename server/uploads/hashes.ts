import { createHash, type Hash } from "node:crypto";

/** How many uploads are hashed at once while they arrive. The files of any others are read again at the end. */
const maxRunning = 200;

/**
 * SHA-256 of uploads, computed while they arrive: reading two gigabytes again at the end would take as long as sending them. Works
 * only for uploads whose bytes all passed through this process, in order. For any other the file must be read.
 */
export class RunningHashes {
  readonly #running = new Map<string, { hash: Hash; bytes: number }>();

  /** Returns a function that hashes the chunks after the first `before` bytes. */
  follow(id: string, before: number): (chunk: Uint8Array) => void {
    const running = this.#running.get(id) ?? this.#start(id, before);
    if (running?.bytes !== before) {
      this.forget(id);
      return () => {};
    }
    return (chunk) => {
      running.hash.update(chunk);
      running.bytes += chunk.length;
    };
  }

  /** The hash in hex; undefined unless exactly `size` bytes were hashed. */
  take(id: string, size: number): string | undefined {
    const running = this.#running.get(id);
    this.forget(id);
    return running?.bytes === size ? running.hash.digest("hex") : undefined;
  }

  forget(id: string): void {
    this.#running.delete(id);
  }

  #start(id: string, before: number) {
    if (before > 0) return undefined;
    if (this.#running.size >= maxRunning) this.forget(this.#running.keys().next().value!);
    const running = { hash: createHash("sha256"), bytes: 0 };
    this.#running.set(id, running);
    return running;
  }
}
