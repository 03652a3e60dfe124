/** What every benchmark shares: two or more things measured in turn in one run, and their medians. */
export interface Contender {
  name: string;
  /** One measurement; the figure is whatever the benchmark compares (requests a second, milliseconds). */
  run(): Promise<number>;
}

export const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;

/** Measures A B A B … `rounds` times and returns the median of each. The first round warms up and is thrown away. */
export async function inTurn(contenders: readonly Contender[], rounds = 5): Promise<Map<string, number>> {
  const figures = new Map<string, number[]>(contenders.map(({ name }) => [name, []]));
  for (let round = 0; round <= rounds; round++)
    for (const { name, run } of contenders) {
      const figure = await run();
      if (round > 0) figures.get(name)!.push(figure);
    }
  return new Map([...figures].map(([name, values]) => [name, median(values)]));
}

/** One line of the table that `npm run bench` prints. */
export interface Figure {
  name: string;
  what: string;
  ratio: number;
  goal: string;
  met: boolean;
  raw: string;
}
