import { join } from "node:path";
import { expect, test } from "vitest";
import { InteractionLog } from "../../src/metrics/interaction_log.ts";
import { freshFolder } from "../../../../test/fresh_folder.ts";

test("a deletion whose collector is closed in a pause ends with a ClosedError", () => {
  const log = new InteractionLog(join(freshFolder(), "metrics.db"), "level");
  const haveOthersWritten = log.watch();
  expect(haveOthersWritten()).toBe(false);
  log.close();
  expect(haveOthersWritten).toThrow(expect.objectContaining({ code: "PERDURA_CLOSED" }));
});
