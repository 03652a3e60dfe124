import { signatureBytes } from "../../../../src/contract/files/inspect-video.ts";

/** The chosen file cannot be sent, and trying again would not help. */
export class Unusable extends Error {}

/** A part of a file. Fails for one that was moved, changed or removed since it was chosen. */
export async function readPart(file: File, start: number, end: number): Promise<Uint8Array> {
  try {
    return new Uint8Array(await file.slice(start, end).arrayBuffer());
  } catch {
    throw new Unusable(`${file.name} cannot be read. It was moved or changed since you chose it. Choose it again.`);
  }
}

/** The first bytes of a file, which tell what it is. */
export const readStart = (file: File): Promise<Uint8Array> => readPart(file, 0, signatureBytes);
