import * as z from "zod";
import { country, extension } from "../fields.ts";
import { deviceNames } from "../games.ts";
import { ageBands, languageCode } from "./audience-text.ts";

/** A language without a region: people are asked for what they speak, and `de` is spoken in several countries. */
const spoken = () =>
  z
    .string()
    .toLowerCase()
    .overwrite((code) => languageCode(code) ?? code)
    .refine((code) => languageCode(code) === code, "must be the code of a language without a region, such as de")
    .meta({ minLength: 2, maxLength: 3, format: "iso639" });

const distinct = <T extends z.ZodType>(type: T, max: number) =>
  z
    .array(type)
    .max(max)
    .overwrite((values) => [...new Set(values)]);

const countries = () => distinct(country(), 300);
const languages = () => distinct(spoken(), 50);
const devices = () => distinct(z.enum(deviceNames), deviceNames.length);
const ages = () => distinct(z.enum(ageBands), ageBands.length);

/** What a playtester says about themselves in the profile: each is optional. */
export const traits = {
  country: extension(
    z.string().nullable().meta({ description: "Code of the country that a playtester is in; null if not said." }),
  ),
  languages: extension(z.array(z.string()).meta({ description: "Codes of the languages that a playtester speaks." })),
  devices: extension(z.array(z.enum(deviceNames)).meta({ description: "What a playtester can play on." })),
  ageBand: extension(z.enum(ageBands).nullable().meta({ description: "Age band of a playtester; null if not said." })),
};

export const traitChanges = {
  country: country()
    .nullable()
    .optional()
    .meta({ description: "Country that you are in, such as DE; some playtests are only for some countries. Null removes it." }),
  languages: languages()
    .optional()
    .meta({ description: "Languages that you speak, such as de and en; some playtests are only for those who speak one." }),
  devices: devices()
    .optional()
    .meta({ description: "What you can play on; some playtests are only for those who have a certain device." }),
  ageBand: z
    .enum(ageBands)
    .nullable()
    .optional()
    .meta({ description: "Age band; some games are tested only by players of a certain age. Null removes it." }),
};

/** Whom an order is for, by what playtesters say in their profiles. */
export const targets = {
  targetCountries: extension(
    countries().optional().meta({ description: "Only for playtesters in these countries, such as DE; default everyone." }),
  ),
  targetLanguages: extension(
    languages().optional().meta({ description: "Only for playtesters who speak one of these languages, such as de." }),
  ),
  targetDevices: extension(devices().optional().meta({ description: "Only for playtesters who have one of these devices." })),
  targetAges: extension(ages().optional().meta({ description: "Only for playtesters in these age bands." })),
};

/** The same of an order that was placed. Empty: everyone. */
export const targeted = {
  targetCountries: extension(z.array(z.string()).meta({ description: "Countries that it is only for; empty for all." })),
  targetLanguages: extension(
    z.array(z.string()).meta({ description: "Languages of which a playtester speaks one; empty for all." }),
  ),
  targetDevices: extension(
    z.array(z.enum(deviceNames)).meta({ description: "Devices of which a playtester has one; empty for all." }),
  ),
  targetAges: extension(z.array(z.enum(ageBands)).meta({ description: "Age bands that it is only for; empty for all." })),
};
