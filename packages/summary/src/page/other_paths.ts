import type { Summary } from "../document.ts";
import { size, wholeNumber } from "./figures.ts";
import { type Markup, markup } from "./markup.ts";
import { dataTable } from "./table.ts";

/** Lists of the paths that hold no data to show: backups, paths that cannot be read, other files. */
export function otherPaths({ backups, left_alone, unreadable }: Summary): { link: Markup; part: Markup }[] {
  const reasons = [
    { name: "Path", kind: "text" as const, cell: ({ path }: { path: string }) => path },
    { name: "Reason", kind: "text" as const, cell: ({ reason }: { reason: string }) => reason },
  ];
  const lists = [
    {
      id: "unreadable",
      name: "Unreadable paths",
      note: "These paths may be data, but they cannot be read. Their contents are missing on this page.",
      length: unreadable.length,
      table: () => dataTable({ name: "Unreadable paths", columns: reasons, rows: unreadable }),
    },
    {
      id: "backups",
      name: "Backups of migrations",
      note: "Copies of databases, made before a migration. Their contents are not included in the figures.",
      length: backups.length,
      table: () =>
        dataTable({
          name: "Backups of migrations",
          columns: [
            { name: "Path", kind: "text", cell: ({ path }) => path },
            { name: "Backup of", kind: "text", cell: (backup) => backup.of },
            { name: "Size", kind: "number", cell: ({ bytes }) => size(bytes), order: ({ bytes }) => bytes },
          ],
          rows: backups,
        }),
    },
    {
      id: "left-alone",
      name: "Other files",
      note: "These paths are not data of perdura.",
      length: left_alone.length,
      table: () => dataTable({ name: "Other files", columns: reasons, rows: left_alone }),
    },
  ];
  return lists
    .filter(({ length }) => length > 0)
    .map(({ id, name, note, length, table }) => ({
      link: markup`<li><a href="#${id}">${name}<small>${wholeNumber(length)}</small></a></li>`,
      part: markup`<section class="part" id="${id}"><h2>${name}</h2><p class="note">${note}</p>
${table()}</section>
`,
    }));
}
