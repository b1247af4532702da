import { rmSync } from "node:fs";
import { afterAll, onTestFinished, TestRunner } from "vitest";
import { temporaryFolder } from "./temporary_folder.ts";

/** An empty directory that is removed after the test, or after the file where no test asks for it. */
export function freshFolder(parent?: string): string {
  const folder = temporaryFolder(parent);
  const removed = TestRunner.getCurrentTest() === undefined ? afterAll : onTestFinished;
  removed(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
