import { expect, test } from "vitest";
import { addRows, asked, fake, newPath } from "./databases.ts";
import { differences } from "./compare.ts";

test("reports exactly the differences", () => {
  const { database, rollup, allRows } = asked(newPath());
  addRows(database, 30);
  rollup.foldAll();
  expect(differences(rollup, allRows, ["nobody"])).toEqual([]);
  fake(database);
  expect(differences(rollup, allRows).map((text) => text.slice(0, text.search(/: [[{]/)))).toEqual([
    "global",
    'user "a"',
    'user "b"',
    'user "c"',
    "overview",
    "top users",
  ]);
});

test("tolerates a difference of rounding in a mean, and no larger one", () => {
  const { database, allRows } = asked(newPath());
  addRows(database, 3);
  const off = (share: number): typeof allRows => ({
    ...allRows,
    user: (userId) => {
      const user = allRows.user(userId);
      return { ...user, avg_response_time_ms: user.avg_response_time_ms * (1 + share) };
    },
  });
  expect(differences(off(5e-13), allRows)).toEqual([]);
  expect(differences(off(2e-12), allRows)).not.toEqual([]);
});
