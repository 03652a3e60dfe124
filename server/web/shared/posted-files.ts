import type { IncomingMessage } from "node:http";
import type { Caller } from "../../http/call.ts";
import type { PostedFile } from "../../uploads/posted.ts";
import { staleForm, textsOf } from "../form.ts";
import { isFormTokenOf, runAction } from "./pages.ts";
import type { PageContext, Route, View } from "./types.ts";

/** Reads the fields of a form up to its file. The file itself is not read yet. */
export type ReadFileForm = (request: IncomingMessage) => Promise<PostedFile>;

interface Taken<C extends PageContext> {
  readFileForm: ReadFileForm;
  /** Stores the file as what the id in the path says, for the account that is signed in. */
  store(caller: Caller, id: string, file: PostedFile): Promise<void>;
  /** Where the form leads when the file is stored. */
  done(id: string): string;
  /** What is shown again when it is refused. */
  view: View<C>;
}

/** Handles a form with a file, as browsers without scripts post it. No operation of the API accepts one, so it is stored here. */
export const takesFile =
  <C extends PageContext>({ readFileForm, store, done, view }: Taken<C>): NonNullable<Route<C>["serve"]> =>
  async (exchange, context) => {
    const { request, response, session } = exchange;
    const posted = await readFileForm(request);
    const file = { ...posted, fields: textsOf(Object.entries(posted.fields)) };
    if (!isFormTokenOf(exchange, file.fields.csrf)) {
      void file.skip();
      throw staleForm();
    }
    const run = async () => {
      await store(session.caller!, context.id, file);
      return done(context.id);
    };
    await runAction(response, run, { view }, { ...context, form: file.fields });
  };
