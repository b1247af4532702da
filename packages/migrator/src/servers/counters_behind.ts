import type { PostgresTables, Tables } from "@perdura/postgres/tables";
import type { CounterBehind } from "./server_report.ts";

/** Looks for counters that are behind their tables. Those that this role may not read are passed over. */
export async function countersBehind(tables: PostgresTables, { names }: Tables): Promise<CounterBehind[]> {
  const client = await tables.connect();
  try {
    await tables.begin(client, "read");
    const behind: CounterBehind[] = [];
    for (const [table, name, column] of [
      ["interactions", names.interactions, "id"],
      ["pattern_usage", names.patternUsage, "id"],
      ["patterns", names.patterns, "position"],
    ] as const) {
      const { rows } = await client.query<{ last: string; highest: string }>(
        `SELECT last::text AS last, highest::text AS highest
         FROM pg_get_serial_sequence($1, '${column}') AS found (name), LATERAL (SELECT name::regclass) AS given (counter),
           LATERAL (SELECT coalesce(pg_sequence_last_value(counter), 0), (SELECT coalesce(max(${column}), 0) FROM ${name})
             WHERE has_sequence_privilege(counter, 'SELECT')) AS state (last, highest)
         WHERE last < highest`,
        [name],
      );
      behind.push(...rows.map((row) => ({ table, column, ...row })));
    }
    return behind;
  } finally {
    client.release(true);
  }
}
