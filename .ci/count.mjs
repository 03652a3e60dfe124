// Names each test that failed, adds up the runner's reports and prints the line that closes CI. A skipped or a missing test counts as a failure.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** What is printed of one failure, in characters: the end of CI's output is all that some readers keep. */
const excerpt = 600;

const [folder] = process.argv.slice(2);
const reports = readdirSync(folder).map((name) => ({ name, ...JSON.parse(readFileSync(join(folder, name), "utf8")) }));
const sum = (field) => reports.reduce((total, report) => total + report[field], 0);
const [passed, failed, left] = [sum("numPassedTests"), sum("numFailedTests"), sum("numPendingTests") + sum("numTodoTests")];
const brokenFiles = reports.filter((report) => !report.success).length;

for (const { name, testResults } of reports) {
  for (const file of testResults.filter(({ status }) => status === "failed")) {
    console.log(`failed in ${name}: ${file.name}`);
    if (file.message) console.log(`  ${file.message.slice(0, excerpt)}`);
    for (const test of file.assertionResults.filter(({ status }) => status === "failed")) {
      console.log(`  ${test.fullName}\n    ${test.failureMessages.join("\n").slice(0, excerpt)}`);
    }
  }
}
if (reports.length < 3) console.log(`only ${reports.length} of 3 reports are there`);
if (left > 0) console.log(`${left} tests were not run`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || left > 0 || brokenFiles > 0 || reports.length < 3 || passed === 0 ? 1 : 0;
