import { expect, test } from "vitest";
import { type Progress, progressLine, stageLine } from "../src/progress_line.ts";

const EVENT: Progress = {
  event: "progress",
  path: "/far/away/in/a/deep/tree/metrics.db",
  stage: "verify",
  detail: "comparing rows",
  done: 500,
  total: 1000,
  unit: "rows",
};
const WORDS = "/far/away/in/a/deep/tree/metrics.db: comparing rows";

test("stageLine names the stage", () => {
  expect(stageLine(EVENT)).toBe("/far/away/in/a/deep/tree/metrics.db: verify: comparing rows");
});

test.each([
  [200, 45, `${WORDS}  [##########..........]  50%  500 of 1,000 rows  about 45 s left in this step`],
  [200, null, `${WORDS}  [##########..........]  50%  500 of 1,000 rows`],
  // The end of the path identifies the file; words are not cut.
  [
    108,
    45,
    "…ee/metrics.db: comparing rows  [##########..........]  50%  500 of 1,000 rows  about 45 s left in this step",
  ],
  [94, 45, "…p/tree/metrics.db: comparing rows  [##########..........]  50%  500 of 1,000 rows  about 45 s"],
  [80, 45, "…ee/metrics.db: comparing rows  [#####.....]  50%  500 of 1,000 rows  about 45 s"],
  [70, 45, "…a/deep/tree/metrics.db: comparing rows  [#####.....]  50%  about 45 s"],
  [48, 45, "…ree/metrics.db: comparing rows  50%  about 45 s"],
  [46, 45, "…e/metrics.db: comparing rows  50%  about 45 s"],
  [24, 45, "…cs.db: comparing …  50%"],
  [14, 45, "…db: com…  50%"],
  [9, 45, "…: …  50%"],
])("fits into %i columns with %j seconds left", (width, left, line) => {
  expect({ line: progressLine(EVENT, left, width) }).toEqual({ line });
});

test("omits amounts without a total if there is hardly room for the text", () => {
  expect(progressLine({ ...EVENT, done: 1234, total: null }, null, 20)).toBe("…cs.db: comparing r…");
});

test.each([
  [{ done: null, total: 5 }, ""],
  [{ done: 1234, total: null }, "  1,234 rows"],
  [{ done: 1234, total: null, unit: null }, "  1,234"],
  [{ done: 1500, total: null, unit: "bytes" }, "  1.5 kB"],
  [{ done: 0, total: 0 }, "  0 rows"],
  [{ done: 1500, total: 3_000_000, unit: "bytes" }, "  [....................]   0%  1.5 kB of 3.0 MB"],
  [{ done: 2000, total: 1000 }, "  [####################] 100%  2,000 of 1,000 rows"],
  [{ done: -5, total: 1000 }, "  [....................]   0%  -5 of 1,000 rows"],
  [{ done: 999, total: 1000, unit: null }, "  [###################.]  99%  999 of 1,000"],
] as const)("shows %j as %j", (part, end) => {
  expect(progressLine({ ...EVENT, ...part }, null, 200)).toBe(`${WORDS}${end}`);
});

test("shows the rate if there is room, unless it is below one per second", () => {
  expect(progressLine(EVENT, 45, 200, 12_345)).toBe(
    `${WORDS}  [##########..........]  50%  500 of 1,000 rows  12,345 rows/s  about 45 s left in this step`,
  );
  expect(progressLine({ ...EVENT, total: null }, null, 200, 7)).toBe(`${WORDS}  500 rows  7 rows/s`);
  expect(progressLine(EVENT, 45, 120, 12_345)).not.toContain("rows/s");
  expect(progressLine(EVENT, 45, 200, 0.4)).not.toContain("rows/s");
});
