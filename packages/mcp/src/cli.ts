import { start } from "@perdura/cli/start.js";

await start("perdura-mcp", "", async () => (await import("./cli/main.ts")).main);
