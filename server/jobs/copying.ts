import type { Deps } from "../app/deps.ts";
import { freeBytes } from "../lib/free-space.ts";

/** A stored file was not copied, because the copy would leave the disk less than the server needs for the rest. */
class NoRoom extends Error {
  constructor() {
    super("too little free disk space for a copy of the video");
  }
}

/** For a job that borrows a stored file: where that takes a copy for which the disk has no room, nothing is copied and NoRoom is thrown. */
export const withRoom = ({ config, dataDir, draining }: Deps) => ({
  signal: draining,
  async beforeCopy(bytes: number) {
    if ((await freeBytes(dataDir)) - bytes < config.uploads.minFreeBytes) throw new NoRoom();
  },
});
