import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import Database from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { layOutMigration } from "../../../fixtures/lay_out.ts";
import { fixture } from "../../../fixtures/paths.ts";
import { ExecutableFolder } from "../src/executable_folder.ts";
import { needs } from "../../needs.ts";

const MIGRATE = "./perdura-migrate";
const INSPECT = "./perdura-inspect";

describe("the executables", needs("linux-x64", process.platform !== "linux" || process.arch !== "x64"), () => {
  let folder: ExecutableFolder;
  const inside = (name: string): string => join(folder.path, name);

  beforeAll(async () => {
    folder = new ExecutableFolder();
    await folder.build();
  });
  afterAll(() => folder?.remove());

  test("migrate, verify, show and downgrade data without Node.js", () => {
    layOutMigration("persistence-directory", inside("data"));
    expect(folder.fine(MIGRATE, "plan", "data")).toContain("[to do]");
    expect(folder.fine(MIGRATE, "up", "data")).toContain("1 migrated, 1 archived");
    expect(folder.fine(MIGRATE, "verify", "data")).toContain("all values and storage classes equal");
    expect(folder.fine(MIGRATE, "status", "data")).toContain("migrated:");
    expect(folder.fine(MIGRATE, "states", "data/state.v15.sqlar")).toContain("alice");
    expect(folder.fine(INSPECT, "data", "--html", "data.html")).toContain("Wrote data.html.");
    expect(readFileSync(inside("data.html"), "utf8")).toContain("/*! uPlot");
    expect(JSON.parse(folder.fine(INSPECT, "data", "--json"))).toMatchObject({ format: "perdura-summary-1" });
    expect(folder.fine(MIGRATE, "prune", "--yes", "data")).toContain("removed");
    expect(folder.fine(MIGRATE, "down", "data")).toContain("1 downgraded");
  });

  test.each([
    [
      MIGRATE,
      "migrator",
      [["--help"], ["up", "--help"], ["--version"], ["upp"], ["up", "missing"], ["completion", "bash"]],
    ],
    [
      INSPECT,
      "inspect",
      [["--help"], ["watch", "--help"], ["--version"], ["--htm"], ["missing"], ["completion", "bash"]],
    ],
  ] as const)("%s prints the same as the package", (program, name, commands) => {
    const bin = new URL(`../../../packages/${name}/bin/${program.slice(2)}.js`, import.meta.url);
    for (const words of commands) {
      const { status, stdout, stderr } = spawnSync(process.execPath, [fileURLToPath(bin), ...words], {
        cwd: folder.path,
        encoding: "utf8",
      });
      expect(folder.run(program, ...words), words.join(" ")).toEqual({ status, stdout, stderr });
    }
  });

  test("a killed migration continues, and two run at once", async () => {
    mkdirSync(inside("killed"));
    copyFileSync(fixture("legacy", "documented-15-one.db"), inside("killed/a.db"));
    copyFileSync(fixture("legacy", "field-a-counter.db"), inside("killed/b.db"));
    // The migration of the second database waits for this writer.
    const writer = new Database(inside("killed/b.db"));
    writer.exec("BEGIN IMMEDIATE");
    expect(await folder.killAt("killed/b.db: lock", MIGRATE, "up", "killed")).toBe("SIGKILL");
    writer.close();
    layOutMigration("persistence-directory", inside("other"));
    const ends = await Promise.all(["killed", "other"].map((data) => folder.start(MIGRATE, "up", data)));
    expect(ends).toEqual([0, 0]);
    expect(folder.fine(MIGRATE, "verify", "killed")).toContain("Compared: 2 verified.");
    expect(folder.fine(MIGRATE, "verify", "other")).toContain("2 verified");
  });

  test("print the licences of everything inside", () => {
    for (const program of [MIGRATE, INSPECT]) {
      const licenses = folder.fine(program, "--licenses");
      for (const text of ["\nperdura\n", "\npg ", "\nbetter-sqlite3 ", "\nSQLite\n", "OpenSSL", "\npgpass "])
        expect(licenses).toContain(text);
    }
  });

  describeWithPostgres("with PostgreSQL", (postgres) => {
    test("copy, verify and show tables", () => {
      layOutMigration("persistence-directory", inside("source"));
      folder.fine(MIGRATE, "up", "source");
      expect(folder.fine(MIGRATE, "copy", "source", postgres.url)).toContain("300");
      expect(folder.fine(MIGRATE, "verify", postgres.url)).toContain("1 verified");
      expect(folder.fine(INSPECT, postgres.url)).toContain("300 operations of 31 users");
      expect(folder.fine(MIGRATE, "copy", postgres.url, "back")).toContain("300");
    });
  });

  test("leave no temporary files", () => {
    expect(readdirSync(folder.temporary)).toEqual([]);
  });
});
