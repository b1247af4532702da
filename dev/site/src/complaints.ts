import type { Application } from "typedoc";

/** @throws Error if TypeDoc warned of anything; it has printed the warnings. */
export function assertNoComplaints(app: Application, what: string): void {
  const { errorCount, warningCount, validationWarningCount } = app.logger;
  const count = errorCount + warningCount + validationWarningCount;
  if (count > 0) throw new Error(`${what}: TypeDoc reported ${count} problems; its messages are above.`);
}
