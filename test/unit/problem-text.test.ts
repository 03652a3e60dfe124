import { expect, it } from "vitest";
import { ApiError, conflict, invalid } from "../../server/lib/api-error.ts";
import { errorText } from "../../server/web/shared/error-text.ts";

it.each([
  [invalid("iban", "is not a valid IBAN"), "The IBAN is not a valid IBAN."],
  [
    invalid("newEmail", "is the email address of the account already"),
    "The new email is the email address of the account already.",
  ],
  [invalid("events.2", "must not be empty"), "The events must not be empty."],
  [invalid("profile.displayName", "is required"), "The display name is required."],
  [
    new ApiError("VALIDATION_ERROR", "email: is required", {
      details: [
        { field: "email", message: "is required" },
        { field: "password", message: "must have 8 characters or more" },
      ],
    }),
    "The email is required. The password must have 8 characters or more.",
  ],
  [conflict("The slot is taken. Nothing was claimed."), "The slot is taken. Nothing was claimed."],
  [
    conflict("You have a slot at 2026-12-04T18:00:00.000Z already, and cannot play both."),
    "You have a slot at Fri 2026-12-04 18:00, UTC already, and cannot play both.",
  ],
  [conflict('The ref "2026-12-04T18:00:00.000Z" is already used.'), 'The ref "2026-12-04T18:00:00.000Z" is already used.'],
  [conflict("2026-13-04T18:00:00.000Z is no time."), "2026-13-04T18:00:00.000Z is no time."],
  [
    new ApiError("CONFLICT", "The playtest has no open slots.", { details: [{ field: "slots", message: "are taken" }] }),
    "The playtest has no open slots.",
  ],
])("a page says of %s: %s", (problem, text) => expect(errorText(problem)).toBe(text));
