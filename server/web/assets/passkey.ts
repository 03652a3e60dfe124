import { readFileSync } from "node:fs";

/** The script that asks the browser for a passkey. The build replaces the path by the text of the file. */
export const passkeyScript = readFileSync(new URL("passkey.js", import.meta.url), "utf8");
