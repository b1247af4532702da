import { readdirSync, writeFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ProgressEvent } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder } from "../support/folder.ts";

test("of two concurrent runs one writes the archive and the other uses it", async () => {
  const folder = freshFolder();
  const directory = join(folder, "empathy_state");
  mkdirSync(directory);
  writeFileSync(join(directory, "alice.json"), '{"user_id": "alice", "trust_level": 0.5}');
  let other: ReturnType<typeof migrate> | undefined;
  const onProgress = ({ stage }: ProgressEvent): void => {
    if (stage === "archive") other ??= migrate(directory, { saveReport: false });
  };
  const [one, two] = [await migrate(directory, { saveReport: false, onProgress }), await other];
  expect([one.exit_code, two?.exit_code]).toEqual([0, 0]);
  expect([one, two].map((report) => report?.state_directories[0]?.archive?.path)).toEqual(
    Array.from({ length: 2 }, () => `${directory}.v15.sqlar`),
  );
  expect(readdirSync(folder).toSorted()).toEqual(["empathy_state", "empathy_state.v15.sqlar"]);
});
