import fc from "fast-check";
import { expect, test } from "vitest";
import { breakdownQueries } from "../../src/metrics/breakdown/breakdown_queries.ts";
import { percentilesOfBuckets } from "../../src/metrics/breakdown/percentiles.ts";
import { asked, newPath } from "../rollup/databases.ts";

/** Texts of values; several stand for the same number. */
const TEXTS = ["1", "1.0", "1e0", "10e-1", "0", "-0", "-0.0", "0.10", "0.1", "9007199254740993", '"1"', '"x"', "null"];

test("equal numbers that are written differently are one value, also with many interactions", () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...TEXTS), { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 1, max: 6 }),
      (texts, limit) => {
        const { database } = asked(newPath());
        database.transaction(() => {
          for (const [index, text] of texts.entries()) {
            database.prepare("INSERT INTO interactions (user_id, level, success) VALUES ('u', 1, ?)").run(index % 2);
            database.prepare("INSERT INTO interaction_metadata VALUES (last_insert_rowid(), ?)").run(`{"key":${text}}`);
          }
        })();
        const question = { key: "key", numbers: ["key"], limit, user: undefined, range: undefined };
        const exact = breakdownQueries(database).breakdown(question);
        expect(breakdownQueries(database, 0).breakdown(question)).toEqual(
          exact.map((row) => ({ ...row, ...percentilesOfBuckets(new Map()) })),
        );
      },
    ),
  );
});
