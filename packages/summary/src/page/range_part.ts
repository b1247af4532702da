import type { ShownRange } from "../document.ts";
import { rangeText } from "../shown_range.ts";
import { type Markup, markup } from "./markup.ts";
import type { Served } from "./shell.ts";

/** Ranges that a link chooses: the last days, today included. */
const LAST_DAYS = [1, 7, 30, 90];

const DAY_MS = 86_400_000;

/**
 * The range of the counted operations in words, and on a served page the choice of another one, which works without
 * scripts.
 *
 * @param madeAt The moment of the page, ISO 8601.
 * @param given `kept`: parameters of the address that are kept, such as the user; `note`: a sentence about what has no range.
 */
export function rangePart(
  range: ShownRange | null,
  madeAt: string,
  served: Served | undefined,
  { kept = {}, note }: { kept?: Readonly<Record<string, string>>; note?: string } = {},
): Markup {
  const words =
    range === null
      ? undefined
      : markup`<p class="range-words">Only operations ${rangeText(range)}.${note === undefined ? undefined : ` ${note}`}</p>\n`;
  return markup`${words}${served === undefined ? undefined : choice(madeAt, served, kept)}`;
}

function choice(madeAt: string, { range: { since, until } }: Served, kept: Readonly<Record<string, string>>): Markup {
  const today = Date.parse(`${madeAt.slice(0, 10)}T00:00:00Z`);
  const ranges = [
    { text: "All", since: "" },
    ...LAST_DAYS.map((days) => ({
      text: days === 1 ? "Today" : `${days} days`,
      since: new Date(today - (days - 1) * DAY_MS).toISOString().slice(0, 10),
    })),
  ];
  const links = ranges.map(({ text, since: from }) => {
    const isCurrent = from === since && until === "";
    const address = `?${new URLSearchParams({ ...kept, ...(from === "" ? {} : { since: from }) }).toString()}`;
    return markup`<a href="${address}"${isCurrent ? markup` aria-current="page"` : undefined}>${text}</a>\n`;
  });
  const hidden = Object.entries(kept).map(
    ([name, value]) => markup`<input type="hidden" name="${name}" value="${value}">\n`,
  );
  return markup`<form class="range-choice" method="get" aria-label="Range of the operations">
${links}${hidden}<label>From <input type="date" name="since" value="${since.slice(0, 10)}"></label>
<label>before <input type="date" name="until" value="${until.slice(0, 10)}"></label>
<button type="submit">Show</button>
</form>
`;
}
