import type { IncomingMessage } from "node:http";
import type { PageHandler } from "../http/listener.ts";

/** Handles all paths that begin with one segment. Throws an ApiError for a path that does not exist. */
export type Page = PageHandler;

/** The fields of a posted form. */
export type Form = Readonly<Record<string, string | undefined>>;

export type ReadForm = (request: IncomingMessage) => Promise<Form>;
