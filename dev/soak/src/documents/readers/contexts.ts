import * as line16 from "perdura";
import type { Chance } from "../../../../../test/hostile/chance.ts";
import { hostileText } from "../../../../../test/hostile/hostile_text.ts";
import { nearly } from "../../../../../test/hostile/hostile_values.ts";
import { faultsOfError } from "../judge_error.ts";
import type { Try } from "../reader.ts";
import { differenceOf } from "../same_value.ts";

const { PatternLibrary, openPersistence } = line16;

/** Patterns with hostile contextual data, written to a database and read again. */
export function inSqlite(): Try {
  const persistence = openPersistence({ persistence_enabled: false });
  return {
    document: (chance) => judgeContext(persistence.patterns, chance),
    close: () => {
      persistence.close();
      return [];
    },
  };
}

function judgeContext(store: line16.PatternStore, chance: Chance): string[] {
  const library = new PatternLibrary();
  const pattern = {
    id: "p",
    pattern_type: hostileText(chance),
    name: hostileText(chance),
    context: nearly({ a: { b: [1, hostileText(chance)] } }, chance, chance.pick([0, 1, 2, 4])),
    tags: [hostileText(chance)],
  };
  try {
    library.contribute(
      "agent",
      nearly(pattern, chance, chance.pick([0, 0, 1])) as Parameters<typeof library.contribute>[1],
    );
    store.save(library, { mode: "replace" });
  } catch (error) {
    return faultsOfError(error);
  }
  const textOf = ({ patterns }: line16.PatternLibrary): string => JSON.stringify([...patterns.values()]);
  return differenceOf(textOf(library), textOf(store.load())).map(
    (text) => `loaded with other values than saved: ${text}`,
  );
}
