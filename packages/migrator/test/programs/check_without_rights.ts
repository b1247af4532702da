import { assertWritable } from "../../src/io/access.ts";

// The superuser can write everywhere, so this test runs as another user. A whole plan would start another process, and
// that user may not be able to read this repository or this Node.js: therefore only the check is run.
if (process.getuid?.() === 0) process.setuid?.(65_534);
try {
  assertWritable(process.argv[2] as string, null);
  process.stdout.write("writable");
} catch (error) {
  const { status, message } = error as { status?: string; message: string };
  process.stdout.write(`${status}: ${message}`);
}
