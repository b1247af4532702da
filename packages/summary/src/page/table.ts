import { type Content, type Markup, markup, shortText } from "./markup.ts";

/** Number of widths of the bars in cells. Each is a class, because the policy of the page forbids style attributes. */
export const METER_STEPS = 20;

/** A column of a table. */
export interface Column<Row> {
  name: string;
  /** Numbers are aligned on the right, and are first sorted from high to low. Times have no line breaks. */
  kind: "text" | "number" | "time";
  cell: (row: Row) => string | Markup;
  /** Value from 0 to 1 that a bar next to the text shows. */
  meter?: (row: Row) => number | null;
  /** Value to sort by, if the text of the cell is not in its order. */
  order?: (row: Row) => number;
}

export interface TableOptions<Row> {
  /** Accessible name of the table, and of its search field. */
  name: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  /** Sentence above the table, for example the rows that it leaves out. */
  note?: Content;
  /** Class of a row. */
  rowClass?: (row: Row) => string | undefined;
  /** Values by which a select field filters the rows, for example the results of a comparison. */
  filter?: { label: string; value: (row: Row) => string };
}

/**
 * A table that is complete without scripts. The script `tables.ts` adds sorting, a search, and shows the first rows
 * only. The end tags of rows and cells are optional in HTML, and left out because of the size of the page.
 */
export function dataTable<Row>(options: TableOptions<Row>): Markup {
  const { name, columns, rows, note, rowClass, filter } = options;
  const kinds = columns
    .flatMap(({ kind }, index) => (kind === "text" ? [] : [`${kind[0] ?? ""}${index + 1}`]))
    .join(" ");
  const head = columns.map((column) => markup`<th scope="col">${column.name}</th>`);
  const body = rows.map((row) => {
    const className = rowClass?.(row);
    const classAttribute = className === undefined ? undefined : markup` class="${className}"`;
    const filterAttribute = filter ? markup` data-filter="${filter.value(row)}"` : undefined;
    const cells = columns.map((column, index) => cellOf(column, row, index === 0));
    return markup`<tr${classAttribute}${filterAttribute}>${cells}\n`;
  });
  return markup`<div class="data-table" data-name="${name}"${filter ? markup` data-filter-label="${filter.label}"` : undefined}>
${note === undefined ? undefined : markup`<p class="note">${note}</p>\n`}<div class="scroll" role="region" aria-label="${name}" tabindex="0"><table class="data ${kinds}">
<caption class="hidden-text">${name}</caption>
<thead><tr>${head}</tr></thead>
<tbody>
${body}</tbody></table></div>
</div>
`;
}

function cellOf<Row>({ cell, order, meter }: Column<Row>, row: Row, isFirst: boolean): Markup {
  const content = cell(row);
  const shown = typeof content === "string" ? shortText(content) : content;
  const value = order === undefined ? undefined : markup` data-order=${orderText(order(row))}`;
  const level = meter?.(row) ?? Number.NaN;
  const meterClass = level >= 0 && level <= 1 ? markup` class=m${Math.round(level * METER_STEPS)}` : undefined;
  return isFirst ? markup`<th scope="row"${value}>${shown}` : markup`<td${value}${meterClass}>${shown}`;
}

function orderText(value: number): string {
  return Number.isFinite(value) ? String(value) : "NaN";
}
