import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, inject, test } from "vitest";
import { layOutMigration } from "../../../fixtures/lay_out.ts";
import { BareFolder } from "../src/bare_folder.ts";

/** Folder of the programs that clients install. */
const BIN = join("node_modules", ".bin");

test("npx @perdura/migrator migrates a folder in which nothing is installed", () => {
  const folder = new BareFolder(inject("npmRegistry"));
  layOutMigration("persistence-directory", join(folder.path, "data"));
  expect(folder.fine("npx", "@perdura/migrator", "up", "data")).toContain("[migrated]");
  expect(folder.fine("npx", "@perdura/migrator", "verify", "data")).toContain("all values and storage classes equal");
});

test("npx @perdura/backup stores and restores a library", () => {
  const folder = new BareFolder(inject("npmRegistry"));
  const backups = pathToFileURL(join(folder.path, "backups")).href;
  folder.install("perdura@latest");
  folder.program(`
import { PatternLibrary, PatternPersistence } from "perdura";
PatternPersistence.saveToJson(new PatternLibrary(), "patterns.json");`);
  folder.fine("npx", "@perdura/backup", "push", backups, "patterns.json");
  folder.fine("npx", "@perdura/backup", "pull", backups, "patterns", "--to", "restored.json");
  expect(
    folder.program(`
import { readFileSync } from "node:fs";
console.log(readFileSync("patterns.json").equals(readFileSync("restored.json")));`),
  ).toBe("true\n");
});

test.for([
  ["npm", ["install"], ["npx"]],
  ["pnpm", ["add"], ["pnpm", "exec"]],
] as const)(
  "%s installs every program; the suite judges an installed perdura, and names the packages to install if it is missing",
  ([client, add, execute]) => {
    const folder = new BareFolder(inject("npmRegistry"));
    if (client === "npm") folder.install("@perdura/conformance");
    else folder.fine(client, ...add, "@perdura/conformance");
    const [program, ...before] = execute;
    const suite = join(folder.path, BIN, "perdura-conformance");
    const run = ["run", "--area", "versioning", "--area", "export", "--implementation"];
    const absent = [
      ["perdura-16", "perdura-16@npm:perdura@latest @perdura/migrator"],
      ["perdura-15", "perdura-15@npm:perdura@latest-15"],
      ["perdura-16-postgres", "perdura-16@npm:perdura@latest @perdura/postgres pg"],
    ] as const;
    // The words are the same with each client, and so is the detection of missing packages.
    for (const [name, what] of client === "npm" ? absent : absent.slice(0, 1)) {
      const { status, stdout } = folder.run(suite, ...run, name);
      expect(stdout).toContain(`npm install ${what}`);
      expect(status).toBe(1);
    }
    const beside = ["perdura-15@npm:perdura@latest-15", "perdura-16@npm:perdura@latest"];
    folder.fine(client, ...add, ...beside, "@perdura/migrator", "@perdura/backup", "@perdura/inspect", "@perdura/mcp");
    const judged = /cases: [1-9]\d* pass, \d+ (?:inapplicable|not-run)/;
    expect(folder.fine(program, ...before, "perdura-conformance", ...run, "perdura-15")).toMatch(judged);
    expect(folder.fine(suite, ...run, "perdura-16")).toMatch(judged);
    for (const name of ["perdura-migrate", "perdura-conformance", "perdura-backup", "perdura-inspect", "perdura-mcp"]) {
      expect(folder.fine(join(folder.path, BIN, name), "--version")).toMatch(/\d+\.\d+\.\d+/);
      expect(folder.fine(join(folder.path, BIN, name), "--help")).toContain(name);
    }
    // Installed packages are run without the registry; the others were fetched above.
    if (client === "npm")
      for (const name of ["conformance", "inspect"])
        expect(folder.fine("npx", "--offline", `@perdura/${name}`, "--help")).toContain(`perdura-${name}`);
  },
);
