import { openBackupStore } from "@perdura/backup";
import { copyData } from "@perdura/migrator";
import { openPersistenceAsync } from "@perdura/v16";

/** The library that a backup would copy. */
export const SOURCE = "library.db";

/** Functions that take an address; their other inputs are in the working directory. */
export const OPENINGS: Record<string, (address: string) => Promise<unknown>> = {
  openPersistenceAsync: async (address) => {
    const persistence = await openPersistenceAsync({ user_id: "u", persistence_path: address });
    // Only the first question goes to a server.
    return persistence.metrics.getAllUsers().finally(() => persistence.close());
  },
  openBackupStore: async (address) => {
    const store = await openBackupStore(address);
    return store.list("x").finally(() => store.close());
  },
  copyData: (address) => copyData(SOURCE, address),
  "copyData from": (address) => copyData(address, "new.db"),
};
