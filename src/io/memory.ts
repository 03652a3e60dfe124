import { setFlagsFromString } from "node:v8";

/**
 * Collects garbage early, for long work on many items. Otherwise the heap first grows to several times what is in use: ten thousand
 * orders take 170 MB instead of 110 MB.
 */
export const keepMemorySmall = () => setFlagsFromString("--optimize-for-size");
