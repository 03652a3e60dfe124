import type { Group } from "../../cli/define.ts";
import { accept } from "./accept.ts";
import { cancel } from "./cancel.ts";
import { download } from "./download.ts";
import { list } from "./list.ts";
import { next } from "./next.ts";
import { remove as notesDelete, edit as notesEdit } from "./notes/change.ts";
import { list as notesList } from "./notes/list.ts";
import { note } from "./notes/note.ts";
import { pushNotes } from "./notes/push.ts";
import { problems } from "./problems.ts";
import { reject } from "./reject.ts";
import { highlights } from "./report/highlights.ts";
import { report } from "./report/report.ts";
import { search } from "./search/search.ts";
import { clipCommands } from "./sharing/clip.ts";
import { publicationCommands } from "./sharing/publication.ts";
import { reel } from "./sharing/reel/reel.ts";
import { shareCommands } from "./sharing/share.ts";
import { stillCommands } from "./sharing/still.ts";
import { show } from "./show.ts";
import { stats } from "./stats.ts";
import { transcript } from "./transcript.ts";
import { unblock } from "./unblock.ts";
import { url } from "./url.ts";
import { watch } from "./watch.ts";

export const review: Group = {
  commands: [
    list,
    show,
    next,
    accept,
    reject,
    problems,
    unblock,
    cancel,
    url,
    transcript,
    note,
    notesList,
    notesEdit,
    notesDelete,
    pushNotes,
    ...shareCommands,
    ...publicationCommands,
    search,
    report,
    highlights,
    ...clipCommands,
    reel,
    ...stillCommands,
    download,
    watch,
    stats,
  ],
  fallback: "list",
};
