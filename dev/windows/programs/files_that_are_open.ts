import { equal, throws } from "node:assert/strict";
import { spawn } from "node:child_process";
import { closeSync, openSync, readdirSync } from "node:fs";
import { PatternLibrary } from "perdura/pattern_library";
import { PatternPersistence } from "perdura/pattern_persistence";

const library = new PatternLibrary();
PatternPersistence.saveToJson(library, "library.json");
const files = readdirSync(".").length;
library.contribute("agent-1", { id: "retry", pattern_type: "sequential", name: "Retry once", confidence: 0.8 });

// A file that stays open is kept, and no temporary file remains.
const descriptor = openSync("library.json", "r");
throws(() => PatternPersistence.saveToJson(library, "library.json"), { name: "StorageError" });
closeSync(descriptor);
equal(PatternPersistence.loadFromJson("library.json").size, 0);
equal(readdirSync(".").length, files);

// A file that another program closes while the rename is retried.
const holder = `
  const { openSync, closeSync } = require("node:fs");
  const descriptor = openSync("library.json", "r");
  process.stdout.write("open");
  setTimeout(() => closeSync(descriptor), 300);
`;
const child = spawn(process.execPath, ["-e", holder], { stdio: ["ignore", "pipe", "inherit"] });
await new Promise((resolve) => child.stdout.once("data", resolve));
PatternPersistence.saveToJson(library, "library.json");
equal(PatternPersistence.loadFromJson("library.json").size, 1);
