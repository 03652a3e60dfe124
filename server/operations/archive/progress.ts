/** Says how far a step is, in bytes or rows; throws when the work is to end. */
export type OnProgress = (step: string, done: number, total?: number) => void;
