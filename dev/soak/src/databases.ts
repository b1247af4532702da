import { readDamagedFiles } from "./databases/damaged_files.ts";
import { listHostileNames } from "./databases/names_on_disk.ts";
import { makeHostileReports } from "./databases/reports.ts";
import { lookForSecrets } from "./databases/secrets.ts";
import type { Soak } from "./soak.ts";

/** Damaged and hostile database files. */
export const databases: Soak = {
  name: "databases",
  about: "lets every reader of SQLite files read damaged and hostile ones: right answers or clear refusals",
  missing: () => undefined,
  run: async (round) => {
    await readDamagedFiles(round);
    await makeHostileReports(round);
    await listHostileNames(round);
    await lookForSecrets(round);
  },
};
