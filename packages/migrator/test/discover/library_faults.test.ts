import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { migrationStatus, planMigration, verifyMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder } from "../support/folder.ts";

const KEYS = '"agent_contributions": {}, "metadata": {"version": "1.0"}';

/** The content of a file `patterns.json`, and the fault that is named; null in a directory if it may be of others. */
const FAULTS: [what: string, content: string | Uint8Array, named: string, inDirectory: boolean][] = [
  ["nothing", "", "it is empty (0 bytes)", false],
  ["zeros", new Uint8Array(4096), "it begins with zeros", true],
  ["gzip", gzipSync(`{"patterns": [], ${KEYS}}`), "it is compressed with gzip", true],
  ["blanks", " \n\t", "it has no JSON value", false],
  ["a byte order mark", "\uFEFF", "it has no JSON value", false],
  ["comments", "// patterns\n/* none */\n", "it has no JSON value", false],
  ["a comment before the library", `// mine\n{"patterns": [], ${KEYS}}`, "it begins with a comment", false],
  ["an array", '[{"id": "p"}]', "it is a JSON array", false],
  ["an empty array", "[]", "it is a JSON array", false],
  ["an empty object", "{}", "it is an object without a member patterns", false],
  ["null", "null", "it is not a JSON object", false],
  ["patterns that are null", `{"patterns": null, ${KEYS}}`, "its member patterns is null, expected an array", true],
  ["patterns in an object", `{"patterns": {"p": {}}, ${KEYS}}`, "its member patterns is an object", true],
  ["only patterns that are text", '{"patterns": "none"}', "its member patterns is text", false],
];

test.each(FAULTS)(
  "a file patterns.json with %s is refused by its fault",
  async (_what, content, fault, inDirectory) => {
    const directory = join(freshFolder(), "data");
    mkdirSync(directory);
    const path = join(directory, "patterns.json");
    writeFileSync(path, content);
    for (const command of [planMigration, migrate, migrationStatus]) {
      const { refused } = await command(path);
      expect(refused).toMatchObject([{ path }]);
      expect(refused[0]?.reason).toContain(fault);
    }
    expect((await planMigration(path)).exit_code).toBe(3);
    expect((await verifyMigration(path)).exit_code).not.toBe(0);
    const { exit_code: code } = await planMigration(directory);
    expect(code).toBe(inDirectory ? 3 : 0);
    expect(readFileSync(path)).toEqual(Buffer.from(content));
  },
);

test.each([
  ["a list of another program", "patterns.json", '{"patterns": ["*.ts"]}'],
  ["an empty library", "patterns.json", '{"patterns": []}'],
  ["the settings of another program", "config.json", "{}"],
  ["an array of another program", "rows.json", "[]"],
])("%s is left alone, also if it is named", async (_what, name, content) => {
  const path = join(freshFolder(), name);
  writeFileSync(path, content);
  expect(await planMigration(path)).toMatchObject({ exit_code: 0, refused: [], left_alone: [{ path }] });
});
