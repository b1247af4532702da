#!/usr/bin/env node
import { start } from "@perdura/cli/start.js";

await start("perdura-conformance", "", async () => (await import("./cli/main.ts")).main);
