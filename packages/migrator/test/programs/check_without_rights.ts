import { assertWritable } from "../../src/io/access.ts";

// Nobody stops the superuser from writing, so a check of theirs could not tell. A whole plan would start a process of its
// own, and another user may not be able to read this repository or this Node.js: the check alone is run.
if (process.getuid?.() === 0) process.setuid?.(65_534);
try {
  assertWritable(process.argv[2] as string, null);
  process.stdout.write("writable");
} catch (error) {
  const { status, message } = error as { status?: string; message: string };
  process.stdout.write(`${status}: ${message}`);
}
