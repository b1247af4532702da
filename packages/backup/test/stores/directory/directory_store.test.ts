import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DirectoryStore } from "../../../src/stores/directory/directory_store.ts";
import { storeSuite } from "../store_suite.ts";

storeSuite(
  "a directory",
  () => {
    const root = mkdtempSync(join(tmpdir(), "perdura-directory-store-"));
    return Promise.resolve({
      store: new DirectoryStore(root, `file://${root}`),
      partSize: 5 << 20,
      remove: () => Promise.resolve(rmSync(root, { recursive: true, force: true })),
    });
  },
  false,
);
