/** Number of runs of a property: `PERDURA_RUNS=50` runs it fifty times as often as `npm test` on the newest server. */
export const runs = (usual: number): number => Math.ceil(usual * Number(process.env["PERDURA_RUNS"] ?? 1));
