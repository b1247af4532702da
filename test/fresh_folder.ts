import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, onTestFinished, TestRunner } from "vitest";

/** An empty directory that is removed after the test, or after the file where no test asks for it. */
export function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "perdura-test-"));
  const removed = TestRunner.getCurrentTest() === undefined ? afterAll : onTestFinished;
  removed(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
