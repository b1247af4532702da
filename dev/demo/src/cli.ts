/** The whole procedure on real input: a pre-16 directory is checked, migrated, verified, and opened with 16. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { implementationAdapter, runSuite } from "@perdura/conformance";
import { summarizeData, summaryPage } from "@perdura/inspect";
import { migrate, planMigration, verifyMigration } from "@perdura/migrator";
import { compareWith, takeInventory } from "./compare.ts";
import { DECISIONS, layOutHome, METRICS, STATE_DIRECTORY } from "./home.ts";
import { emphasise, tableOf } from "./table.ts";

const place = mkdtempSync(join(tmpdir(), "perdura-demo-"));
const home = join(place, "home");
const failures: string[] = [];

/** The flags that decide about invalid rows. */
const WAYS = {
  patternIds: "repair with --pattern-ids assign, or --invalid-rows quarantine",
  nonFinite: "repair with --non-finite null or text, or --invalid-rows quarantine",
  timestamps: "repair with --timestamps drop-zone or utc, or --invalid-rows quarantine",
  none: "move to quarantine with --invalid-rows quarantine",
};

function step(title: string): void {
  console.log(`\n${emphasise("bold", title)}`);
}

function expect(holds: boolean, failure: string): void {
  if (!holds) failures.push(failure);
}

step("1. A directory with data of pre-16 programs");
layOutHome(home);
const inventory = takeInventory(home);
console.log(
  `   ${METRICS.length} metrics databases in two layouts, a pattern library in both formats, one with NaN written by Python, and`,
);
console.log(
  `   ${inventory.states.size} state files with names such as “o'brien”, “100%” and “👩‍💻”, one of them truncated.`,
);
console.log(`   Directory: ${home}`);

step("2. The conformance suite on both lines");
for (const name of ["perdura-15", "perdura-16"] as const) {
  const { summary } = await runSuite({ adapter: implementationAdapter(name) });
  const { pass, inapplicable } = summary.counts;
  console.log(
    `   ${summary.implementation}: ${pass} cases passed, ${inapplicable} belong to the other line: ${summary.conformant ? "conformant" : "NOT CONFORMANT"}`,
  );
  expect(
    summary.conformant,
    `${summary.implementation} is not conformant: ${summary.attention.map(({ id }) => id).join(", ")}`,
  );
}

step("3. The plan of a migration (nothing is written)");
const undecided = await planMigration([home]);
expect(undecided.exit_code === 3, `the plan without decisions ended with ${undecided.exit_code}: ${undecided.summary}`);
for (const { path, status, unusual_rows: unusual } of undecided.databases) {
  const open = unusual.filter(({ blocks }) => blocks);
  if (status !== "refused") continue;
  console.log(`   ${path.slice(home.length + 1)} needs a decision:`);
  for (const { rows, description, row_ids: ids, decision } of open)
    console.log(`      ${rows} × ${description} (${ids.join(", ")}): ${WAYS[decision ?? "none"]}`);
}
console.log("   With --invalid-rows quarantine and --non-finite text:");
const plan = await planMigration([home], DECISIONS);
for (const { path, layout_title: layout, status, steps } of plan.databases) {
  const [first] = steps;
  const work =
    status === "nothing_to_do"
      ? "nothing to do"
      : `${steps.length} steps${first === undefined ? "" : `, first: ${first}`}`;
  console.log(`   ${path.slice(home.length + 1)}: ${layout ?? "unknown"}: ${work}`);
}
for (const { path, entries } of plan.state_directories) {
  console.log(`   ${path.slice(home.length + 1)}/: collaboration states: ${entries} files to archive`);
}

step("4. The migration, each database in one transaction, after a backup");
const report = await migrate([home], DECISIONS);
console.log(`   ${report.summary}`);
expect(report.exit_code === 0, `the migration ended with ${report.exit_code}: ${report.summary}`);

step("5. The comparison with the backups, row by row");
const verification = await verifyMigration([home]);
console.log(`   ${verification.summary}`);
expect(verification.exit_code === 0, `the verification ended with ${verification.exit_code}: ${verification.summary}`);

step("6. The data read by the 16+ line");
const findings = compareWith(inventory, home);
console.log(tableOf(findings));
for (const { what, missing } of findings) expect(missing === 0, `${what}: ${missing} missing`);

step("7. A page that shows the data");
const page = join(place, "page.html");
writeFileSync(page, summaryPage(await summarizeData(home)));
console.log(`   ${page}`);
console.log("   Open it in a browser: operations, success rate and trust over time, users, patterns, states.");

step("8. A second migration, which has nothing to do");
const repeated = await migrate([home], DECISIONS);
console.log(`   ${repeated.summary}`);
expect(repeated.exit_code === 0, `the second migration ended with ${repeated.exit_code}: ${repeated.summary}`);

if (failures.length === 0) {
  console.log(`\n${emphasise("green", "Nothing is missing.")} The result:`);
  console.log(`   ${home}`);
  console.log(
    `   backups end in .v15.bak; the states are in ${STATE_DIRECTORY}.v15.sqlar (sqlite3 -A -t lists them), and their directory is unchanged.`,
  );
} else {
  console.error(`\n${emphasise("red", "The demonstration failed:")}`);
  for (const failure of failures) console.error(`   ${failure}`);
  process.exitCode = 1;
}
