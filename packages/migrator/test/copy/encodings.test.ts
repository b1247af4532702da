import { join } from "node:path";
import { newDatabase } from "@perdura/test-servers/postgres/database.js";
import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { copyData } from "../../src/index.ts";
import { freshFolder } from "../support/folder.ts";
import { contentOf, makeDatabase, otherProgram, patternRow } from "./both_sides.ts";

const interaction = (id: bigint, user: string): unknown[] => [id, user, 3n, 1n, 1.5, "then"];

/** Rows with a text in every text column. */
function rowsWith(text: string): Parameters<typeof makeDatabase>[1] {
  const escaped = '{"a":"\\u00e9\\ud83d\\ude00"}';
  return {
    patterns: [
      [text, text, text, text, text, `"${text}"`, text, 0.5, 0n, 0n, 0n, `["${text}"]`, text, text, text, 1n],
      patternRow("plain", 2n, { context: escaped, tags: `NaN ${text}` }),
    ],
    usage: [[1n, text, text, 1n, text]],
    interactions: [[1n, text, 3n, 1n, 1.5, text], interaction(2n, "plain")],
    metadata: [
      [1n, `{"a":"${text}"}`],
      [2n, escaped],
    ],
  };
}

describeWithPostgres("databases in other encodings than UTF-8", (postgres) => {
  async function databaseIn(encoding: string): Promise<string> {
    const database = await newDatabase(postgres.serverUrl, encoding);
    onTestFinished(() => database.drop());
    return database.url;
  }

  test.each([
    ["LATIN1", "Zoë ÿ\u00a0¡"],
    ["WIN1251", "Привет, ёж №"],
    ["EUC_JP", "日本語とかな 漢字"],
    ["EUC_KR", "안녕하세요"],
    ["KOI8R", "щука"],
    ["SQL_ASCII", "日本 Zoë 😀"],
    ["UTF8", "日本 Zoë 😀"],
  ])("%s takes what it can hold, and gives it back", async (encoding, text) => {
    const url = await databaseIn(encoding);
    const folder = freshFolder();
    const source = makeDatabase(join(folder, "m.db"), rowsWith(text));
    expect(await copyData(source, url, { dryRun: true })).toMatchObject({ exit_code: 0, faults: [] });
    expect(await copyData(source, url)).toMatchObject({ exit_code: 0, verified: true });
    expect(await copyData(source, url)).toMatchObject({ exit_code: 0, verified: true });
    const back = join(folder, "back.db");
    expect(await copyData(url, back)).toMatchObject({ exit_code: 0, verified: true });
    expect(contentOf(back)).toEqual(contentOf(source));
  });

  test("compares keys that have another order in the encoding", async () => {
    // In KOI8-R the letters are not in alphabetical order.
    const letters = "абвгдежзийклмнопрстуфхцчшщъыьэюя";
    const url = await databaseIn("KOI8R");
    const folder = freshFolder();
    const patterns = [...letters].map((letter, index) => patternRow(letter, BigInt(index + 1)));
    const source = makeDatabase(join(folder, "m.db"), { patterns: patterns.slice(0, 20) });
    expect(await copyData(source, url)).toMatchObject({ exit_code: 0, verified: true });
    const more = makeDatabase(join(folder, "more.db"), { patterns });
    const report = await copyData(more, url);
    expect(report).toMatchObject({ exit_code: 0, verified: true });
    expect(report.tables[0]).toMatchObject({ table: "patterns", present: 20, copied: 12 });
    const back = join(folder, "back.db");
    expect(await copyData(url, back)).toMatchObject({ exit_code: 0, verified: true });
    expect(contentOf(back)["patterns"]).toEqual(contentOf(more)["patterns"]);
  });

  test.each([
    ["LATIN1", "smile 😀", "U+1F600"],
    ["LATIN1", "€", "U+20AC"],
    ["EUC_JP", "日本 Zoë 😀", "U+1F600"],
    ["WIN1251", "Zoë", "U+00EB"],
  ])("what %s cannot hold is listed before anything is written: %s", async (encoding, text, character) => {
    const url = await databaseIn(encoding);
    const folder = freshFolder();
    const source = makeDatabase(join(folder, "m.db"), rowsWith(text));
    for (const dryRun of [true, false]) {
      const report = await copyData(source, url, { dryRun });
      expect(report).toMatchObject({
        exit_code: 3,
        verified: false,
        summary: "The target cannot store some values. Nothing was changed.",
      });
      expect(report.tables.map(({ faults }) => faults)).toEqual([2, 1, 1, 1]);
      expect(report.faults.map(({ table, key, column }) => `${table} ${key} ${column}`).toSorted()).toEqual(
        [
          "patterns plain tags",
          `patterns ${text} id`,
          "pattern_usage 1 pattern_id",
          "interactions 1 user_id",
          "interaction_metadata 1 metadata",
        ].toSorted(),
      );
      for (const { reason } of report.faults)
        expect(reason).toBe(`the character ${character}, which a database in the encoding ${encoding} cannot hold`);
    }
    const other = await otherProgram(url, "perdura");
    expect((await other.query("SELECT 1 FROM pg_namespace WHERE nspname = 'perdura'")).rows).toEqual([]);
    // Also with existing tables.
    const empty = makeDatabase(join(folder, "empty.db"), { interactions: [interaction(2n, "plain")] });
    expect(await copyData(empty, url)).toMatchObject({ exit_code: 0 });
    const repeated = await copyData(source, url);
    expect(repeated).toMatchObject({ exit_code: 3 });
    expect(repeated.tables.map(({ faults }) => faults)).toEqual([2, 1, 1, 1]);
  });

  test("rejects a character that would be read as another one", async () => {
    const url = await databaseIn("EUC_JP");
    // PostgreSQL converts it to U+FFE4.
    const source = makeDatabase(join(freshFolder(), "m.db"), { interactions: [interaction(1n, "a¦b")] });
    const report = await copyData(source, url);
    expect(report).toMatchObject({ exit_code: 3, faults: [{ key: "1", column: "user_id" }] });
    expect(report.faults[0]?.reason).toMatch(/^the character U\+00A6,/);
  });

  test.each([
    ["SQL_ASCII", "61ff", "a\\xff"],
    ["WIN1252", "6181", "a\\x81"],
    ["EUC_JP", "61f5a1", "a\\xf5\\xa1"],
  ])("what %s cannot give as UTF-8 is listed, on either side", async (encoding, hex, key) => {
    const url = await databaseIn(encoding);
    const folder = freshFolder();
    const source = makeDatabase(join(folder, "m.db"), {
      patterns: [patternRow("p", 1n), patternRow("q", 2n)],
      interactions: [interaction(1n, "u"), interaction(2n, "v")],
    });
    expect(await copyData(source, url)).toMatchObject({ exit_code: 0, verified: true });
    // Another program's session, with the encoding of the database.
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    onTestFinished(() => other.end());
    await other.query(`SET client_encoding = '${encoding}'`);
    const text = `convert_from(decode('${hex}', 'hex'), '${encoding}')`;
    await other.query(`UPDATE perdura.interactions SET user_id = ${text} WHERE id = 2`);
    await other.query(`UPDATE perdura.patterns SET id = ${text} WHERE id = 'q'`);
    for (const [from, to, side] of [
      [url, join(folder, "back.db"), "source"],
      [source, url, "target"],
    ] as const) {
      const report = await copyData(from, to, { dryRun: true });
      expect(report).toMatchObject({ exit_code: 3, summary: "Some values cannot be read. Nothing was changed." });
      expect(report.faults).toEqual(
        [
          { table: "patterns", key, column: "id" },
          { table: "interactions", key: "2", column: "user_id" },
        ].map((fault) => ({ ...fault, reason: `text of the ${side} that PostgreSQL cannot convert to UTF-8` })),
      );
      expect(report.tables.map(({ faults }) => faults)).toEqual([1, 0, 1, 0]);
    }
  });
});
