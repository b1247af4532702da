import { existsSync, mkdirSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { planMigration, pruneMigration, downgradeMigration, verifyMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder } from "../support/folder.ts";
import { randomEntries, writeEntries } from "./random_states.ts";
import { RUNS, TIMEOUT_MS } from "./runs.ts";
import { treeStamp } from "../../../../test/tree_stamp.ts";

const OPTIONS = { saveReport: false };

test("archives, prunes and restores any state directory exactly", { timeout: TIMEOUT_MS }, async () => {
  const folder = freshFolder();
  let run = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(randomEntries, { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 0, max: 2_000_000_000 }),
      async (directories, mtime) => {
        const place = join(folder, String((run += 1)));
        const paths = directories.map((_, index) => join(place, String(index), "empathy_state"));
        for (const [index, path] of paths.entries()) {
          mkdirSync(path, { recursive: true });
          writeEntries(Buffer.from(path), directories[index] ?? []);
          utimesSync(path, mtime, mtime);
        }
        const stamps = (): string[] => paths.map(treeStamp);
        const before = stamps();
        const empty = directories.map((entries) => entries.length === 0);
        const statuses = (status: string): string[] => empty.map((none) => (none ? "left_alone" : status));

        // Comparing nothing is not a success.
        const verified = empty.every(Boolean) ? 1 : 0;

        const plan = await planMigration(place);
        expect([plan.refused, plan.databases]).toEqual([[], []]);
        expect(plan.state_directories.map(({ status }) => status)).toEqual(statuses("planned"));
        const up = await migrate(place, OPTIONS);
        expect(up.state_directories.map(({ status }) => status)).toEqual(statuses("archived"));
        expect((await verifyMigration(place)).exit_code).toBe(verified);
        expect(stamps()).toEqual(before);

        expect((await pruneMigration(place, OPTIONS)).exit_code).toBe(0);
        expect(paths.map((path) => existsSync(path))).toEqual(empty);
        const down = await downgradeMigration(place, OPTIONS);
        expect(down.exit_code).toBe(0);
        expect(stamps()).toEqual(before);
        expect((await verifyMigration(place)).exit_code).toBe(verified);
        rmSync(place, { recursive: true });
      },
    ),
    { numRuns: RUNS * 12, endOnFailure: true },
  );
});
