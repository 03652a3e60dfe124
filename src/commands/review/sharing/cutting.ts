import { extname, isAbsolute, join } from "node:path";
import { webUrl } from "../../../api/url.ts";
import type { Context } from "../../../cli/define.ts";
import type { CutLimit } from "../../../contract/states/index.ts";
import { cutFailure } from "../../../contract/text/cut-failure.ts";
import { failure, stillPending } from "../../../errors.ts";
import { download } from "../../../io/files/download.ts";
import { downloadWay } from "../../shared/video/download-way.ts";

/** Waiting for what a server cuts out of a video, and saving it. */

interface Cut {
  status: string;
  limit?: CutLimit | null;
  downloadUrl: string | null;
}

interface Waiting<T extends Cut> {
  /** Such as `clip 1f…`. */
  what: string;
  /** As the server showed it last. */
  found: T;
  refetch(): Promise<T>;
  /** What to do when it takes long. */
  later: string;
}

const pollMs = 1_000;
const patienceMs = 10 * 60_000;

/** What is cut, when it is ready. Exit code 8 if that takes long, 1 if it could not be cut. */
export async function finished<T extends Cut>(ctx: Context, { what, found, refetch, later }: Waiting<T>): Promise<T> {
  const progress = await ctx.progress();
  const until = ctx.now() + patienceMs;
  let shown = found;
  try {
    while (shown.status === "pending" && ctx.now() < until) {
      progress.update(`Cutting the ${what.split(" ")[0]}`);
      await ctx.sleep(pollMs, ctx.signal);
      shown = await refetch();
    }
  } finally {
    progress.done();
  }
  const name = what.charAt(0).toUpperCase() + what.slice(1);
  if (shown.status === "pending") throw stillPending(`${name} is still being cut.`, later);
  if (shown.status === "failed") {
    const because = shown.limit ? `: ${cutFailure(shown.limit)}` : "";
    throw failure(`${name} could not be cut${because}.`, "The log of the server says why: ask its operator.");
  }
  return shown;
}

interface Saving {
  refetch(): Promise<Cut>;
  size: number | null;
  /** What --save names. */
  output: string;
  extension: string;
}

/** Saves the file under the path that --save names. Returns that path. */
export async function save(ctx: Context, { refetch, size, output, extension: usual }: Saving): Promise<string> {
  const path = isAbsolute(output) ? output : join(ctx.io.cwd(), output);
  const extension = extname(path) || usual;
  const link = async () => webUrl((await refetch()).downloadUrl ?? "").href;
  const source = { size: size ?? undefined, link, way: downloadWay(ctx), onBytes: () => {} };
  return download({ ...source, stem: path.slice(0, path.length - extname(path).length), extension, otherwise: usual });
}
