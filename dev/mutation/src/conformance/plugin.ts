import { PluginKind, declareClassPlugin } from "@stryker-mutator/api/plugin";
import { ConformanceRunner } from "./conformance_runner.ts";

/** What Stryker looks for. */
export const strykerPlugins = [declareClassPlugin(PluginKind.TestRunner, "conformance", ConformanceRunner)];
