import * as z from "zod";
import { described } from "./fields.ts";

const words = (description: string, initial: string[]) =>
  described(z.array(z.string().min(1).max(100)).max(500).default(initial), description, {
    expected: "a list of words and phrases",
  });

/** The settings of the search for parts of videos that are worth a look. */
export const highlights = z.strictObject({
  confusion: words("Words and phrases of players who are lost, in any language: a highlight counts the cues that have them.", [
    ...["what?", "where do I", "how do I", "I don't get", "I don't understand", "no idea", "confused", "I'm lost", "stuck"],
    ...["was soll", "wo muss ich", "keine Ahnung", "verstehe ich nicht", "je ne comprends pas", "je suis perdu"],
    ...["no entiendo", "estoy perdido", "non capisco", "não entendo"],
  ]),
  delight: words("The same of players who like what they see.", [
    ...["wow", "awesome", "amazing", "love it", "love this", "so cool", "beautiful", "nice one"],
    ...["geil", "wunderschön", "génial", "j'adore", "me encanta", "increíble", "bellissimo", "adorei"],
  ]),
});
