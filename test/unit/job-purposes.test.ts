import { expect, it } from "vitest";
import { jobKinds } from "../../server/app/jobs.ts";
import { purposeOf } from "../../server/jobs/purposes.ts";

it("every kind of background job says what it does", () => {
  expect(Object.keys(jobKinds).filter((kind) => purposeOf(kind) === kind)).toEqual([]);
});
