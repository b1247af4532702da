import { exitCodeRows } from "./exit_codes.ts";
import { environmentOf, optionDescription } from "./help.ts";
import { type CommandOption, optionText } from "./option_table.ts";
import { type CommandRow, commandsOf, optionsOf, type ProgramTable, usageOf, writtenCommand } from "./program_table.ts";

/** A table of a page, in Markdown: its titles, and rows with as many cells. */
export interface MarkdownTable {
  head: string[];
  rows: string[][];
}

/** The tables about a program in the README of its package, by name: commands, options, environment, exit codes. */
export function readmeTables(table: ProgramTable<string, string>): Record<string, MarkdownTable> {
  const all = commandsOf(table);
  const commands = all.map((name) => {
    const row = table.commands[name] as CommandRow;
    return [`\`${`${writtenCommand(table, name)} ${usageOf(table, name)}`.trim()}\``, row.summary];
  });
  const options = Object.entries(optionsOf(table)).map(([name, row]) => [
    optionCell(name, row),
    commandCell(row, table),
    cell(optionDescription(row)),
  ]);
  const exits = exitCodeRows(table.exits).map(([code, meaning]) => [String(code), cell(meaning)]);
  const environment = Object.entries(environmentOf(table)).map(([name, meaning]) => [`\`${name}\``, cell(meaning)]);
  return {
    commands: { head: ["command", ""], rows: commands },
    options: { head: ["option", "for", ""], rows: options },
    ...(environment.length === 0 ? {} : { environment: { head: ["variable", ""], rows: environment } }),
    "exit codes": { head: ["exit code", ""], rows: exits },
  };
}

function optionCell(name: string, row: CommandOption<string>): string {
  const text = `\`${optionText(name, row)}\``;
  return row.short === undefined ? text : `\`-${row.short}\`, ${text}`;
}

function commandCell({ commands }: CommandOption<string>, table: ProgramTable<string, string>): string {
  const all = commandsOf(table);
  const list = (names: readonly string[]): string =>
    names.map((name) => (name === table.defaultCommand ? "no command" : `\`${name}\``)).join(", ");
  const others = all.filter((name) => !commands.includes(name));
  if (others.length === 0) return "all";
  return others.length < all.length / 4 ? `all except ${list(others)}` : list(commands);
}

/** Escapes a vertical line, which would end the cell, and an angle bracket, which would begin a tag. */
function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("<", "&lt;");
}
