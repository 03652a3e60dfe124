import { readFileSync } from "node:fs";
import type { Document } from "./document.ts";
import { type TopicName, topicList } from "./list.ts";
import { parseMarkdown } from "./markdown.ts";

/** The text of every topic. The build ships this module's value, so that the program needs neither the files nor a parser. */
export const topics = Object.fromEntries(
  topicList.map(({ name }) => [name, parseMarkdown(readFileSync(new URL(`${name}.md`, import.meta.url), "utf8"))]),
) as Record<TopicName, Document>;
