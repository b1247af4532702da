import {
  commonTokens,
  declareFactoryPlugin,
  type Injector,
  PluginKind,
  type PluginContext,
  tokens,
} from "@stryker-mutator/api/plugin";
import { strykerPlugins as vitestPlugins, strykerValidationSchema } from "@stryker-mutator/vitest-runner";
import { WholeRunner } from "./whole_runner.ts";

const [vitest] = vitestPlugins;

function wholeRunner(injector: Injector<PluginContext>): WholeRunner {
  if (!vitest || !("factory" in vitest)) throw new Error("@stryker-mutator/vitest-runner has no runner");
  return new WholeRunner(injector.injectFunction(vitest.factory));
}
wholeRunner.inject = tokens(commonTokens.injector);

/** What Stryker looks for; the options of its runner for vitest hold for this one. */
export const strykerPlugins = [declareFactoryPlugin(PluginKind.TestRunner, "whole", wholeRunner)];
export { strykerValidationSchema };
