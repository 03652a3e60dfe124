/**
 * A text that a person wrote cannot be used. The message says what is wrong with it and what was not done, `hint` what to do next. The
 * command reports it as a usage error; a page says it above its form.
 */
export class Refused extends Error {
  override readonly name = "Refused";
  readonly hint: string | undefined;
  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}
