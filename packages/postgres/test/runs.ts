/** How often a property is tried: `PERDURA_RUNS=50` tries it fifty times as often as `npm test` on the newest server. */
export const runs = (usual: number): number => Math.ceil(usual * Number(process.env["PERDURA_RUNS"] ?? 1));
