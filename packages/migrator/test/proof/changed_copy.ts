import { connect } from "../../../../test/legacy/legacy_database.ts";
import type { ProgressEvent } from "../../src/index.ts";

/** An observer of progress that changes a copy just before the comparison with it. */
export function changingCopy(copy: string, change: string): (event: ProgressEvent) => void {
  let isChanged = false;
  return ({ stage }) => {
    if (stage !== "verify" || isChanged) return;
    isChanged = true;
    const database = connect(copy);
    database.pragma("foreign_keys = OFF");
    database.exec(change);
    database.close();
  };
}
