import { setFlagsFromString } from "node:v8";

/**
 * For long work on very many things: collect what is done with early. Else the heap first grows to several times what is in use, and
 * ten thousand orders take 170 MB instead of 110.
 */
export const keepMemorySmall = () => setFlagsFromString("--optimize-for-size");
