import { sqlName } from "@perdura/internals/text/quoted_sql.js";
import type { SchemaEntry } from "../sql/catalog.ts";
import { type FiredTriggers, firedTriggers, isOurs, type RowChange, tablesDeleted } from "../steps/fired_triggers.ts";
import { allWritesOf, canRunEndlessly, chainOf, type Trigger, triggersIn } from "../sql/triggers.ts";
import { fullTextOver } from "../sql/virtual_tables.ts";
import type { Step } from "../steps/step.ts";

/** The tables that the user's triggers write while steps run, and notes on these triggers. */
interface TriggersOfSteps extends Pick<FiredTriggers, "written"> {
  notes: string[];
}

/**
 * Determines which triggers of the user fire in the steps.
 *
 * @param entries The schema before the steps.
 */
export function triggersOfSteps(entries: readonly SchemaEntry[], steps: readonly Step[]): TriggersOfSteps {
  const changes = steps.flatMap((step) => step.changes ?? []);
  const { fired, silent, written } = firedTriggers(entries, changes);
  const triggers = triggersIn(entries);
  return {
    written,
    notes: [
      ...noteOnFired(fired, triggers),
      ...silent
        .filter(({ name }) => !name.toLowerCase().startsWith("perdura_"))
        .map((one) => noteOnSilent(one, triggers, entries)),
      ...notesOnFullText(entries, fired, triggers, changes),
    ],
  };
}

function noteOnFired(fired: readonly Trigger[], triggers: readonly Trigger[]): string[] {
  if (fired.length === 0) return [];
  const named = fired.map((trigger) => {
    const { name, on } = trigger;
    const writes = othersWritten(trigger, triggers);
    return `${name} on ${on.table}${writes === "" ? "" : ` (writes ${writes})`}`;
  });
  return [`your triggers fire for rows that leave or enter their table, or whose values change: ${named.join(", ")}`];
}

function othersWritten(trigger: Trigger, triggers: readonly Trigger[]): string {
  const written = allWritesOf(trigger, triggers).map(({ table }) => table);
  return [...new Set(written)].filter((table) => !isOurs(table)).join(", ");
}

function noteOnSilent(trigger: Trigger, triggers: readonly Trigger[], entries: readonly SchemaEntry[]): string {
  const deleted = tablesDeleted(trigger, triggers, entries);
  if (deleted.length > 0)
    return `your trigger ${trigger.name} does not fire when rows of ${trigger.on.table} leave, enter or change, because it deletes rows of ${[...new Set(deleted)].join(", ")}, which a downgrade could not restore; bring them up to date afterwards`;
  if (chainOf(trigger, triggers).some(canRunEndlessly))
    return `your trigger ${trigger.name} does not fire when rows of ${trigger.on.table} leave, enter or change, because it has a common table expression, which can run without end; bring ${othersWritten(trigger, triggers)} up to date afterwards`;
  const changed = [...new Set(allWritesOf(trigger, triggers).map(({ table }) => table))].filter(isOurs).join(", ");
  const others = othersWritten(trigger, triggers);
  return `your trigger ${trigger.name} does not fire when rows of ${trigger.on.table} leave, enter or change, because it changes ${changed}${others === "" ? "" : `; bring ${others} up to date afterwards`}`;
}

/** Full-text indexes that no trigger brings up to date. */
function notesOnFullText(
  entries: readonly SchemaEntry[],
  fired: readonly Trigger[],
  triggers: readonly Trigger[],
  changes: readonly RowChange[],
): string[] {
  const stale = changes.flatMap(({ table, kind, columns }) =>
    fullTextOver(entries, table)
      .filter(
        (index) => columns === undefined || columns.some((column) => index.columns.includes(column.toLowerCase())),
      )
      .filter(({ name }) => !isMaintained(name, { table, kind }, fired, triggers))
      .map(({ name }) => ({ name, table })),
  );
  return [...new Map(stale.map((one) => [one.name, one])).values()].map(
    ({ name, table }) =>
      `no trigger brings your full-text index ${name} up to date with the rows of ${table} that leave, enter or change; afterwards run INSERT INTO ${sqlName(name)}(${sqlName(name)}) VALUES ('rebuild')`,
  );
}

function isMaintained(
  index: string,
  { table, kind }: RowChange,
  fired: readonly Trigger[],
  triggers: readonly Trigger[],
): boolean {
  return fired.some(
    (trigger) =>
      trigger.on.kind === kind &&
      trigger.on.table === table.toLowerCase() &&
      allWritesOf(trigger, triggers).some((write) => write.table === index.toLowerCase()),
  );
}
