import { createHash, type Hash } from "node:crypto";

/** Uploads whose hash is kept as they come; beyond that the file is read again at the end. */
const maxKept = 200;

/**
 * SHA-256 of uploads, computed while they arrive: reading two gigabytes again at the end would take as long as sending them. Only of
 * uploads whose every byte came through this process, in order; of any other the file must be read.
 */
export class RunningHashes {
  readonly #kept = new Map<string, { hash: Hash; bytes: number }>();

  /** Takes what arrives behind the first `before` bytes. */
  follow(id: string, before: number): (chunk: Uint8Array) => void {
    const kept = this.#kept.get(id) ?? this.#start(id, before);
    if (kept?.bytes !== before) {
      this.forget(id);
      return () => {};
    }
    return (chunk) => {
      kept.hash.update(chunk);
      kept.bytes += chunk.length;
    };
  }

  /** In hex; undefined unless exactly `size` bytes went by. */
  take(id: string, size: number): string | undefined {
    const kept = this.#kept.get(id);
    this.forget(id);
    return kept?.bytes === size ? kept.hash.digest("hex") : undefined;
  }

  forget(id: string): void {
    this.#kept.delete(id);
  }

  #start(id: string, before: number) {
    if (before > 0) return undefined;
    if (this.#kept.size >= maxKept) this.forget(this.#kept.keys().next().value!);
    const kept = { hash: createHash("sha256"), bytes: 0 };
    this.#kept.set(id, kept);
    return kept;
  }
}
