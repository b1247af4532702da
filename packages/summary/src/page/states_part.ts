import type { StatesSummary, StateSummary } from "../document.ts";
import { barTable } from "./bars.ts";
import { counted, fraction, minute, percent, wholeNumber } from "./figures.ts";
import { type Markup, markup, nameText } from "./markup.ts";
import { trustBars } from "./metrics_part.ts";
import { type Column, dataTable } from "./table.ts";
import { tileList } from "./tiles.ts";

/** Collaboration states of a state directory or an archive. */
export function statesPart({ path, states, invalid, unreadable, avg_trust, top_states }: StatesSummary): Markup {
  const tiles = tileList([
    { name: "States", value: wholeNumber(states) },
    { name: "Mean trust", value: fraction(avg_trust) },
    { name: "Invalid files", value: wholeNumber(invalid) },
    ...(unreadable === 0 ? [] : [{ name: "Unreadable files", value: wholeNumber(unreadable) }]),
  ]);
  const alert =
    invalid === 0
      ? undefined
      : markup`<p class="alert">${counted(invalid, "file")} ${invalid === 1 ? "is not a valid state" : "are not valid states"}.</p>\n`;
  if (top_states.length === 0) return markup`${tiles}${alert}<p class="empty">No state is listed.</p>`;
  const trusts = top_states.flatMap(({ trust_level }) => (trust_level === null ? [] : [trust_level]));
  const distribution =
    trusts.length < 2
      ? undefined
      : markup`<div class="panels"><div><h4>Trust of ${counted(trusts.length, "listed state")}</h4>${barTable("Listed states by trust", "Trust", trustBars(trusts))}</div></div>\n`;
  const columns: Column<StateSummary>[] = [
    { name: "User", kind: "text", cell: ({ user_id }) => nameText(user_id) },
    {
      name: "Trust",
      kind: "number",
      cell: ({ trust_level }) => fraction(trust_level),
      meter: ({ trust_level }) => trust_level,
    },
    { name: "Level", kind: "number", cell: ({ current_level }) => wholeNumber(current_level) },
    { name: "Target level", kind: "number", cell: ({ target_level }) => wholeNumber(target_level) },
    { name: "Interactions", kind: "number", cell: ({ interaction_count }) => wholeNumber(interaction_count) },
    { name: "Successes", kind: "number", cell: ({ success_count }) => wholeNumber(success_count) },
    { name: "Failures", kind: "number", cell: ({ failure_count }) => wholeNumber(failure_count) },
    { name: "Success", kind: "number", cell: (state) => percent(successRate(state)) },
    { name: "Last interaction", kind: "time", cell: ({ last_interaction }) => minute(last_interaction) },
    { name: "Created", kind: "time", cell: ({ created_at }) => minute(created_at) },
  ];
  const note =
    top_states.length < states
      ? `The first ${counted(top_states.length, "state")} in the order of their users, of ${wholeNumber(states)} states.`
      : `All ${counted(states, "state")}.`;
  return markup`${tiles}${alert}${distribution}${dataTable({ name: `States, ${path}`, columns, rows: top_states, note })}`;
}

function successRate({ success_count, failure_count }: StateSummary): number | null {
  if (success_count === null || failure_count === null || success_count + failure_count === 0) return null;
  return success_count / (success_count + failure_count);
}
