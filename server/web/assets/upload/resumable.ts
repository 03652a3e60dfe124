import { type DetailedError, Upload } from "tus-js-client";
import { readStart } from "./start.ts";

/** How much is sent at a time. */
const pieceBytes = 8 * 1024 * 1024;

/** What this browser remembers of an upload, so that after a reload the upload of the same file resumes. */
interface Remembered {
  /** A path, because the server may be reached by several names; the page's own is the one its policy allows. */
  url: string;
  name: string;
  size: number;
  lastModified: number;
}

/** The server did not take what was sent, or did not answer the question how far the upload is. */
export class Refusal extends Error {
  readonly status: number;
  /** Whether the same request may succeed later. */
  readonly mayPass: boolean;
  /** The server was asked for an upload that it does not know any more. */
  readonly isGone: boolean;

  constructor(status: number, text: string, method: string) {
    super(messageIn(text) ?? `The server returned status ${status}.`);
    this.status = status;
    // A piece that does not fit is sent again from where the server is; a slot that takes no video will not take it later.
    this.mayPass = [423, 429].includes(status) || status >= 500 || (status === 409 && method === "PATCH");
    this.isGone = method === "HEAD" && [404, 410].includes(status);
  }
}

function messageIn(text: string): string | undefined {
  try {
    return (JSON.parse(text) as { error: { message: string } }).error.message;
  } catch {
    return undefined;
  }
}

const pathOf = (url: string) => new URL(url, location.href).pathname;
const connectionLost = () => new Error("The connection was lost.");

/** What an error of the library stands for: a refusal, a failure of our own while it sent, or a lost connection. */
function reasonOf(error: Error | DetailedError): Error {
  const { originalResponse: reply, originalRequest: request, causingError } = error as Partial<DetailedError>;
  if (reply) return new Refusal(reply.getStatus(), reply.getBody(), request!.getMethod());
  return causingError instanceof Error ? causingError : connectionLost();
}

/** What `send` tells about its progress. */
export interface Watch {
  /** How many bytes were sent so far. */
  sent(bytes: number): void;
  /** The server has another piece. */
  arrived(): void;
}

/** Where a file is sent to. */
export interface Destination {
  /** The path that begins an upload. */
  endpoint: string;
  /** What this browser remembers an upload by. */
  memory: string;
  /** What the server is told about a new upload, besides the name and type of the file. */
  describe?(file: File): Promise<Record<string, string>>;
}

/**
 * An upload by the resumable protocol tus 1.0, in pieces. The session's cookie and the page's form token say who sends. It tries nothing
 * again by itself: the page decides that, and says it.
 */
export class ResumableUpload {
  #endpoint: string;
  #headers: Record<string, string>;
  #memoryName: string;
  #describe: NonNullable<Destination["describe"]>;
  #stop: () => void = () => {};

  constructor({ endpoint, memory, describe = async () => ({}) }: Destination, csrf: string) {
    this.#endpoint = endpoint;
    this.#headers = { "X-CSRF-Token": csrf };
    this.#memoryName = `playtest upload ${memory}`;
    this.#describe = describe;
  }

  remembered(): Remembered | null {
    return JSON.parse(localStorage.getItem(this.#memoryName) ?? "null") as Remembered | null;
  }

  #remember(url: string, { name, size, lastModified }: File): void {
    localStorage.setItem(this.#memoryName, JSON.stringify({ url, name, size, lastModified } satisfies Remembered));
  }

  forget(): void {
    localStorage.removeItem(this.#memoryName);
  }

  /** Whether the server has an upload of this file, with what was sent of it. */
  keeps(file: File): boolean {
    const known = this.remembered();
    return known?.name === file.name && known.size === file.size && known.lastModified === file.lastModified;
  }

  /** Stops what is being sent, whose promise is rejected. */
  abort(): void {
    this.#stop();
  }

  /** How far an upload is; undefined when the server does not know it any more, which is then forgotten. */
  async offsetOf(url: string): Promise<number | undefined> {
    const reply = await fetch(url, { method: "HEAD", headers: { ...this.#headers, "Tus-Resumable": "1.0.0" } }).catch(() => {
      throw connectionLost();
    });
    if (reply.ok) return Number(reply.headers.get("Upload-Offset"));
    const refusal = new Refusal(reply.status, "", "HEAD");
    if (!refusal.isGone) throw refusal;
    this.forget();
    return undefined;
  }

  /** Sends what is missing of the file. Rejects with a `Refusal`, with `Unusable`, or with an error for a lost connection. */
  async send(file: File, watch: Watch): Promise<void> {
    const known = this.keeps(file) ? this.remembered() : null;
    try {
      await this.#transfer(file, known?.url, watch);
    } catch (reason) {
      if (!(reason instanceof Refusal && reason.isGone)) throw reason;
      this.forget();
      await this.#transfer(file, undefined, watch);
    }
  }

  async #transfer(file: File, url: string | undefined, watch: Watch): Promise<void> {
    let isStopped = false;
    this.#stop = () => {
      isStopped = true;
    };
    const described = url === undefined ? await this.#describe(file) : {};
    if (isStopped) throw connectionLost();
    return new Promise((resolve, reject) => {
      const upload = new Upload(file, {
        // With an endpoint, the library would start over whatever the server refuses.
        ...(url === undefined ? { endpoint: this.#endpoint } : { uploadUrl: url }),
        headers: this.#headers,
        metadata: { filename: file.name, ...(file.type && { filetype: file.type }), ...described },
        chunkSize: pieceBytes,
        retryDelays: null,
        storeFingerprintForResuming: false,
        onUploadUrlAvailable: () => {
          upload.url = pathOf(upload.url!);
          this.#remember(upload.url, file);
        },
        async onBeforeRequest(request) {
          if (request.getMethod() === "PATCH") await readStart(file);
          if (isStopped) throw connectionLost();
        },
        onProgress: (sent) => watch.sent(sent),
        onChunkComplete: () => watch.arrived(),
        onSuccess: () => resolve(),
        onError: (error) => reject(reasonOf(error)),
      });
      this.#stop = () => {
        isStopped = true;
        void upload.abort();
        reject(connectionLost());
      };
      upload.start();
    });
  }
}
