import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as v15 from "@perdura/v15";
import * as v16 from "@perdura/v16";
import { onTestFinished } from "vitest";

/** Both lines by name, for tests that hold for each. */
export const LINES = [
  { name: "v15", line: v15 },
  { name: "v16", line: v16 },
] as const;

/** An empty directory that is gone when the test is over. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "perdura-test-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
