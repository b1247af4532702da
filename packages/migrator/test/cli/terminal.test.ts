import { copyFileSync, existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { layOutMigration } from "../../../../fixtures/lay_out.ts";
import { fixture } from "../../../../fixtures/paths.ts";
import { displayWidth } from "@perdura/cli/display_width.js";
import { migrate } from "../support/migrate.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import { hasTerminals, runInTerminal } from "../support/in_terminal.ts";
import { addRows, DOCUMENTED_15, makeDatabase, query } from "../../../../test/legacy/legacy_database.ts";
import { needs } from "../../../../test/needs.ts";

// `script` of util-linux makes the pseudo terminals; other systems have no such program, or one with other options.
describe("in a terminal", needs("terminal", !hasTerminals), () => {
  test.each([40, 80, 200])("wraps the report at %i columns, but not commands", async (columns) => {
    const path = join(freshFolder(), "m.db");
    copyFileSync(fixture("legacy", "field-a-invalid.db"), path);
    const { code, lines, bytes } = await runInTerminal(["plan", path], { columns });
    expect(code).toBe(3);
    const tooLong = lines.filter((line) => displayWidth(line) > Math.min(columns, 120));
    // A path cannot be broken, and a command must not be.
    expect(tooLong.filter((line) => line.trim().includes(" ") && !line.includes(path)).join("\n")).toBe("");
    expect(lines).toContain(`  perdura-migrate up --invalid-rows quarantine ${path}`);
    // Progress was drawn on one line, and was erased.
    expect(bytes).toMatch(/\r\u001b\[2K[^\r\n]*reading the schema/);
    expect(lines.join("\n")).not.toContain("reading the schema");
  });

  test("prints colours unless NO_COLOR, --no-color or a dumb terminal disables them", async () => {
    const path = join(freshFolder(), "m.db");
    makeDatabase(path, DOCUMENTED_15);
    const seen = async (words: string[], environment = {}): Promise<string> =>
      (await runInTerminal(["plan", ...words, path], { columns: 80, environment })).bytes;
    expect(await seen([])).toContain("\u001b[1m");
    expect(await seen([], { NO_COLOR: "1" })).not.toContain("\u001b[1m");
    expect(await seen(["--no-color"])).not.toContain("\u001b[1m");
    const dumb = await seen([], { TERM: "dumb" });
    expect(dumb).not.toContain("\u001b");
    expect(dumb).toContain("inspect: reading the schema");
    expect(await seen(["--quiet"])).toMatch(/^(?:\u001b\[32m)?Nothing was changed\. Found 1 to migrate[^\n]*\n$/);
  });

  describe("up shows the plan and asks for confirmation", () => {
    test.each([
      ["y\n", 0, 3],
      ["n\n", 3, 0],
      ["\u0004", 3, 0],
    ])("%j", async (typed, code, migrated) => {
      const path = join(freshFolder(), "m.db");
      makeDatabase(path, DOCUMENTED_15);
      addRows(path, "interactions", 3);
      const seen = await runInTerminal(["up", path], { columns: 80, typed });
      expect(seen.code).toBe(code);
      expect(seen.bytes).toContain("1. rename the column empathy_level to level");
      expect(seen.bytes).toContain("Run this plan now? [y/N]");
      expect(query(path, "SELECT count(*) FROM pragma_table_info('interactions') WHERE name = 'level'")).toEqual([
        [migrated > 0 ? 1n : 0n],
      ]);
    });

    test("reads the data once, not again after the answer", async () => {
      const path = join(freshFolder(), "m.db");
      makeDatabase(path, DOCUMENTED_15);
      addRows(path, "interactions", 3);
      const { code, bytes } = await runInTerminal(["up", path], {
        columns: 80,
        typed: "y\n",
        environment: { TERM: "dumb" },
      });
      expect(code).toBe(0);
      expect(bytes.match(/inspect: reading the schema/g)).toHaveLength(1);
      expect(bytes.match(/discover: searching/g)).toHaveLength(1);
    });

    test.each(["--json", "--quiet"])("does not ask with %s", async (option) => {
      const path = join(freshFolder(), "m.db");
      makeDatabase(path, DOCUMENTED_15);
      const { code, bytes } = await runInTerminal(["up", option, path], { columns: 80 });
      expect(code).toBe(0);
      expect(bytes).not.toContain("[y/N]");
      expect(query(path, "SELECT count(level) FROM interactions")).toEqual([[0n]]);
      expect(await runInTerminal(["prune", option, path], { columns: 80 })).toMatchObject({
        code: 3,
        bytes: expect.stringContaining("Add --yes"),
      });
    });

    test("does not ask if nothing is to be done, nor with --yes or --rehearse", async () => {
      const folder = freshFolder();
      layOutMigration("field-a", folder);
      const untouched = stampOf(folder);
      expect(await runInTerminal(["up", "--rehearse", folder], { columns: 80 })).toMatchObject({ code: 0 });
      expect(stampOf(folder)).toBe(untouched);
      expect(await runInTerminal(["up", "--yes", folder], { columns: 80 })).toMatchObject({ code: 0 });
      const before = stampOf(folder);
      const repeated = await runInTerminal(["up", folder], { columns: 80 });
      expect(repeated.code).toBe(0);
      expect(repeated.bytes).not.toContain("[y/N]");
      // The line break depends on the length of the path.
      expect(repeated.lines.join(" ").match(/\[nothing\s+to\s+do\]/g)).toHaveLength(1);
      expect(stampOf(folder)).toBe(before);
    });
  });

  test("down and prune show their plan and ask; the answer no changes nothing", async () => {
    const folder = freshFolder();
    layOutMigration("persistence-directory", folder);
    await migrate(folder);
    const before = stampOf(folder);
    for (const [command, question, forecast] of [
      ["down", "Downgrade now? [y/N]", "1. rename the column level to empathy_level"],
      ["prune", "Remove these files now? [y/N]", "would remove: 8 entries"],
    ] as const) {
      const { code, bytes } = await runInTerminal([command, folder], { columns: 80, typed: "n\n" });
      expect({ command, code }).toEqual({ command, code: 3 });
      expect(bytes).toContain(question);
      expect(bytes).toContain(forecast);
      expect(await runInTerminal([command, "--dry-run", folder], { columns: 80 })).toMatchObject({ code: 0 });
      expect(stampOf(folder)).toBe(before);
    }
    expect(await runInTerminal(["prune", folder], { columns: 80, typed: "y\n" })).toMatchObject({ code: 0 });
    expect(existsSync(join(folder, "state"))).toBe(false);
    expect(await runInTerminal(["down", folder], { columns: 80, typed: "y\n" })).toMatchObject({ code: 0 });
    expect(existsSync(join(folder, "state"))).toBe(true);
  });

  test("Ctrl-C at the question exits with 130 and changes nothing", async () => {
    const path = join(freshFolder(), "m.db");
    makeDatabase(path, DOCUMENTED_15);
    const before = stampOf(dirname(path));
    // Also together with the answer.
    for (const typed of ["\u0003", "y\r\u0003"]) {
      expect(await runInTerminal(["up", path], { columns: 80, typed })).toMatchObject({ code: 130 });
      expect(stampOf(dirname(path))).toBe(before);
    }
  });
});
