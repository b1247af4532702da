import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const TOOL = fileURLToPath(new URL("../../dev/tools/postgres_versions.ts", import.meta.url));

test("pnpm test:postgres refuses an unknown version before it runs anything", () => {
  const words = ["--no-warnings", TOOL, "13", "12"];
  expect(spawnSync(process.execPath, words, { encoding: "utf8" })).toMatchObject({
    status: 2,
    stdout: "",
    stderr: "postgres_versions: expected versions among 13, 14, 15, 16, 17, 18, got 13, 12\n",
  });
});
