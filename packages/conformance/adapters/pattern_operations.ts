import type { Call, Operations, Outcome } from "./line_adapter.ts";

/** The members of a pattern library that both lines share. */
export interface Library {
  patterns: Map<string, object>;
  agentContributions: Map<string, string[]>;
  recordUsage(patternId: string, agentId: string, success: boolean): void;
  contribute(agentId: string, pattern: never): object;
}

/** The exports for patterns that both lines share. */
export interface PatternsModule<L extends Library> {
  PatternLibrary: new () => L;
  PatternPersistence: {
    saveToJson(library: L, filepath: string): unknown;
    loadFromJson(filepath: string): L;
    saveToSqlite(library: L, dbPath: string, options?: { mode?: "merge" | "replace" }): unknown;
    loadFromSqlite(dbPath: string): L;
  };
}

/** The operations that create a library and record a use. */
export function libraryOperations<L extends Library>(line: Pick<PatternsModule<L>, "PatternLibrary">): Operations {
  return {
    PatternLibrary: ({ args }) => ({ kept: makeLibrary(line, args) }),
    record_usage: ({ args, subject }) => {
      (subject as L).recordUsage(args.pattern_id, args.agent_id, args.success);
      return {};
    },
  };
}

/** The operations of section 4.1, and those of libraries. */
export function patternOperations<L extends Library>(line: PatternsModule<L>): Operations {
  const persistence = line.PatternPersistence;
  return {
    ...libraryOperations(line),
    save_to_json: ({ args, subject }) => ({ value: persistence.saveToJson(subject as L, args.filepath) }),
    load_from_json: ({ args }) => loaded(persistence.loadFromJson(args.filepath)),
    save_to_sqlite: (call) => saveToSqlite(persistence, call),
    load_from_sqlite: ({ args }) => loaded(persistence.loadFromSqlite(args.db_path)),
  };
}

function saveToSqlite<L extends Library>(
  persistence: PatternsModule<L>["PatternPersistence"],
  { args, subject }: Call,
): Outcome {
  const options = args.mode === undefined ? [] : [{ mode: args.mode }];
  return { value: persistence.saveToSqlite(subject as L, args.db_path, ...options) };
}

/** Creates a library from data: every pattern is contributed by its owner, unless the data has contributions. */
function makeLibrary<L extends Library>(line: Pick<PatternsModule<L>, "PatternLibrary">, args: Call["args"]): L {
  const { patterns = [], agent_contributions: contributions } = args;
  const library = new line.PatternLibrary();
  for (const pattern of patterns) library.contribute(pattern.agent_id, pattern as never);
  if (contributions) {
    library.agentContributions.clear();
    for (const [agent, ids] of Object.entries(contributions)) library.agentContributions.set(agent, ids);
  }
  return library;
}

/** A loaded library as data, and the object itself to keep. */
export function loaded(library: Library): Outcome {
  const value = {
    patterns: [...library.patterns.values()],
    agent_contributions: Object.fromEntries(library.agentContributions),
  };
  return { value, kept: library };
}
