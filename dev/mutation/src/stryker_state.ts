import { INSTRUMENTER_CONSTANTS, type InstrumenterContext } from "@stryker-mutator/api/core";

/** The object that instrumented code and a runner share in one process: active mutant, current test, coverage. */
export function strykerState(): InstrumenterContext {
  const everything = globalThis as unknown as Record<string, InstrumenterContext | undefined>;
  return (everything[INSTRUMENTER_CONSTANTS.NAMESPACE] ??= {});
}
