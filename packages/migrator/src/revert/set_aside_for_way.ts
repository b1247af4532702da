import { changeSchemaText } from "../databases/schema_text.ts";
import { type SetAside, setAside } from "../databases/set_aside/set_aside.ts";
import { findUnparsable } from "../databases/set_aside/unparsable.ts";
import type { Catalog } from "../recognise/catalog.ts";
import type { Lineage } from "./lineage.ts";
import type { OldForm } from "./old_form.ts";

/**
 * What ALTER TABLE cannot parse has other texts while a table changes. What gets its former text at the end anyway needs
 * nothing more; the rest is dealt with as on the way there.
 */
export function setAsideForWay(catalog: Catalog, { metrics, rebuilds }: OldForm, { restore }: Lineage): SetAside {
  if (metrics === null) return { first: [], last: [], notes: [] };
  const restored = findUnparsable(catalog).filter(({ type, name }) =>
    restore.some((entry) => entry.type === type && entry.name === name),
  );
  const stands = new Map(restored.map(({ type, name, stand }) => [`${type} ${name}`, stand]));
  const others = {
    ...catalog,
    entries: catalog.entries.map((entry) => ({
      ...entry,
      sql: stands.get(`${entry.type} ${entry.name}`) ?? entry.sql,
    })),
  };
  const gone = metrics.level === null ? ["level"] : [];
  const renamed = [...(rebuilds ? ["interactions"] : []), ...(metrics.level === null ? [] : ["level"])];
  const rest = setAside(others, { renamed, dropped: gone });
  if (restored.length === 0) return rest;
  return {
    ...rest,
    first: [
      {
        title: `set ${restored.map(({ type, name }) => `the ${type} ${name}`).join(" and ")} aside, which ALTER TABLE cannot parse`,
        run: (database) =>
          changeSchemaText(
            database,
            restored.map(({ type, name, sql, stand }) => ({ type, name, from: sql, to: stand })),
          ),
      },
      ...rest.first,
    ],
  };
}
