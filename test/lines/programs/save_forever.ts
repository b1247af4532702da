import { writeSync } from "node:fs";
import { PatternLibrary, PatternPersistence } from "@perdura/v16";

// A separate process that saves two libraries in turn until it is killed. Arguments: format ("json" or "sqlite"), path.

const [format, path] = process.argv.slice(2) as [string, string];
const libraries = ["small", "large"].map((name, size) => {
  const library = new PatternLibrary();
  for (let index = 0; index < 10 + size * 390; index += 1) {
    library.contribute("agent", { id: `p${index}`, pattern_type: name, name, code: name.repeat(50) });
  }
  return library;
});
for (let turn = 0; ; turn += 1) {
  const library = libraries[turn % 2] as PatternLibrary;
  if (format === "json") PatternPersistence.saveToJson(library, path, { overwrite: true });
  else PatternPersistence.saveToSqlite(library, path, { mode: "replace" });
  // The parent waits for the first of these lines before it kills. A reader may be slow: process.stdout would queue the
  // line, and this loop never lets it send the queue.
  writeSync(1, `${turn}\n`);
}
