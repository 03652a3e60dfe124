/** A new SHA-256 hash. Loads the cryptography of Node.js only now: it takes 3 ms, and few commands need it. */
export const sha256 = () => process.getBuiltinModule("node:crypto").createHash("sha256");
