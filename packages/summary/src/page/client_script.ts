import { chartTexts } from "./client/chart_texts.ts";
import { drawCharts } from "./client/charts.ts";
import { durations } from "./client/durations.ts";
import { createElement } from "./client/create_element.ts";
import { keepCurrent } from "./client/keep_current.ts";
import { plotter } from "./client/plot.ts";
import { rangeChoice } from "./client/range_choice.ts";
import { enhanceTables } from "./client/tables.ts";
import { startPage } from "./client/theme.ts";
import { userChoice } from "./client/user_choice.ts";

/** The script of a page that a program serves, after {@link clientScript}. */
export function servedScript(): string {
  return `"use strict";
(${String(keepCurrent)})();`;
}

/**
 * The script of the page. Its functions are embedded as the text that the engine has of them: with types removed by
 * Node.js or by the bundler. Each uses only its parameters, because imports do not exist in the page.
 */
export function clientScript(): string {
  return `"use strict";
const create = ${String(createElement)};
(${String(enhanceTables)})(create);
(${String(startPage)})();
const durations = (${String(durations)})();
const texts = (${String(chartTexts)})(durations);
const plots = (${String(plotter)})(texts, durations);
const users = (${String(userChoice)})(create, texts);
const rangeChoice = ${String(rangeChoice)};
(${String(drawCharts)})({ create, texts, plots, users, rangeChoice });`;
}
