/** Loads or saves a library once, in a process of its own, and tells the time and the memory; so does python_library.py. */
import { PatternPersistence } from "@perdura/v16";

const [task, file, target] = process.argv.slice(2) as [string, string, string];
const start = performance.now();
const library = PatternPersistence.loadFromJson(file);
const loaded = performance.now();
if (task === "save") PatternPersistence.saveToJson(library, target);
const milliseconds = task === "save" ? performance.now() - loaded : loaded - start;
console.log(milliseconds, process.resourceUsage().maxRSS);
