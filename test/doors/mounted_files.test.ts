import { copyFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { openBackupStore } from "@perdura/backup";
import * as v15 from "@perdura/v15";
import * as v16 from "@perdura/v16";
import { describe, expect, test } from "vitest";
import { main as inspect } from "../../packages/inspect/src/cli/main.ts";
import { freshFolder } from "../fresh_folder.ts";
import { canMount, mount } from "../mounts.ts";
import { needs } from "../needs.ts";
import { runMain } from "../run_main.ts";
import { DOORS } from "./doors.ts";
import { contentOf } from "./folder_content.ts";

function library(...ids: string[]): v16.PatternLibrary {
  const made = new v16.PatternLibrary();
  for (const id of ids) made.contribute("agent", { id, pattern_type: "t", name: "n" });
  return made;
}

/** A file in a folder of its own, on which a file of another folder is mounted. */
function mounted(outside: string): string {
  const path = join(freshFolder(), basename(outside));
  writeFileSync(path, "");
  mount("--bind", outside, path);
  return path;
}

const CHANGING = DOORS.filter(({ intent }) => intent === "write");

/** Refusals, also of the pre-16 line and of commands that need a backup or keep the file for another reason. */
const KEPT = /mount point|was kept|no backup|reads the pre-16 line/i;

describe("a single file that is a mount point", needs("mount", !canMount()), () => {
  test.each(CHANGING)("is changed in full by $name, or not at all", async ({ enter }) => {
    const outside = join(freshFolder(), "metrics.db");
    using collector = new v16.MetricsCollector(outside);
    collector.recordInteraction("ann", 4, true, 1);
    v16.PatternPersistence.saveToSqlite(library("p"), outside);
    collector.close();
    const path = mounted(outside);
    const before = contentOf(dirname(path));
    const refusal = await enter(path, freshFolder());
    if (refusal === undefined) expect([...contentOf(dirname(path)).keys()]).toEqual(["metrics.db"]);
    else {
      expect(refusal).toMatch(KEPT);
      expect(contentOf(dirname(path))).toEqual(before);
    }
    copyFileSync(outside, `${outside}.copy`);
    expect(v16.PatternPersistence.loadFromSqlite(`${outside}.copy`).patterns.has("p")).toBe(true);
  });

  test("is not replaced by a library in JSON that is restored, imported or saved", async () => {
    const folder = freshFolder();
    const outside = join(folder, "library.json");
    v16.PatternPersistence.saveToJson(library("p"), outside);
    v16.PatternPersistence.saveToJson(library("q"), join(folder, "q.json"));
    const store = await openBackupStore(`file://${folder}/backups`);
    await store.backup(join(folder, "q.json"), { name: "q" });
    const path = mounted(outside);
    const before = contentOf(dirname(path));
    await expect(store.restore("q", { to: path, overwrite: true })).rejects.toThrow(/a mount point/);
    expect(() => v16.PatternPersistence.saveToJson(library("q"), path)).toThrow(/a mount point/);
    const { code, stderr } = await runMain(inspect, ["patterns", "import", "q.json", path], { cwd: folder });
    expect([code, stderr]).toEqual([1, expect.stringContaining("a mount point")]);
    expect(contentOf(dirname(path))).toEqual(before);
  });
});

test("a state in two files of which one is a mount point says what is left", needs("mount", !canMount()), () => {
  const folder = freshFolder();
  const outside = join(freshFolder(), "outside.json");
  // The canonical name, and the raw id as an older program wrote it.
  for (const path of [join(folder, "a%3ab.json"), outside]) writeFileSync(path, '{"user_id":"a:b"}');
  const raw = join(folder, "a:b.json");
  writeFileSync(raw, "");
  mount("--bind", outside, raw);
  expect(() => new v15.StateManager(folder).deleteState("a:b")).toThrow(
    /deleting several files failed: .*mount point.* What was deleted before stays deleted\. Call again for the rest\.$/,
  );
  expect([...contentOf(folder).keys()]).toEqual(["a:b.json"]);
});
