import { expect, it } from "vitest";
import { apiErrorOf, failureText } from "../../server/http/reply.ts";
import { shortageOf } from "../../src/contract/text/shortages.ts";
import { cannotWrite, explained } from "../../src/errors.ts";

const systemError = (code: string, path?: string) => Object.assign(new Error(`${code}: told by the system`), { code, path });

it.each([
  ["ENOSPC", "the disk is full", "Free some space on the disk of /srv/data."],
  ["EDQUOT", "the disk quota is used up", "Free some space on the disk of /srv/data, or raise its quota."],
  ["EROFS", "the file system is read-only", "Make the disk of /srv/data writable, or use another."],
  ["EFBIG", "the file would be larger than this process may write", "Raise the limit of file sizes"],
  ["EMFILE", "this process has as many open files and connections as it may have", "Raise the limit of open files"],
  ["ENFILE", "this computer has too many open files", "Close other programs"],
])("shortage: %s is a 503 with its cause and a remedy for the operator", (code, what, remedy) => {
  const error = systemError(code, "/srv/data/video.mp4");
  expect(shortageOf(error)).toMatchObject({ what, remedy: expect.stringContaining(remedy) });
  expect(apiErrorOf(error)).toMatchObject({
    status: 503,
    headers: { "Retry-After": "5" },
    message: expect.stringContaining(what),
  });
  expect(failureText("request", error, "/srv")).toContain(`request failed: ${what}. ${remedy}`);
  expect(explained(error)).toMatchObject({ exitCode: 1, extra: { hint: expect.stringContaining(remedy) } });
  expect(cannotWrite("/srv/data/video.mp4", error).message).toBe(`Cannot write /srv/data/video.mp4: ${what}.`);
});

it("shortage: an error that names no file is about the data directory, and a thread that cannot start about open files", () => {
  expect(shortageOf(systemError("ENOSPC"))?.remedy).toBe("Free some space on the disk of the data directory.");
  const thread = Object.assign(new Error("Worker initialization failure: EMFILE"), { code: "ERR_WORKER_INIT_FAILED" });
  expect(shortageOf(thread)?.what).toContain("open files");
});

it("shortage: an error of copying or moving is about the folder that is written to", () => {
  const copying = Object.assign(systemError("ENOSPC", "/home/ada/video.mp4"), { dest: "/srv/data/video.mp4" });
  expect(shortageOf(copying)?.remedy).toBe("Free some space on the disk of /srv/data.");
});

it.each([systemError("ENOENT", "/srv/x"), systemError("toString"), new Error("ENOSPC"), "ENOSPC"])(
  "shortage: %s is none",
  (error) => {
    expect([shortageOf(error), explained(error), apiErrorOf(error).status]).toEqual([undefined, error, 500]);
  },
);
