import type { Role } from "../../../src/contract/endpoint.ts";
import { ApiError } from "../../lib/api-error.ts";

/** Somebody signed in where accounts of their role have no pages. */
export class OtherRole extends ApiError {
  readonly role: Role;

  constructor(role: Role) {
    super("FORBIDDEN", "This account signs in elsewhere. You are not signed in.");
    this.role = role;
  }
}
