import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { isAbsolute, join } from "node:path";

/** Never relative to the current folder, where a build that is being packed may be. */
const systemFolder = () => (isAbsolute(tmpdir()) ? tmpdir() : "/tmp");

/** Creates a temporary folder that only this user may enter. */
export const temporaryFolder = (name: string) => mkdtemp(join(systemFolder(), `playtest-${name}-`));
