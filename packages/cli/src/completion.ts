import type { CommandOption } from "./option_table.ts";
import {
  type CommandRow,
  commandsOf,
  optionNamesOf,
  optionsOf,
  type ProgramTable,
  type Shell,
  SHELLS,
} from "./program_table.ts";

/** A script that lets a shell complete commands, options and their values, and file names. */
export function completionScript(table: ProgramTable<string, string>, shell: Shell): string {
  return SCRIPTS[shell](table);
}

/** First line of each script: how to load it. */
const LOADING: Record<Shell, (program: string) => string> = {
  bash: (program) => `# Load it with: source <(${program} completion bash)`,
  zsh: (program) => `# Load it, after compinit, with: source <(${program} completion zsh)`,
  fish: (program) => `# Load it with: ${program} completion fish | source`,
};

const SCRIPTS: Record<Shell, (table: ProgramTable<string, string>) => string> = { bash, zsh, fish };

/** Commands of the table, and those of every program. */
function allCommands(table: ProgramTable<string, string>): [name: string, summary: string][] {
  const own = commandsOf(table).map((name): [string, string] => [name, (table.commands[name] as CommandRow).summary]);
  return [...own, ["help", "Print the help of a command"], ["completion", "Print a completion script"]];
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
  const commands = allCommands(table).map(([command]) => command);
  const words = (list: readonly string[]): string =>
    `COMPREPLY=($(compgen -W ${quoted(list.join(" "))} -- "$current"))`;
  return `${LOADING.bash(name)}
${functionName(name)}() {
  local current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} command="" index
  for ((index = 1; index < COMP_CWORD; index++)); do
    case \${COMP_WORDS[index]} in
      ${commands.join("|")}) command=\${COMP_WORDS[index]}; break ;;
    esac
  done
  case $before in
${choices(table)
  .map(([option, values]) => `    --${option}) ${words(values)}; return ;;`)
  .join("\n")}
  esac
  case $command in
    "") ${words(commands)} ;;
    completion) ${words(SHELLS)} ;;
    help) ${words(commands)} ;;
${optionsByCommand(table)
  .map(
    ([command, options]) =>
      `    ${command}) [[ $current == -* ]] && ${words(options.map(([option]) => `--${option}`))} ;;`,
  )
  .join("\n")}
  esac
}
complete -o bashdefault -o default -F ${functionName(name)} ${name}
`.replace(/ {2}case \$before in\n\n {2}esac\n/, "");
}

function zsh(table: ProgramTable<string, string>): string {
  const { name } = table;
  const commands = allCommands(table).map(([command]) => command);
  const add = (list: readonly string[]): string => `compadd -- ${list.join(" ")}`;
  return `#compdef ${name}
${LOADING.zsh(name)}
${functionName(name)}() {
  local current=\${words[CURRENT]} before=\${words[CURRENT-1]} command="" index
  for ((index = 2; index < CURRENT; index++)); do
    case \${words[index]} in
      ${commands.join("|")}) command=\${words[index]}; break ;;
    esac
  done
  case $before in
${choices(table)
  .map(([option, values]) => `    --${option}) ${add(values)}; return ;;`)
  .join("\n")}
  esac
  case $command in
    "") ${add(commands)} ;;
    completion) ${add(SHELLS)} ;;
    help) ${add(commands)} ;;
${optionsByCommand(table)
  .map(
    ([command, options]) =>
      `    ${command}) if [[ $current == -* ]]; then ${add(options.map(([option]) => `--${option}`))}; else _files; fi ;;`,
  )
  .join("\n")}
  esac
}
compdef ${functionName(name)} ${name}
`.replace(/ {2}case \$before in\n\n {2}esac\n/, "");
}

function fish(table: ProgramTable<string, string>): string {
  const { name } = table;
  const none = `__fish_use_subcommand`;
  const lines = [
    LOADING.fish(name),
    ...allCommands(table).map(
      ([command, summary]) => `complete -c ${name} -n ${none} -f -a ${command} -d ${quoted(summary)}`,
    ),
    `complete -c ${name} -n '__fish_seen_subcommand_from completion' -f -a ${quoted(SHELLS.join(" "))}`,
    `complete -c ${name} -n '__fish_seen_subcommand_from help' -f -a ${quoted(commandsOf(table).join(" "))}`,
    ...optionsByCommand(table).flatMap(([command, options]) =>
      options.map(([option, row]) => {
        const short = row.short === undefined ? "" : ` -s ${row.short}`;
        const value =
          row.value === undefined ? "" : row.choices === undefined ? " -r" : ` -x -a ${quoted(row.choices.join(" "))}`;
        return `complete -c ${name} -n '__fish_seen_subcommand_from ${command}' -l ${option}${short}${value} -d ${quoted(row.help)}`;
      }),
    ),
  ];
  return `${lines.join("\n")}\n`;
}
