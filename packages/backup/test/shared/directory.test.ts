import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { backupSuite } from "./backup_suite.ts";
import { freshFolder } from "../../../../test/fresh_folder.ts";

const root = freshFolder();

backupSuite("a directory", { wrong: false, proxy: false }, () => {
  mkdirSync(join(root, "backups"));
  return Promise.resolve({
    address: pathToFileURL(join(root, "backups")).href,
    missing: pathToFileURL(join(root, "missing", "backups")).href,
    environment: {},
    stop: () => Promise.resolve(),
  });
});
