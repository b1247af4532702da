import { existsSync } from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import { installedBinaries } from "../src/postgres/installed_binaries.ts";
import { startPostgres } from "../src/postgres/server.ts";
import { startStandby } from "../src/postgres/standby.ts";
import { runs, treeOf } from "../src/processes/process_tree.ts";
import { until } from "../src/processes/until.ts";
import { query } from "./query.ts";
import { needs } from "../../needs.ts";

const NONE = installedBinaries() === undefined;

describe("a standby", needs("postgres", NONE), () => {
  test("follows its primary, is read-only, and can be promoted", async () => {
    const primary = await startPostgres();
    onTestFinished(() => primary.stop());
    await query(primary.url, "CREATE TABLE rows (id int)", "INSERT INTO rows VALUES (1)");
    const standby = await startStandby(primary);
    onTestFinished(() => standby.stop());
    const rows = async (): Promise<unknown> => (await query(standby.url, "SELECT count(*)::int FROM rows"))[0]?.[0];
    expect(await rows()).toBe(1);
    await query(primary.url, "INSERT INTO rows SELECT generate_series(2, 1000)");
    await until("the rows on the standby", async () => (await rows()) === 1000);
    expect(await query(standby.url, "SHOW server_version")).toEqual(await query(primary.url, "SHOW server_version"));
    await expect(query(standby.url, "INSERT INTO rows VALUES (0)")).rejects.toMatchObject({ code: "25006" });

    await standby.restart("fast");
    await query(primary.url, "INSERT INTO rows VALUES (1001)");
    await until("the next row on the standby", async () => (await rows()) === 1001);

    expect(await query(standby.url, "SELECT pg_promote()")).toEqual([[true]]);
    await query(standby.url, "INSERT INTO rows VALUES (0)");
    expect(await rows()).toBe(1002);
    expect(await query(primary.url, "SELECT count(*)::int FROM rows")).toEqual([[1001]]);
  });

  test("leaves no process and no files when it is stopped before or after its primary", async () => {
    for (const first of ["standby", "primary"]) {
      const primary = await startPostgres();
      const standby = await startStandby(primary);
      const [tree, directory] = [treeOf(standby.pid), standby.directory];
      if (first === "primary") await primary.stop();
      await standby.stop();
      if (first === "standby") await primary.stop();
      expect(tree.filter(runs)).toEqual([]);
      expect(existsSync(directory)).toBe(false);
    }
  });

  test("does not start if its primary does not run", async () => {
    const primary = await startPostgres();
    onTestFinished(() => primary.stop());
    await primary.kill();
    await expect(startStandby(primary)).rejects.toThrow("ECONNREFUSED");
  });
});
