import { hash } from "node:crypto";
import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, onTestFinished, TestRunner } from "vitest";

/** A fresh directory that is removed after the test, or after the file where no test asks for it. */
export function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "perdura-migrator-"));
  const removed = TestRunner.getCurrentTest() === undefined ? afterAll : onTestFinished;
  removed(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Every entry below a directory with its mode, time and content: equal text means that no byte changed. */
export function stampOf(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .toSorted()
    .map((name) => {
      const found = lstatSync(join(folder, name), { bigint: true });
      const content = found.isFile() ? hash("sha256", readFileSync(join(folder, name))) : "";
      return `${name} ${found.mode} ${found.mtimeNs} ${found.size} ${content}`;
    })
    .join("\n");
}
