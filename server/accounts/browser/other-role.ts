import type { Role } from "../../../src/contract/endpoint.ts";
import { Problem } from "../../lib/problem.ts";

/** Somebody signed in where accounts of their role have no pages. */
export class OtherRole extends Problem {
  readonly role: Role;

  constructor(role: Role) {
    super("FORBIDDEN", "This account signs in elsewhere. You are not signed in.");
    this.role = role;
  }
}
