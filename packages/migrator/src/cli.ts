#!/usr/bin/env node
import { start } from "@perdura/cli/start.js";

await start("perdura-migrate", "Nothing was changed.", async () => (await import("./cli/main.ts")).main);
