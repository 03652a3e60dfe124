import { offerCopies } from "./shared/copies.ts";

/** For pages without a script of their own: what is shown to be copied gets its buttons. */
offerCopies();
