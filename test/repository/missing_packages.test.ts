import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { freshFolder } from "../fresh_folder.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** A folder in which the built packages are installed, without optional ones. */
function installed(...packages: [folder: string, name: string][]): string {
  const place = freshFolder();
  for (const [folder, name] of packages) {
    for (const part of ["package.json", "dist", "bin"].filter((found) =>
      existsSync(join(root, "packages", folder, found)),
    ))
      cpSync(join(root, "packages", folder, part), join(place, "node_modules", name, part), { recursive: true });
  }
  for (const [folder] of packages) copyDependencies(join(root, "packages", folder), place);
  writeFileSync(
    join(place, "program.mjs"),
    `import { openPersistenceAsync } from "perdura";
     const persistence = await openPersistenceAsync({ persistence_path: "postgres://h/d" }).catch((error) => error);
     const error = persistence.metrics === undefined ? persistence : await persistence.metrics.getAllUsers().catch((error) => error);
     console.log(error.code, error.message);`,
  );
  return place;
}

/**
 * Copies dependencies to where npm would install them, next to a package; in the workspace each dependency is below the
 * package that needs it.
 */
function copyDependencies(folder: string, place: string): void {
  const { dependencies = {} } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    dependencies?: Record<string, string>;
  };
  for (const name of Object.keys(dependencies)) {
    const target = join(place, "node_modules", name);
    const near = [join(folder, "node_modules", name), join(folder, "..", name)].find(existsSync);
    if (near === undefined) throw new Error(`${folder} needs ${name}, which is not installed`);
    if (existsSync(target)) continue;
    cpSync(realpathSync(near), target, { recursive: true });
    copyDependencies(realpathSync(near), place);
  }
}

const said = (place: string): string =>
  execFileSync(process.execPath, ["program.mjs"], { cwd: place, encoding: "utf8" });

// Uses the result of `pnpm build`; `npm test` builds first.
test("opening PostgreSQL without its packages names the packages to install", () => {
  expect(said(installed(["v16", "perdura"]))).toBe(
    "PERDURA_MISSING_PACKAGE PostgreSQL needs the packages @perdura/postgres and pg, which are not installed: npm install @perdura/postgres pg\n",
  );
  expect(said(installed(["v16", "perdura"], ["postgres", "@perdura/postgres"]))).toBe(
    "PERDURA_MISSING_PACKAGE PostgreSQL needs the package pg, which is not installed: npm install pg\n",
  );
});

test.each([
  ["s3://bucket", "Backups on S3", "@aws-sdk/client-s3"],
  ["az://account/container", "Backups on Azure Blob Storage", "@azure/storage-blob"],
  ["gs://bucket", "Backups on Google Cloud Storage", "google-auth-library"],
])("a backup to %s without the SDK names the package to install", (address, what, name) => {
  const place = installed(["backup", "@perdura/backup"]);
  const program = join(place, "node_modules/@perdura/backup/bin/perdura-backup.js");
  expect(spawnSync(process.execPath, [program, "list", address], { cwd: place, encoding: "utf8" })).toMatchObject({
    status: 1,
    stdout: "",
    stderr: `perdura-backup: ${what} need the package ${name}, which is not installed: npm install ${name}\n`,
  });
});

test("a copy to PostgreSQL without its packages names the packages to install", () => {
  const place = installed(["migrator", "@perdura/migrator"]);
  const program = join(place, "node_modules/@perdura/migrator/bin/perdura-migrate.js");
  writeFileSync(join(place, "empty.db"), "");
  const seen = spawnSync(process.execPath, [program, "copy", "empty.db", "postgres://h/d"], {
    cwd: place,
    encoding: "utf8",
  });
  expect(seen).toMatchObject({
    status: 1,
    stdout: "",
    stderr:
      "perdura-migrate: PostgreSQL needs the packages @perdura/postgres, pg and pg-copy-streams, which are not installed: npm install @perdura/postgres pg pg-copy-streams\n",
  });
});

test("perdura-inspect of a server without its packages names the packages to install", () => {
  const place = installed(["inspect", "@perdura/inspect"], ["migrator", "@perdura/migrator"]);
  const program = join(place, "node_modules/@perdura/inspect/bin/perdura-inspect.js");
  const seen = (...words: string[]): unknown =>
    spawnSync(process.execPath, [program, ...words], { cwd: place, encoding: "utf8" });
  const missing = {
    status: 1,
    stdout: "",
    stderr:
      "perdura-inspect: PostgreSQL needs the packages @perdura/postgres and pg, which are not installed: npm install @perdura/postgres pg\n",
  };
  expect(seen("postgres://h/d")).toMatchObject(missing);
  writeFileSync(
    join(place, "patterns.json"),
    '{"patterns":[],"agent_contributions":{},"metadata":{"saved_at":"2026-01-01T00:00:00","pattern_count":0,"version":"1.0"}}',
  );
  expect(seen("patterns", "import", "patterns.json", "postgres://h/d")).toMatchObject(missing);
});
