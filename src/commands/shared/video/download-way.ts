import type { Context } from "../../../cli/define.ts";
import type { DownloadWay } from "../../../io/files/download.ts";

/** How a command downloads files: for as long and as often as its flags say. */
export function downloadWay({ settings, send, sleep, now, random, trace, signal }: Context): DownloadWay {
  const numberOf = (name: "timeout" | "retries" | "maxWait") => settings().get(name)!.value;
  const [timeout, maxWait] = [numberOf("timeout") * 1000, numberOf("maxWait") * 1000];
  return { send, sleep, now, random, trace, signal, timeout, retries: numberOf("retries"), maxWait };
}
