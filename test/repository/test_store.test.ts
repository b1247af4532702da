import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const TOOL = fileURLToPath(new URL("../../dev/tools/test_store.ts", import.meta.url));

test("pnpm test:store prints its usage, and does not print an unknown address", () => {
  const seen = (...words: string[]) =>
    spawnSync(process.execPath, ["--no-warnings", TOOL, ...words], { encoding: "utf8" });
  expect(seen("--help")).toMatchObject({ status: 0, stderr: expect.stringContaining("pnpm test:store ADDRESS") });
  for (const words of [[], ["https://u:hunter2@host"], ["s3://bucket", "s3://other"]]) {
    const { status, stdout, stderr } = seen(...words);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toContain("Expected one address that begins with s3:// or gs://.");
    expect(stderr).not.toMatch(/hunter2|other/);
  }
});
