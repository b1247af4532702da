/**
 * Loads or saves a library once, in its own process, and prints the time and the memory; python_library.py does the
 * same.
 */
import { PatternPersistence } from "@perdura/v16";

const [task, file, target] = process.argv.slice(2) as [string, string, string];
const start = performance.now();
const library = PatternPersistence.loadFromJson(file);
const loaded = performance.now();
if (task === "save") PatternPersistence.saveToJson(library, target);
const milliseconds = task === "save" ? performance.now() - loaded : loaded - start;
console.log(milliseconds, process.resourceUsage().maxRSS);
