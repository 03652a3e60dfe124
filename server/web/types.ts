import type { IncomingMessage } from "node:http";
import type { PageHandler } from "../http/listener.ts";

/** Answers everything below one first segment of the path; throws a Problem where there is nothing. */
export type Page = PageHandler;

/** The fields of a posted form. */
export type Form = Readonly<Record<string, string | undefined>>;

export type ReadForm = (request: IncomingMessage) => Promise<Form>;
