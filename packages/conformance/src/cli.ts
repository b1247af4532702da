#!/usr/bin/env node
import { nodeFault } from "./node_version.ts";

const fault = nodeFault();
if (fault === undefined) {
  const { main } = await import("./cli/main.ts");
  process.exitCode = await main(process.argv.slice(2));
} else {
  process.stderr.write(`${fault}\n`);
  process.exitCode = 3;
}
