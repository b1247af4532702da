import { storeSuite } from "../store_suite.ts";
import { azureError, HAS_PROXY, LIMITS, startAzure } from "./azure_for_tests.ts";

storeSuite(
  "a container of Azure Blob Storage",
  async () => {
    const azure = await startAzure();
    const { faults } = azure.proxy ?? {};
    return {
      // Few blobs per page, so that all lists have several pages.
      store: await azure.open({}, { pageSize: 3 }),
      partSize: LIMITS.partSize,
      ...(HAS_PROXY && {
        faults: {
          resetNext: () => faults.next({ reset: "before" }),
          loseAnswer: (n) => faults.when({ after: n - 1 }, { reset: "after" }),
          kept: () => {
            const { left } = faults;
            faults.clear();
            return left > 0;
          },
          throttleNext: () => faults.next(azureError(503, "ServerBusy", "The server is busy.")),
          truncateNext: () => faults.next({ truncate: 1000 }),
          changeNext: () => faults.next({ flip: "answer" }),
        },
      }),
      remove: () => azure.stop(),
    };
  },
  HAS_PROXY,
);
