import { readDamagedFiles } from "./databases/damaged_files.ts";
import { listHostileNames } from "./databases/names_on_disk.ts";
import type { Soak } from "./soak.ts";

/** Damaged and hostile database files. */
export const databases: Soak = {
  name: "databases",
  about: "read damaged and hostile SQLite files with every reader",
  missing: () => undefined,
  run: async (round) => {
    await readDamagedFiles(round);
    await listHostileNames(round);
  },
};
