import { spawnSync } from "node:child_process";
import { chownSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { plainUser } from "@perdura/test-servers/processes/plain_user.js";
import { newServerDirectory, removeServerDirectory } from "@perdura/test-servers/processes/server_directory.js";
import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import { startPostgres } from "@perdura/test-servers/postgres/server.js";
import { expect, onTestFinished, test } from "vitest";
import { skipWithout } from "../../../test/needs.ts";
import { countedRows, withoutMean } from "./counted_rows.ts";
import { expectTrends, trendsOfCollector } from "./counted_trends.ts";
import { metricsIn, otherProgram } from "./elements.ts";

const SCHEMA = "perdura";

/** A file system in memory that the servers can write to; undefined if this user may not mount one. */
function smallDisk(): string | undefined {
  const user = plainUser();
  if (process.platform !== "linux" || user === undefined) return undefined;
  const disk = newServerDirectory("disk");
  if (spawnSync("mount", ["-t", "tmpfs", "-o", "size=9m", "perdura", disk]).status !== 0) return undefined;
  onTestFinished(() => {
    spawnSync("umount", [disk]);
    removeServerDirectory(disk);
  });
  chownSync(disk, user.uid, user.gid);
  return disk;
}

describeWithPostgres("on a full disk", () => {
  test("questions count the rows, and try once to fold them", async (context) => {
    const disk = smallDisk();
    if (disk === undefined) return skipWithout("mount", context);
    const server = await startPostgres({ settings: { log_statement: "all", autovacuum: "off" } });
    onTestFinished(() => server.stop());
    const other = otherProgram(server.url, SCHEMA);
    await other.query(`CREATE TABLESPACE small LOCATION '${disk}'`);
    await other.query("ALTER DATABASE postgres SET default_tablespace = small");
    const metrics = metricsIn(server.url, { schema: SCHEMA });
    const records = Array.from({ length: 1000 }, (_, row) => ({
      // One user for each row, whose sums take about as much space as the rows.
      user_id: `user ${row}`,
      success: row % 2 === 0,
      response_time_ms: row,
    }));
    const untilFull = async (): Promise<never> => {
      for (;;) await metrics.recordMany(records);
    };
    await expect(untilFull()).rejects.toMatchObject({
      code: "PERDURA_STORAGE",
      cause: { code: "53100" },
      message: expect.stringMatching(/Nothing was written\.$/) as string,
    });
    const log = join(server.directory, "log");
    const attempts = (): number => readFileSync(log, "utf8").split("pg_try_advisory_xact_lock(").length - 1;
    const counted = await countedRows(other);
    expect(counted.global.total_interactions % records.length).toBe(0);
    const reader = metricsIn(server.url, { schema: SCHEMA });
    expect(await reader.getGlobalStats()).toEqual(counted.global);
    const before = attempts();
    expect(before).toBeGreaterThan(0);
    for (let time = 0; time < 3; time += 1) {
      expect(await reader.getGlobalStats()).toEqual(counted.global);
      expect(withoutMean(await reader.getUserStats("user 1"))).toEqual(withoutMean(counted.user("user 1")));
      await expectTrends(trendsOfCollector(reader), other, ["user 1"]);
    }
    expect(attempts()).toBe(before);
    // What is asked for explicitly is tried.
    await expect(reader.recount()).resolves.toMatchObject({ wrongUsers: [], wrongTotals: false });
  });
});
