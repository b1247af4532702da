import type { InstrumenterContext } from "@stryker-mutator/api/core";

const NAME = "__stryker__";

/** The object by which instrumented code and a test runner talk in one process. */
export function strykerState(): InstrumenterContext {
  const everything = globalThis as unknown as Record<typeof NAME, InstrumenterContext | undefined>;
  return (everything[NAME] ??= {});
}

/** What makes instrumented code run with a mutant from the start of a process. */
export const MUTANT_VARIABLE = "__STRYKER_ACTIVE_MUTANT__";
