import { readdirSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import { describe, expect, test } from "vitest";
import { copyData } from "../../src/commands/copy.ts";
import { freshFolder } from "../support/folder.ts";
import { schemaErrorsOf } from "../support/report_schema.ts";
import { runProgram, runProgramIn } from "../support/run_program.ts";
import { makeDatabase, newSchema } from "./both_sides.ts";
import { startCopy } from "./copy_process.ts";

/** Runs in this process; the first test shows that a separate process gives the same output. */
const copy = (...words: string[]): ReturnType<typeof runProgram> => runProgram("copy", ...words);

describeWithPostgres("perdura-migrate copy", (postgres) => {
  test("reports copied rows, and that nothing is left to copy", async () => {
    const words = [
      "--schema",
      newSchema(),
      makeDatabase(join(freshFolder(), "m.db"), { interactions: [[1n, "u", 3n, 1n, null, null]] }),
      postgres.url,
    ];
    const first = await startCopy(...words).ended;
    expect({ code: first.code, stderr: first.stderr }).toMatchObject({ code: 0 });
    expect(first.stdout).toContain("interactions: 1 row; 0 already in the target, 1 copied");
    expect(first.stdout).toMatch(/m\.db → postgres:\/\/\S+$/m);
    expect(first.stderr).toContain("copy: copying interactions");
    const repeated = await copy("--json", ...words);
    expect(repeated.code).toBe(0);
    expect(JSON.parse(repeated.stdout)).toMatchObject({ command: "copy", exit_code: 0, verified: true });
    const quiet = await copy("--quiet", ...words);
    expect(quiet).toMatchObject({ code: 0, stderr: "" });
    expect(quiet.stdout).toBe("Nothing to do. Both sides were compared row by row and are equal.\n");
  });

  test("takes an address with several hosts, and its verification too", async () => {
    const source = makeDatabase(join(freshFolder(), "m.db"), { interactions: [[1n, "u", 3n, 1n, null, null]] });
    const address = `${postgres.url.replace(/@([^/]+)\//, "@127.0.0.1:1,$1/")}?target_session_attrs=read-write`;
    const schema = newSchema();
    expect(await copy("--schema", schema, source, address)).toMatchObject({ code: 0 });
    expect(await runProgram("verify", "--schema", schema, address)).toMatchObject({ code: 0 });
  });

  test("reports equal, different and new rows of each table", async () => {
    const folder = freshFolder();
    const row = (id: bigint, level: bigint): unknown[] => [id, "u", level, 1n, null, null];
    const source = makeDatabase(join(folder, "m.db"), { interactions: [row(1n, 3n), row(2n, 4n)] });
    const other = makeDatabase(join(folder, "other.db"), { interactions: [row(1n, 3n), row(2n, 5n), row(3n, 1n)] });
    const schema = newSchema();
    const shown: string[] = [];
    for (const words of [
      ["--dry-run", source],
      [source],
      [source],
      [other],
      ["--replace", "--dry-run", other],
      ["--replace", other],
      [source],
      ["--replace", source],
    ]) {
      const { code, stdout } = await copy("--schema", schema, ...words, postgres.url);
      shown.push(`${stdout.split("\n").slice(1).join("\n")}exit code ${code}\n`);
    }
    expect(shown.join("\n")).toMatchInlineSnapshot(`
      "  patterns: 0 rows; 0 already in the target, 0 to copy
        pattern_usage: 0 rows; 0 already in the target, 0 to copy
        interactions: 2 rows; 0 already in the target, 2 to copy
        interaction_metadata: 0 rows; 0 already in the target, 0 to copy

      Nothing was changed. To copy: interactions 2.
      exit code 0

        patterns: 0 rows; 0 already in the target, 0 copied
        pattern_usage: 0 rows; 0 already in the target, 0 copied
        interactions: 2 rows; 0 already in the target, 2 copied
        interaction_metadata: 0 rows; 0 already in the target, 0 copied

      Copied: interactions 2. Both sides were compared row by row and are equal.
      exit code 0

        patterns: 0 rows; 0 already in the target, 0 copied
        pattern_usage: 0 rows; 0 already in the target, 0 copied
        interactions: 2 rows; 2 already in the target, 0 copied
        interaction_metadata: 0 rows; 0 already in the target, 0 copied

      Nothing to do. Both sides were compared row by row and are equal.
      exit code 0

        patterns: 0 rows; 0 already in the target, 0 to copy
        pattern_usage: 0 rows; 0 already in the target, 0 to copy
        interactions: 3 rows; 1 already in the target, 1 to copy, 1 different
          2: level
        interaction_metadata: 0 rows; 0 already in the target, 0 to copy

      Rows of the target differ from the source. Nothing was changed. Use --replace to overwrite or remove them.
      exit code 3

        patterns: 0 rows; 0 already in the target, 0 to copy
        pattern_usage: 0 rows; 0 already in the target, 0 to copy
        interactions: 3 rows; 1 already in the target, 1 to copy, 1 different
        interaction_metadata: 0 rows; 0 already in the target, 0 to copy

      Nothing was changed. To copy: interactions 1 (1 replaced).
      exit code 0

        patterns: 0 rows; 0 already in the target, 0 copied
        pattern_usage: 0 rows; 0 already in the target, 0 copied
        interactions: 3 rows; 1 already in the target, 1 copied, 1 different
        interaction_metadata: 0 rows; 0 already in the target, 0 copied

      Copied: interactions 1 (1 replaced). Both sides were compared row by row and are equal.
      exit code 0

        patterns: 0 rows; 0 already in the target, 0 to copy
        pattern_usage: 0 rows; 0 already in the target, 0 to copy
        interactions: 2 rows; 1 already in the target, 0 to copy, 1 different, 1 recorded in the target since
          2: level
        interaction_metadata: 0 rows; 0 already in the target, 0 to copy

      Rows of the target differ from the source. Nothing was changed. Use --replace to overwrite or remove them.
      exit code 3

        patterns: 0 rows; 0 already in the target, 0 copied
        pattern_usage: 0 rows; 0 already in the target, 0 copied
        interactions: 2 rows; 1 already in the target, 0 copied, 1 different, 1 recorded in the target since
        interaction_metadata: 0 rows; 0 already in the target, 0 copied

      Copied: interactions 0 (1 replaced). Both sides were compared row by row and are equal.
      exit code 0
      "
    `);
  });

  describe("the address of the server in PERDURA_POSTGRES_URL", () => {
    const source = (): string =>
      makeDatabase(join(freshFolder(), "m.db"), { interactions: [[1n, "u", 3n, 1n, null, null]] });
    const withAddress = (address: string | undefined, ...words: string[]) =>
      runProgramIn({ env: { PERDURA_POSTGRES_URL: address } }, ...words);
    const NO_SERVER = "postgres://alice:hunter2@127.0.0.1:1/agents";

    test("replaces an omitted target, and a bare postgres://", async () => {
      const schema = newSchema();
      const url = postgres.url;
      const there = await withAddress(url, "copy", "--schema", schema, source());
      expect(there).toMatchObject({ code: 0, stdout: expect.stringContaining("interactions: 1 row") });
      expect(await withAddress(url, "verify", "--schema", schema)).toMatchObject({ code: 0 });
      expect(await withAddress(url, "verify", "--schema", schema, "postgres://")).toMatchObject({ code: 0 });
      const back = join(freshFolder(), "back.db");
      expect(await withAddress(url, "copy", "--schema", schema, "postgres://", back)).toMatchObject({ code: 0 });
      expect(await withAddress(url, "copy", "--schema", schema, back, "postgres://")).toMatchObject({ code: 0 });
    });

    test("is not used with an explicit address, or to verify files", async () => {
      const schema = newSchema();
      const words = ["--schema", schema, source(), postgres.url];
      expect(await withAddress(NO_SERVER, "copy", ...words)).toMatchObject({ code: 0 });
      expect(await withAddress(NO_SERVER, "verify", "--schema", schema, postgres.url)).toMatchObject({ code: 0 });
      expect((await withAddress(NO_SERVER, "verify", source())).stdout).not.toContain("127.0.0.1");
    });

    test.each<[words: string[], address: string | undefined, code: number, message: RegExp]>([
      [
        ["copy", "m.db"],
        undefined,
        2,
        /copy needs TARGET: .* Alternatively, set the environment variable PERDURA_POSTGRES_URL\./,
      ],
      [["copy", "m.db"], "", 2, /copy needs TARGET/],
      [["verify"], "", 2, /verify needs TARGET: .* Alternatively, set the environment variable PERDURA_POSTGRES_URL\./],
      [["copy"], NO_SERVER, 2, /copy needs SOURCE/],
      [["copy", "postgres://"], NO_SERVER, 2, /copy needs TARGET: [^.]*\. See/],
      [["copy", "postgres://localhost/a"], NO_SERVER, 2, /copy needs TARGET: [^.]*\. See/],
      [
        ["copy", "postgres://", "m.db"],
        "hunter2",
        2,
        /PERDURA_POSTGRES_URL: expected an address that begins postgres:\/\//,
      ],
      [["copy", "m.db"], "mysql://alice:hunter2@db/agents", 2, /PERDURA_POSTGRES_URL: expected an address that begins/],
      [["verify"], " postgres://alice:hunter2@db/agents", 2, /PERDURA_POSTGRES_URL: expected an address that begins/],
      [["verify"], "postgres://alice:hunter2@db@x/agents", 2, /cannot parse the address/],
      [["plan"], NO_SERVER, 2, /plan needs TARGET: [^.]*\. See/],
      [["verify"], NO_SERVER, 1, /127\.0\.0\.1/],
      [["verify", "--json"], NO_SERVER, 1, /127\.0\.0\.1/],
    ])("%j with %j ends with %d, and shows no password", async (words, address, code, message) => {
      const ended = await runProgramIn({ cwd: freshFolder(), env: { PERDURA_POSTGRES_URL: address } }, ...words);
      expect(ended.stdout + ended.stderr).toMatch(message);
      expect(ended.stdout + ended.stderr).not.toContain("hunter2");
      expect(ended.code).toBe(code);
    });
  });

  test("lists values that cannot be copied, with exit code 3", async () => {
    const source = makeDatabase(join(freshFolder(), "m.db"), { interactions: [[7n, "u\0", 3n, 1n, null, null]] });
    const seen = await copy("--schema", newSchema(), source, postgres.url);
    expect(seen.code).toBe(3);
    expect(seen.stdout).toContain("interactions 7, user_id: a NUL character, which PostgreSQL cannot hold");
  });

  test("all reports and progress lines match their schemas", async () => {
    const folder = freshFolder();
    const one = [1n, "u", 3n, 1n, null, null];
    const source = makeDatabase(join(folder, "m.db"), { interactions: [one], metadata: [[1n, "{}"]] });
    const unusual = makeDatabase(join(folder, "odd.db"), { interactions: [one.with(1, "u\0")] });
    const other = makeDatabase(join(folder, "other.db"), { interactions: [one.with(2, 5n)] });
    const schema = newSchema();
    const lines: [words: string[], code: number][] = [
      [["--dry-run", source, postgres.url], 0],
      [[source, postgres.url], 0],
      [[source, postgres.url], 0],
      [[unusual, postgres.url], 3],
      [[other, postgres.url], 3],
      [["--replace", other, postgres.url], 0],
      [[postgres.url, join(folder, "back")], 0],
      [[source, "postgres://postgres@127.0.0.1:1/none"], 1],
    ];
    for (const [words, code] of lines) {
      const seen = await copy("--json", "--schema", schema, ...words);
      expect({ words, code: seen.code, stdout: seen.stdout }).toMatchObject({ words, code });
      if (seen.stdout !== "") expect(schemaErrorsOf("copy-report", JSON.parse(seen.stdout))).toEqual([]);
      for (const line of seen.stderr.split("\n").filter((found) => found.includes('"progress"')))
        expect(schemaErrorsOf("progress", JSON.parse(line))).toEqual([]);
    }
  });

  test.each([
    [["./a", "./b"], /one path and one address/],
    [["postgres://u:secret@h/a", "postgres://u:secret@h/b"], /two addresses/],
    [["./nowhere", "postgres://u:secret@h/a"], /no such file/],
    [["./a"], /copy needs TARGET/],
  ])("%j is wrong usage, and no password is shown", async (words, message) => {
    const seen = await copy(...words);
    expect(seen).toMatchObject({ code: 2 });
    expect(seen.stderr).toMatch(message);
    expect(seen.stderr + seen.stdout).not.toContain("secret");
  });

  test.each([
    "postgres://app:2024/hunter2@db.internal/agents",
    "postgres://app:Ab1@hunter2/xyz99@db.internal/agents",
    "postgres://app:hunter2#1@db.internal/agents",
    "postgres://app:hunter2",
    "postgres:/app:hunter2@db.internal/agents",
    "postgres//app:hunter2@db.internal/agents",
    "postgresql+psycopg2://app:hunter2@db.internal/agents",
    " postgres://app:hunter2@db.internal/agents",
    "postgres://app:hunter2@db.internal/agents\n",
    "app:hunter2@db.internal/agents",
    "host=db.internal password=hunter2",
    "postgres://db.internal/agents?sslmode=hunter2",
  ])("%j cannot be parsed as an address, on either side, and no part of its password is shown", async (address) => {
    const folder = freshFolder();
    const file = makeDatabase(join(folder, "m.db"), { interactions: [[1n, "u", 3n, 1n, null, null]] });
    for (const places of [
      [address, join(folder, "to")],
      [file, address],
      [address, postgres.url],
      [postgres.url, address],
    ])
      for (const option of [[], ["--dry-run"], ["--json"]]) {
        const seen = await copy(...option, ...places);
        expect(seen).toMatchObject({ code: 2, stdout: "" });
        expect(seen.stderr).not.toContain("hunter2");
        const refused = copyData(places[0] as string, places[1] as string, { dryRun: option.length > 0 });
        const error: unknown = await refused.catch((reason: unknown) => reason);
        expect(error).toMatchObject({ code: "PERDURA_VALIDATION" });
        expect(inspect(error, { depth: 9 }) + JSON.stringify(error)).not.toContain("hunter2");
      }
    expect(readdirSync(folder)).toEqual(["m.db"]);
  });

  test("reports an impossible name as a usage error", async () => {
    const name = "x".repeat(300);
    const seen = await copy(name, "postgres://u:secret@h/a");
    expect(seen).toMatchObject({ code: 1, stdout: "" });
    expect(seen.stderr).toMatch(new RegExp(`^perdura-migrate: ${name}: reading failed: ENAMETOOLONG`));
  });
});
