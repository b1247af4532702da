#!/usr/bin/env node
import { endOnInterrupt, endProgram } from "./cli/program_end.ts";
import { nodeFault } from "./node_version.ts";

const fault = nodeFault();
if (fault === undefined) {
  // A reader that has seen enough, such as head, is no error: the exit code and the report files stay what they are.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
  endOnInterrupt();
  const { main } = await import("./cli/main.ts");
  await endProgram(await main(process.argv.slice(2)));
} else {
  process.stderr.write(`${fault}\n`);
  process.exitCode = 3;
}
