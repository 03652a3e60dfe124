import { readFileSync } from "node:fs";
import { createSecureContext } from "node:tls";
import { ConfigError } from "../config/read.ts";
import type { Log } from "../lib/log.ts";

interface Context {
  cert: Buffer;
  key: Buffer;
}

/** The certificate of a server that speaks TLS itself. */
export interface Certificate {
  read(): Context;
  /** Calls `use` with the new files at each SIGHUP, which whatever renews certificates sends. */
  onChange(use: (context: Context) => void): void;
}

/** Throws ConfigError where the files are no certificate with its key. */
export function certificateFrom(certFile: string, keyFile: string, log: Log): Certificate {
  const read = (undone = ""): Context => {
    const context = { cert: contents(certFile, "--tls-cert", undone), key: contents(keyFile, "--tls-key", undone) };
    try {
      createSecureContext(context);
    } catch (cause) {
      throw new ConfigError(
        `${certFile} and ${keyFile} are not a certificate and its key: ${(cause as Error).message}.${undone} Pass files in the PEM format, the certificate with its chain.`,
        { cause },
      );
    }
    return context;
  };
  read(" The server was not started.");
  return {
    read: () => read(),
    onChange: (use) => {
      process.on("SIGHUP", () => {
        try {
          use(read());
          log.info({ file: certFile }, "the certificate was read again");
        } catch (err) {
          log.error({ err }, "the certificate could not be read again: the previous one stays in use");
        }
      });
    },
  };
}

function contents(path: string, flag: string, undone: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new ConfigError(
      `${flag} ${path} cannot be read: ${(cause as Error).message}.${undone} Correct the path or the permissions of the file.`,
      { cause },
    );
  }
}
