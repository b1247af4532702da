import { isPerduraError, PatternLibrary, type PatternStore } from "perdura/persistence";

/** Loads the patterns of earlier runs; the first run begins with a single pattern. */
export function loadPatterns(store: PatternStore): PatternLibrary {
  try {
    return store.load();
  } catch (error) {
    if (!isPerduraError(error, "PERDURA_FILE_NOT_FOUND")) throw error;
    const library = new PatternLibrary();
    library.contribute("weather-agent", {
      id: "retry-once",
      pattern_type: "recovery",
      name: "Ask again when the service is busy",
      context: { when: "busy", attempts: 2 },
      confidence: 0.8,
      tags: ["network"],
    });
    return library;
  }
}
