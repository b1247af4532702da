import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, inject, test } from "vitest";
import { layOutMigration } from "../../../fixtures/lay_out.ts";
import { BareFolder } from "../src/bare_folder.ts";

test("npx runs every program, by the name of its package as well", () => {
  const folder = new BareFolder(inject("npmRegistry"));
  for (const [name, program] of [
    ["@perdura/migrator", "perdura-migrate"],
    ["@perdura/conformance", "perdura-conformance"],
    ["@perdura/backup", "perdura-backup"],
  ] as const) {
    expect(folder.fine("npx", name, "--version")).toMatch(/\d+\.\d+\.\d+/);
    expect(folder.fine("npx", "--package", name, program, "--help")).toContain(program);
  }
});

test("npx @perdura/migrator migrates what lies in the folder", () => {
  const folder = new BareFolder(inject("npmRegistry"));
  layOutMigration("persistence-directory", join(folder.path, "data"));
  expect(folder.fine("npx", "@perdura/migrator", "up", "data")).toContain("[migrated]");
  expect(folder.fine("npx", "@perdura/migrator", "verify", "data")).toContain("every value and storage class equal");
});

test("npx @perdura/backup stores a library and brings it back", () => {
  const folder = new BareFolder(inject("npmRegistry"));
  const backups = pathToFileURL(join(folder.path, "backups")).href;
  folder.fine("npm", "install", "perdura");
  folder.program(`
import { PatternLibrary, PatternPersistence } from "perdura";
PatternPersistence.saveToJson(new PatternLibrary(), "patterns.json");`);
  folder.fine("npx", "@perdura/backup", "push", backups, "patterns.json");
  folder.fine("npx", "@perdura/backup", "pull", backups, "patterns", "--to", "brought-back.json");
  expect(
    folder.program(`
import { readFileSync } from "node:fs";
console.log(readFileSync("patterns.json").equals(readFileSync("brought-back.json")));`),
  ).toBe("true\n");
});

test.for([
  ["npm", ["install"], ["npx"]],
  ["pnpm", ["add"], ["pnpm", "exec"]],
] as const)(
  "with %s the suite judges perdura beside it, and says what to install where it is not",
  ([client, add, execute]) => {
    const folder = new BareFolder(inject("npmRegistry"));
    folder.fine(client, ...add, "@perdura/conformance");
    const [program, ...before] = execute;
    const run = ["perdura-conformance", "run", "--area", "versioning", "--area", "export", "--implementation"];
    for (const [name, what] of [
      ["perdura-15", "perdura-15@npm:perdura@latest-15"],
      ["perdura-16", "perdura-16@npm:perdura@latest @perdura/migrator"],
      ["perdura-16-postgres", "perdura-16@npm:perdura@latest @perdura/postgres pg"],
    ] as const) {
      const { status, stdout } = folder.run(program, ...before, ...run, name);
      expect(stdout).toContain(`npm install ${what}`);
      expect(status).toBe(3);
    }
    const proof = folder.run(program, ...before, "perdura-conformance", "selftest", "--part", "mutants");
    expect(proof.stdout).toContain("not run: perdura-15 is judged where it is installed beside this suite");
    expect(proof).toMatchObject({ status: 3, stderr: "" });
    const beside = ["perdura-15@npm:perdura@latest-15", "perdura-16@npm:perdura@latest", "@perdura/migrator"];
    folder.fine(client, ...add, ...beside);
    for (const name of ["perdura-15", "perdura-16"])
      expect(folder.fine(program, ...before, ...run, name)).toMatch(/cases: \d{2} pass, \d+ (?:inapplicable|not-run)/);
  },
);
