import { afterEach } from "vitest";
import { cleanUp } from "../helpers/after-each.ts";

afterEach(cleanUp);
