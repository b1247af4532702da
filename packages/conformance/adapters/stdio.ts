import { serveStdio } from "../src/protocol/serve_stdio.ts";
import type { Adapter } from "../src/protocol/messages.ts";

// Serves a built-in adapter over stdio: node dist/adapters/stdio.js perdura-15|perdura-16
const loaders: Readonly<Record<string, () => Promise<{ createAdapter: () => Adapter }>>> = {
  "perdura-15": () => import("./v15.ts"),
  "perdura-16": () => import("./v16.ts"),
};
const load = loaders[process.argv[2] ?? ""];
if (!load) {
  process.stderr.write(`usage: stdio ${Object.keys(loaders).join("|")}\n`);
  process.exitCode = 2;
} else {
  await serveStdio((await load()).createAdapter());
}
