import { serveStdio } from "../src/protocol/serve_stdio.ts";
import type { Adapter } from "../src/protocol/messages.ts";

// Serves a built-in adapter over stdio: node dist/adapters/stdio.js perdura-15|perdura-16|perdura-16-postgres
const loaders: Readonly<Record<string, () => Promise<{ createAdapter: () => Adapter | Promise<Adapter> }>>> = {
  "perdura-15": () => import("./v15.ts"),
  "perdura-16": () => import("./v16.ts"),
  "perdura-16-postgres": () => import("./v16_postgres.ts"),
};
const load = loaders[process.argv[2] ?? ""];
if (!load) {
  process.stderr.write(`usage: stdio ${Object.keys(loaders).join("|")}\n`);
  process.exitCode = 2;
} else {
  const { createAdapter } = await load();
  await serveStdio(await createAdapter());
}
