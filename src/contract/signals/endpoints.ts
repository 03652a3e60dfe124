import * as z from "zod";
import { endpoint } from "../endpoint.ts";
import { faultKinds } from "./kinds.ts";

const series = (description: string) => z.array(z.number()).nullable().meta({ description });
const position = () => z.int().min(0);

const fact = z
  .strictObject({
    kind: z.enum(faultKinds).meta({
      description:
        "`silence`: no sound for a minute or more. `black`: for 5 seconds or more. `frozen`: the picture is frozen for a minute or more. `short`: shorter than booked. `no_sound`, `no_picture`: all of it.",
    }),
    fromMs: position().meta({ description: "Where it begins in the video, in milliseconds." }),
    toMs: position().meta({ description: "Where it ends." }),
    text: z.string().meta({ description: "The same in words." }),
  })
  .meta({ id: "RecordingFact" });

export const signals = {
  getSlotSignals: endpoint("GET /slots/:id/signals", {
    access: { anyOf: ["game_owner", "playtester"] },
    extension: true,
    summary: "Show what was measured of a video, second by second, and what looks wrong; 404 until it is measured",
    reply: z.strictObject({
      signals: z.strictObject({
        stepMs: z.literal(1000).meta({ description: "Length of each step, in milliseconds." }),
        loudnessDb: series("Loudness of each step in dB below full scale, -120 for silence; null without sound."),
        motion: series(
          "How much each step differs from the one before, from 0, the same picture, to 255; null without a picture.",
        ),
        speech: series("1 where something is said by the transcript, else 0; null without a transcript."),
      }),
      facts: z.array(fact).meta({ description: "What looks wrong, in the order of the video." }),
    }),
  }),
};
