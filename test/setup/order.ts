import { BaseSequencer, type TestSpecification } from "vitest/node";

/** In which order projects start: last those whose files are many and short, so that no worker is left alone with a long one. */
const order = ["unit", "faults", "browser", "soak", "model", "restricted", "store", "cli", "api"];

/** Within a project the longest files first, as by default. */
export class SmallestLast extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.sort((a, b) => order.indexOf(a.project.name) - order.indexOf(b.project.name));
  }
}
