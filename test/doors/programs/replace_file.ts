// A separate process that replaces a state or a library. Arguments: folder, name of the method. Prints "saved" or the error.
import { join } from "node:path";
import { PatternLibrary, PatternPersistence, StateManager } from "@perdura/v15";

const [folder, method] = process.argv.slice(2) as [string, string];
try {
  if (method === "saveState") new StateManager(folder).saveState("ann", { user_id: "ann", trust_level: 0.5 });
  else PatternPersistence.saveToJson(new PatternLibrary(), join(folder, "library.json"));
  console.log("saved");
} catch (error) {
  const { code, message } = error as { code: string; message: string };
  console.log(`${code} ${message}`);
}
