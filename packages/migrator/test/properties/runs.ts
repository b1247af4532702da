import { PATIENCE_MS } from "../../../../test/patience.ts";

/** Factor for the number of runs: 1 in `npm test`; `PERDURA_RUNS=50` runs fifty times as many. */
export const RUNS: number = Number(process.env["PERDURA_RUNS"] ?? "1");

/** Timeout for all runs of one property, in milliseconds; Node has no longer one than 2^31 - 1. */
export const TIMEOUT_MS: number = Math.min(PATIENCE_MS * RUNS, 2 ** 31 - 1);
