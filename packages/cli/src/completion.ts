import type { CommandOption } from "./option_table.ts";
import {
  type CommandRow,
  commandsOf,
  firstWordsOf,
  optionNamesOf,
  optionsOf,
  type ProgramTable,
  secondWordsOf,
  type Shell,
  SHELLS,
  writtenCommand,
} from "./program_table.ts";

/** A script that lets a shell complete commands, options and their values, and file names. */
export function completionScript(table: ProgramTable<string, string>, shell: Shell): string {
  return SCRIPTS[shell](table);
}

/** State of a script for bash or zsh in which the words so far name this command. */
function stateOf(table: ProgramTable<string, string>, command: string): string {
  const written = writtenCommand(table, command);
  return written.includes(" ") || written === "" ? `"${written}"` : written;
}

/** First line of each script: how to load it. */
const LOADING: Record<Shell, (program: string) => string> = {
  bash: (program) => `# Load it with: source <(${program} completion bash)`,
  zsh: (program) => `# Load it, after compinit, with: source <(${program} completion zsh)`,
  fish: (program) => `# Load it with: ${program} completion fish | source`,
};

const SCRIPTS: Record<Shell, (table: ProgramTable<string, string>) => string> = { bash, zsh, fish };

/** First words of the command line with their summaries: commands, groups, and the commands of every program. */
function firstWords(table: ProgramTable<string, string>): [name: string, summary: string][] {
  const own = firstWordsOf(table).map((name): [string, string] => {
    const within = secondWordsOf(table, name);
    return [name, within.length > 0 ? within.join(", ") : (table.commands[name] as CommandRow).summary];
  });
  return [...own, ["help", "Print the help of a command"], ["completion", "Print a completion script"]];
}

/** Groups of commands, with the second words of their commands. */
function groups(table: ProgramTable<string, string>): [group: string, within: string[]][] {
  return firstWordsOf(table).flatMap((name) => {
    const within = secondWordsOf(table, name);
    return within.length > 0 ? [[name, within] as [string, string[]]] : [];
  });
}

/** Shell patterns of the words so far that lead to the next state: ` push`, ` patterns` or `patterns list`. */
function transitions(table: ProgramTable<string, string>): { pattern: string; state: string }[] {
  const first = firstWords(table).map(([name]) => ({ pattern: `" ${name}"`, state: name }));
  const second = groups(table).flatMap(([group, within]) =>
    within.map((word) => ({ pattern: `"${group} ${word}"`, state: `"${group} ${word}"` })),
  );
  return [...first, ...second];
}

/** The part of a script for bash or zsh that finds the command in the words so far. */
function findCommand(table: ProgramTable<string, string>, word: string, indent: string): string {
  return transitions(table)
    .map(({ pattern, state }) => `${indent}${pattern}) command=${state} ;;`)
    .join("\n")
    .replace(/^/, `case "$command ${word}" in\n`)
    .concat(`\n${indent.slice(2)}esac`);
}

/** The options of each command, by their long names. */
function optionsByCommand(
  table: ProgramTable<string, string>,
): [command: string, [name: string, row: CommandOption<string>][]][] {
  const options = optionsOf(table);
  return commandsOf(table).map((command) => [
    command,
    optionNamesOf(table, command).map((name) => [name, options[name] as CommandOption<string>]),
  ]);
}

/** Options that have a fixed set of values, each listed once. */
function choices(table: ProgramTable<string, string>): [name: string, values: readonly string[]][] {
  return Object.entries(optionsOf(table)).flatMap(([name, row]) =>
    row.choices === undefined ? [] : [[name, row.choices] as [string, readonly string[]]],
  );
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
const functionName = (program: string): string => `_${program.replaceAll("-", "_")}`;

function bash(table: ProgramTable<string, string>): string {
  const { name } = table;
  const commands = firstWords(table).map(([command]) => command);
  const words = (list: readonly string[]): string =>
    `COMPREPLY=($(compgen -W ${quoted(list.join(" "))} -- "$current"))`;
  return `${LOADING.bash(name)}
${functionName(name)}() {
  local current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} command="" index
  for ((index = 1; index < COMP_CWORD; index++)); do
    ${findCommand(table, "${COMP_WORDS[index]}", "      ")}
  done
  case $before in
${choices(table)
  .map(([option, values]) => `    --${option}) ${words(values)}; return ;;`)
  .join("\n")}
  esac
  case $command in
${table.defaultCommand === undefined ? `    "") ${words(commands)} ;;\n` : ""}    completion) ${words(SHELLS)} ;;
    help) ${words(commands)} ;;
${groups(table)
  .map(([group, within]) => `    ${group}) ${words(within)} ;;\n`)
  .join("")}${optionsByCommand(table)
    .map(
      ([command, options]) =>
        `    ${stateOf(table, command)}) [[ $current == -* ]] && ${words(options.map(([option]) => `--${option}`))}${
          // Its first word may be a command or a path.
          command === table.defaultCommand
            ? ` || COMPREPLY=($(compgen -W ${quoted(commands.join(" "))} -- "$current") $(compgen -f -- "$current"))`
            : ""
        } ;;`,
    )
    .join("\n")}
  esac
}
complete -o bashdefault -o default -F ${functionName(name)} ${name}
`.replace(/ {2}case \$before in\n\n {2}esac\n/, "");
}

