import * as z from "zod";
import { described } from "./fields.ts";

const words = (description: string, initial: string[]) =>
  described(z.array(z.string().min(1).max(100)).max(500).default(initial), description, {
    expected: "a list of words and phrases",
  });

const language = (name: string, confusion: string[], delight: string[]) =>
  described(
    z
      .strictObject({
        confusion: words("Words and phrases of players who are lost: a highlight counts the cues that have them.", confusion),
        delight: words("The same of players who like what they see.", delight),
      })
      .prefault({}),
    name,
  );

/**
 * The settings of the search for parts of videos that are worth a look: words by language. The lists of all languages count in every video,
 * because players of a game speak several, and its transcript does not say which.
 */
export const highlights = z.strictObject({
  da: language("Danish", ["hvor skal jeg", "forstår ikke", "ingen anelse"], ["fantastisk", "hvor fedt"]),
  de: language(
    "German",
    ["was soll", "wo muss ich", "keine Ahnung", "verstehe ich nicht"],
    ["geil", "wunderschön", "richtig cool"],
  ),
  en: language(
    "English",
    ["what?", "where do I", "how do I", "I don't get", "I don't understand", "no idea", "confused", "I'm lost", "stuck"],
    ["wow", "awesome", "amazing", "love it", "love this", "so cool", "beautiful", "nice one"],
  ),
  es: language(
    "Spanish",
    ["no entiendo", "estoy perdido", "estoy perdida", "ni idea"],
    ["me encanta", "increíble", "qué bonito"],
  ),
  fi: language("Finnish", ["en ymmärrä", "minne pitää", "ei mitään hajua"], ["mahtavaa", "upea"]),
  fr: language("French", ["je ne comprends pas", "je suis perdu", "aucune idée"], ["génial", "j'adore", "magnifique"]),
  it: language("Italian", ["non capisco", "mi sono perso", "non ho idea"], ["bellissimo", "fantastico"]),
  nl: language("Dutch", ["snap ik niet", "waar moet ik", "geen idee"], ["geweldig", "prachtig"]),
  no: language("Norwegian", ["skjønner ikke", "hvor skal jeg", "aner ikke"], ["fantastisk", "kjempebra"]),
  pt: language("Portuguese", ["não entendo", "estou perdido", "não faço ideia"], ["adorei", "incrível"]),
  ru: language("Russian", ["не понимаю", "куда идти", "что делать"], ["круто", "красиво"]),
  sv: language("Swedish", ["förstår inte", "vart ska jag", "ingen aning"], ["fantastiskt", "jättebra"]),
  other: language("Any other language", [], []),
});
