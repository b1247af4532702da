import { afterAll, beforeAll, describe } from "vitest";
import type { ObjectStore } from "../../src/stores/object_store.ts";
import { describeFaults } from "./suite/faults.ts";
import type { StoreFaults } from "./suite/faults.ts";
import { describeLists } from "./suite/lists.ts";
import { describeObjects } from "./suite/objects.ts";
import { describeUploads } from "./suite/uploads.ts";

/** An empty store with its properties for the tests. */
export interface SuiteStore {
  store: ObjectStore;
  /** Its limit; larger objects are sent in parts. */
  partSize: number;
  faults?: StoreFaults;
  /** Removes the data of the tests. */
  remove?(): Promise<void>;
}

/**
 * Describes the required behaviour of every store.
 *
 * @param faulty True if `open` provides faults; there are no tests of faults without them.
 */
export function storeSuite(name: string, open: () => Promise<SuiteStore>, faulty: boolean): void {
  describe(name, () => {
    let opened: SuiteStore;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(async () => {
      await opened.store.close();
      await opened.remove?.();
    });
    const store = (): ObjectStore => opened.store;
    describeObjects(store);
    describeLists(store);
    describeUploads(store, () => opened.partSize);
    if (faulty)
      describe("with faults", () =>
        describeFaults(
          store,
          () => opened.partSize,
          () => opened.faults as StoreFaults,
        ));
  });
}
