import type { Connection, Session } from "../connection/connection.ts";
import type { Tables } from "../layout/set_up.ts";

/**
 * SQL for metadata without an interaction, which another program left where foreign keys did not apply, by
 * `session_replication_role` or disabled triggers. Follows SELECT or DELETE.
 */
function orphanedMetadata({ names, isSpread }: Tables): string {
  return `FROM ${names.interactionMetadata} AS m WHERE NOT EXISTS (SELECT 1 FROM ${names.interactions} AS i WHERE i.id = m.interaction_id${isSpread ? " AND i.user_id = m.user_id" : ""})`;
}

export async function countOrphanedMetadata(session: Session | Connection, tables: Tables): Promise<number> {
  const [found] = await session.query<{ orphans: number }>(`SELECT count(*) AS orphans ${orphanedMetadata(tables)}`);
  return found?.orphans ?? 0;
}

/** Deletes them in one transaction: no other program needs their locks. Returns their number. */
export async function deleteOrphanedMetadata(connection: Connection, tables: Tables): Promise<number> {
  return connection.transaction("write", async (session) => {
    const [gone] = await session.query<{ orphans: number }>(
      `WITH gone AS (DELETE ${orphanedMetadata(tables)} RETURNING 1) SELECT count(*) AS orphans FROM gone`,
    );
    return gone?.orphans ?? 0;
  });
}
