import { dirname } from "node:path";
import { type ProgramOptions, runProgram } from "../lib/program.ts";
import type { Transcriber } from "./transcriber.ts";

export interface CommandOptions extends Pick<ProgramOptions, "timeoutMs" | "maxOutputBytes" | "memoryBytes" | "environment"> {
  /** Program and arguments. `{video}` in an argument is replaced by the path; without it the path is the last argument. */
  command: readonly string[];
}

/** Runs a configured program for each video and returns what it prints. */
export function createCommandTranscriber(options: CommandOptions): Transcriber {
  return {
    transcribe: (videoPath, stop) =>
      runProgram(argumentsFor(options.command, videoPath), { ...options, cwd: dirname(videoPath) }, stop),
  };
}

function argumentsFor(command: readonly string[], videoPath: string): string[] {
  const placed = command.map((argument, index) => (index === 0 ? argument : argument.replaceAll("{video}", videoPath)));
  return command.slice(1).some((argument) => argument.includes("{video}")) ? placed : [...placed, videoPath];
}
