import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { backupSuite } from "./backup_suite.ts";

backupSuite("a directory", () => {
  const root = mkdtempSync(join(tmpdir(), "perdura-backup-directory-"));
  mkdirSync(join(root, "backups"));
  return Promise.resolve({
    address: pathToFileURL(join(root, "backups")).href,
    missing: pathToFileURL(join(root, "missing", "backups")).href,
    environment: {},
    stop: () => Promise.resolve(rmSync(root, { recursive: true, force: true })),
  });
});
