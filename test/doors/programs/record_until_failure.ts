// A separate process that records interactions until that fails. Arguments: path, name of the line. Prints the error.
import * as v15 from "@perdura/v15";
import * as v16 from "@perdura/v16";

const [path, name] = process.argv.slice(2) as [string, string];
const collector = new (name === "pre-16" ? v15 : v16).MetricsCollector(path);
try {
  for (;;) collector.recordInteraction("u", 3, true, 1);
} catch (error) {
  const { code, message } = error as { code: string; message: string };
  console.log(`${code} ${message}`);
}
