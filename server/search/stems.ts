import { stemmer as danish } from "@orama/stemmers/danish";
import { stemmer as dutch } from "@orama/stemmers/dutch";
import { stemmer as english } from "@orama/stemmers/english";
import { stemmer as finnish } from "@orama/stemmers/finnish";
import { stemmer as french } from "@orama/stemmers/french";
import { stemmer as german } from "@orama/stemmers/german";
import { stemmer as italian } from "@orama/stemmers/italian";
import { stemmer as norwegian } from "@orama/stemmers/norwegian";
import { stemmer as portuguese } from "@orama/stemmers/portuguese";
import { stemmer as russian } from "@orama/stemmers/russian";
import { stemmer as spanish } from "@orama/stemmers/spanish";
import { stemmer as swedish } from "@orama/stemmers/swedish";
import { compared } from "./rules.ts";

/** Nobody says in which language a text is: a word has a stem in each language of its script, in this order. */
const byScript = [
  {
    script: /^[\p{Script=Latin}\p{M}']+$/u,
    stemmers: [danish, dutch, english, finnish, french, german, italian, norwegian, portuguese, spanish, swedish],
  },
  { script: /^[\p{Script=Cyrillic}\p{M}']+$/u, stemmers: [russian] },
];

function computed(spelling: string): string {
  const { stemmers = [] } = byScript.find(({ script }) => script.test(spelling)) ?? {};
  return stemmers.map((stem) => compared(stem(spelling))).join(" ");
}

/** Words that were stemmed lately: a text has most of its words from others, and all stemmers together take a while. */
const known = new Map<string, string>();
const mostKnown = 20_000;

/** The stems of a word, separated by spaces; none for a word of another script or with digits. */
export function stemsOf(spelling: string): string {
  const before = known.get(spelling);
  if (before !== undefined) return before;
  const stems = computed(spelling);
  if (known.size >= mostKnown) known.clear();
  known.set(spelling, stems);
  return stems;
}
