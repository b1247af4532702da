import { PATIENCE_MS } from "../../../../test/patience.ts";

/** How much is tried: 1 in `npm test`; `PERDURA_RUNS=50` tries fifty times as much. */
export const RUNS: number = Number(process.env["PERDURA_RUNS"] ?? "1");

/** A whole run of one property, in milliseconds. */
export const TIMEOUT_MS: number = PATIENCE_MS * RUNS;
