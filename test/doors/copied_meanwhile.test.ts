import { existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { copyData, type ProgressEvent } from "@perdura/migrator";
import { describeWithPostgres } from "../servers/src/postgres/for_tests.ts";
import * as v16 from "@perdura/v16";
import { beforeAll, expect, test } from "vitest";
import { freshFolder } from "../fresh_folder.ts";
import { ON_POSIX } from "../needs.ts";
import { DISPLACED } from "./displaced.ts";

/** A database with a library and interactions. */
function recorded(): string {
  const path = join(freshFolder(), "recorded.db");
  using collector = new v16.MetricsCollector(path);
  collector.recordMany(
    Array.from({ length: 3 }, () => ({ user_id: "u", level: 4, success: true, response_time_ms: 1 })),
  );
  const library = new v16.PatternLibrary();
  library.contribute("agent", { id: "p", pattern_type: "t", name: "n" });
  v16.PatternPersistence.saveToSqlite(library, path);
  return path;
}

describeWithPostgres("a copy from PostgreSQL to a file", (postgres) => {
  const CELLS = Object.entries(DISPLACED).flatMap(([what, displace]) =>
    (["compare", "copy", "verify"] as const).map((stage) => ({ what, displace, stage })),
  );

  beforeAll(async () => void (await copyData(recorded(), postgres.url)));

  test.each(CELLS)("is not verified if $what at the stage $stage", ON_POSIX, async ({ displace, stage }) => {
    const path = join(freshFolder(), "data", "metrics.db");
    mkdirSync(dirname(path));
    // Then nothing is left to copy.
    if (stage === "compare") await copyData(postgres.url, path);
    let displaced = false;
    const onProgress = (event: ProgressEvent): void => {
      if (event.stage !== stage || displaced || !existsSync(`${path}-wal`)) return;
      displaced = true;
      displace(path);
    };
    await expect(copyData(postgres.url, path, { onProgress })).rejects.toMatchObject({
      code: "PERDURA_STORAGE",
      path,
      message: expect.stringMatching(/ was (?:replaced|moved away or removed)/),
    });
    expect(displaced).toBe(true);
  });
});
