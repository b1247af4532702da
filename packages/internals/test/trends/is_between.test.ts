import Sqlite from "better-sqlite3";
import fc from "fast-check";
import { expect, test } from "vitest";
import { isTimestamp } from "../../src/text/timestamps.ts";
import { rangeNames, setNear, setRange } from "../../src/metrics/time_range.ts";
import { isBetween, isNear, MOMENT } from "../../src/metrics/trends/time_sql.ts";

const number = (max: number): fc.Arbitrary<string> =>
  fc.integer({ min: 0, max }).map((value) => String(value).padStart(2, "0"));
const joined = (separator: string, ...parts: fc.Arbitrary<string>[]): fc.Arbitrary<string> =>
  fc.tuple(...parts).map((texts) => texts.join(separator));

/** Days that do not exist among them. */
const day = fc.oneof(
  fc.constantFrom("2024-02-29", "2024-03-01", "2024-02-31", "2023-02-29", "0000-01-01", "0001-01-01", "9999-12-31"),
  joined("-", fc.constantFrom("2024", "2023"), number(13), number(32)),
);
const time = fc.oneof(
  fc.constantFrom("00:00:00", "23:59:59", "24:00:00", "23:59:60"),
  joined(":", number(25), number(60), number(60)),
);
const timestamp = fc.oneof(
  {
    weight: 4,
    arbitrary: joined(
      "",
      day,
      fc.constantFrom(" ", " ", " ", "T", ""),
      time,
      fc.constantFrom("", "", "", ".5", ".9996", "Z", "+14:30", "-14:59", "\0", " "),
    ),
  },
  day,
  fc.integer({ min: 2_460_000, max: 2_460_600 }),
  fc.double({ min: 1.7e9, max: 1.72e9, noNaN: true }),
  fc.constantFrom("now", "", null, Buffer.from("2024-02-28 10:00:00")),
);

const limit = fc.oneof(
  joined(
    "T",
    fc.oneof(
      fc.constantFrom("2024-02-29", "2024-01-01", "0000-01-01", "9999-12-31"),
      // The first and the last days of months.
      joined(
        "-",
        fc.constant("2024"),
        fc.constantFrom("01", "02", "03"),
        fc.constantFrom("01", "02", "03", "04", "05", "27", "28", "29"),
      ),
    ),
    fc.constantFrom("00:00:00.000", "10:30:00.000", "10:30:00.500", "23:59:59.999"),
  ),
  fc.constantFrom("", "2024-03-01", "2024-03-01U", "9999-12-31T23:59:59.9999"),
);

test("rows are between two moments as their moments are", () => {
  const database = new Sqlite(":memory:");
  database.exec("CREATE TABLE interactions (timestamp TIMESTAMP)");
  const insert = database.prepare("INSERT INTO interactions VALUES (?)");
  const [expected, quick, near] = [
    `${MOMENT} >= @limits_from AND ${MOMENT} < @limits_before`,
    isBetween("limits"),
    `${isNear("limits")} AND ${isBetween("limits")}`,
  ].map((condition) => database.prepare(`SELECT count(*) FROM interactions WHERE ${condition}`).pluck()) as [
    Sqlite.Statement,
    Sqlite.Statement,
    Sqlite.Statement,
  ];
  let found = 0;
  fc.assert(
    fc.property(timestamp, limit, limit, (stored, from, before) => {
      database.exec("DELETE FROM interactions");
      insert.run(stored);
      const limits: Record<string, string> = {};
      setRange(limits, rangeNames("limits"), from, before);
      setNear(limits, rangeNames("limits"), from, before);
      const given = Object.fromEntries(["limits_from", "limits_before"].map((name) => [name, limits[name]]));
      const count = expected.get(given) as number;
      found += count;
      expect([quick.get(limits), near.get(limits)]).toEqual([count, count]);
    }),
    { numRuns: 3000 },
  );
  expect(found).toBeGreaterThan(100);
  database.close();
});

test("no row of a range is far from it, whatever its zone is, and if its day does not exist", () => {
  const database = new Sqlite(":memory:");
  database.exec("CREATE TABLE interactions (timestamp TIMESTAMP)");
  const insert = database.prepare("INSERT INTO interactions VALUES (?)");
  const twoDigits = (value: number): string => String(value).padStart(2, "0");
  const days = [
    "2023-01",
    "2023-02",
    "2023-03",
    "2023-04",
    "2023-12",
    "2024-01",
    "2024-02",
    "2024-03",
    "2024-04",
  ].flatMap((month) => Array.from({ length: 31 }, (_, index) => `${month}-${twoDigits(index + 1)}`));
  for (const stored of days)
    for (const hours of ["00:00:00", "24:00:00"])
      for (const zone of ["", "+14:59", "-14:59"]) insert.run(`${stored} ${hours}${zone}`);
  const far = database
    .prepare(
      `SELECT timestamp FROM interactions WHERE ${MOMENT} >= @limits_from AND ${MOMENT} < @limits_before AND NOT ${isNear("limits")}`,
    )
    .pluck();
  for (const moment of days.filter((each) => isTimestamp(`${each}T00:00:00`)))
    for (const [from, before] of [
      [`${moment}T00:00:00.000`, "9999-12-31T23:59:59.9999"],
      ["", `${moment}T23:59:59.999`],
    ] as const) {
      const limits: Record<string, string> = { limits_from: from, limits_before: before };
      setNear(limits, rangeNames("limits"), from, before);
      expect(far.all(limits), moment).toEqual([]);
    }
  database.close();
});
