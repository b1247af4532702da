// A separate process that opens collectors and never closes them, until that fails. Arguments: path. Prints the error.
import { MetricsCollector } from "@perdura/v16";

const [path] = process.argv.slice(2) as [string];
const opened: MetricsCollector[] = [];
try {
  for (;;) opened.push(new MetricsCollector(path));
} catch (error) {
  const { code, message } = error as { code: string; message: string };
  console.log(`${code} ${message}`);
}
