import { mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** An empty directory, which the caller removes. Tests use `freshFolder`. */
export function temporaryFolder(parent: string = tmpdir(), prefix = "perdura-test-"): string {
  return realpathSync(mkdtempSync(join(parent, prefix)));
}
