import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const tracked = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
  cwd: root,
  encoding: "utf8",
}).split("\n");

/** Statements and programs that remove objects of a server, which may not be ours. */
const REMOVAL = /\bDROP\s+(?:DATABASE|ROLE|USER|GROUP|OWNED|SCHEMA|TABLESPACE)\b|\b(?:dropdb|dropuser)\b/gi;

/** Files that remove objects, with the reason why they can remove no others. */
const ALLOWED: Readonly<Record<string, string>> = {
  "test/servers/src/postgres/test_objects.ts": "checks that the name has the mark of tests",
  "packages/conformance/adapters/postgres/case_databases.ts": "drops only schemas whose names it generated",
  "packages/postgres/test/roles.ts": "drops only what roles with generated names own in its own database",
};

test("tests and tools drop PostgreSQL databases, roles and schemas only by dropTestObject", () => {
  const files = tracked.filter((file) => /\.(?:[cm]?[jt]s|sql|sh|py|yml)$/.test(file) && existsSync(join(root, file)));
  const removing = files.filter((file) => removals(readFileSync(join(root, file), "utf8")).length > 0);
  const own = "test/repository/dropped_objects.test.ts";
  expect(removing.filter((file) => file !== own).toSorted()).toEqual(Object.keys(ALLOWED).toSorted());
});

test.each([
  ["await client.query(`DROP DATABASE IF EXISTS agents WITH (FORCE)`)", ["DROP DATABASE"]],
  ["drop\n  owned by a; drop role a", ["drop\n  owned", "drop role"]],
  ["DROP SCHEMA IF EXISTS ${schema} CASCADE", ["DROP SCHEMA"]],
  ['execFileSync("dropdb", [name])', ["dropdb"]],
  ["DROP TABLE rows; DROP SUBSCRIPTION here; database.drop()", []],
])("finds the removals in %s: %j", (text, found) => {
  expect(removals(text)).toEqual(found);
});

function removals(text: string): string[] {
  return [...text.matchAll(REMOVAL)].map(([removal]) => removal);
}
