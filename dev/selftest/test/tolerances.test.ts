import { expect, it } from "vitest";
import { OPERATIONS } from "../../../packages/conformance/src/protocol/operations.ts";
import type { Answer } from "../../../packages/conformance/src/protocol/messages.ts";
import type { Call } from "../src/mutants/mutations.ts";
import { TOLERANCES } from "../src/tolerances.ts";

const operations = Object.values(OPERATIONS).flat();

// Cases in which a habit changes nothing are not run with it.
it.each(TOLERANCES.filter(({ mutation }) => mutation.op !== undefined))(
  "an implementation that $name changes calls of one operation only",
  ({ mutation }) => {
    expect(operations).toContain(mutation.op);
    expect(mutation.settled).toBeUndefined();
    for (const op of operations.filter((name) => name !== mutation.op)) {
      const request: Call = { seq: 1, type: "call", op, args: { filepath: "none", db_path: "none" } };
      const answer: Answer = { seq: 1, type: "ok", value: { level_1_count: 0, users: [] } };
      expect(mutation.before?.(request, "") ?? request).toBe(request);
      expect(mutation.answer?.(request, answer) ?? answer).toBe(answer);
    }
  },
);