function zsh(table: ProgramTable<string, string>): string {
  const { name } = table;
  const commands = firstWords(table).map(([command]) => command);
  const add = (list: readonly string[]): string => `compadd -- ${list.join(" ")}`;
  return `#compdef ${name}
${LOADING.zsh(name)}
${functionName(name)}() {
  local current=\${words[CURRENT]} before=\${words[CURRENT-1]} command="" index
  for ((index = 2; index < CURRENT; index++)); do
    ${findCommand(table, "${words[index]}", "      ")}
  done
  case $before in
${choices(table)
  .map(([option, values]) => `    --${option}) ${add(values)}; return ;;`)
  .join("\n")}
  esac
  case $command in
${table.defaultCommand === undefined ? `    "") ${add(commands)} ;;\n` : ""}    completion) ${add(SHELLS)} ;;
    help) ${add(commands)} ;;
${groups(table)
  .map(([group, within]) => `    ${group}) ${add(within)} ;;\n`)
  .join("")}${optionsByCommand(table)
    .map(
      ([command, options]) =>
        `    ${stateOf(table, command)}) if [[ $current == -* ]]; then ${add(options.map(([option]) => `--${option}`))}; else ${
          command === table.defaultCommand ? `${add(commands)}; ` : ""
        }_files; fi ;;`,
    )
    .join("\n")}
  esac
}
compdef ${functionName(name)} ${name}
`.replace(/ {2}case \$before in\n\n {2}esac\n/, "");
}

/** Condition of fish for the options of a command. */
function seen(table: ProgramTable<string, string>, command: string): string {
  if (command === table.defaultCommand) return `not __fish_seen_subcommand_from ${firstWordsOf(table).join(" ")}`;
  const words = command.split(" ");
  return words.map((word) => `__fish_seen_subcommand_from ${word}`).join("; and ");
}

function fish(table: ProgramTable<string, string>): string {
  const { name } = table;
  const none = `__fish_use_subcommand`;
  const lines = [
    LOADING.fish(name),
    ...firstWords(table).map(
      ([command, summary]) =>
        `complete -c ${name} -n ${none}${table.defaultCommand === undefined ? " -f" : ""} -a ${command} -d ${quoted(summary)}`,
    ),
    ...groups(table).flatMap(([group, within]) =>
      within.map(
        (word) =>
          `complete -c ${name} -n '__fish_seen_subcommand_from ${group}; and not __fish_seen_subcommand_from ${within.join(" ")}' -f -a ${word} -d ${quoted((table.commands[`${group} ${word}`] as CommandRow).summary)}`,
      ),
    ),
    `complete -c ${name} -n '__fish_seen_subcommand_from completion' -f -a ${quoted(SHELLS.join(" "))}`,
    `complete -c ${name} -n '__fish_seen_subcommand_from help' -f -a ${quoted(firstWordsOf(table).join(" "))}`,
    ...optionsByCommand(table).flatMap(([command, options]) =>
      options.map(([option, row]) => {
        const short = row.short === undefined ? "" : ` -s ${row.short}`;
        const value =
          row.value === undefined ? "" : row.choices === undefined ? " -r" : ` -x -a ${quoted(row.choices.join(" "))}`;
        return `complete -c ${name} -n '${seen(table, command)}' -l ${option}${short}${value} -d ${quoted(row.help)}`;
      }),
    ),
  ];
  return `${lines.join("\n")}\n`;
}
