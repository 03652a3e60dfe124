/** A number with its noun: `1 slot`, `2 slots`, `3 people`. */
export const plural = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;
