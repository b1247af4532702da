/** One option of a command line. The parser and the help use a table of options. */
export interface CommandOption<Command extends string> {
  short?: string;
  /** Placeholder of the value in the help; a switch has none. */
  value?: string;
  /** The allowed values, if they are a fixed set. */
  choices?: readonly string[];
  /** Form of the value, if it is restricted; `expected` describes it. */
  pattern?: RegExp;
  expected?: string;
  repeatable?: boolean;
  /** True for an id or another name; a value that has no fixed form is the path of a file otherwise. */
  namesNoFile?: boolean;
  /** True if every command of the option requires it. */
  required?: boolean;
  /** Default value, for the help. */
  default?: string;
  /** Environment variable with the value, used if the option is absent. */
  env?: string;
  /** Arguments of the library that the option sets; by default the one with its name in camelCase. */
  arguments?: readonly string[];
  /** The commands that accept it. */
  commands: readonly Command[];
  help: string;
  /** Advice for commands that do not accept it. */
  instead?: Partial<Record<Command, string>>;
}

/** Every option of a program by its long name, in the order of the help. */
export type OptionTable<Command extends string, Name extends string> = Readonly<Record<Name, CommandOption<Command>>>;

/** An option of a command line; a switch has no value. */
export interface Given<Name extends string> {
  name: Name;
  value: string | undefined;
}

/** True if an option was given. */
export function has<Name extends string>({ given }: { given: readonly Given<Name>[] }, name: Name): boolean {
  return given.some((option) => option.name === name);
}

/** The value of an option, or undefined if it was not given. */
export function valueOf<Name extends string>(from: { given: readonly Given<Name>[] }, name: Name): string | undefined {
  return valuesOf(from, name).at(-1);
}

/** All values of a repeatable option. */
export function valuesOf<Name extends string>({ given }: { given: readonly Given<Name>[] }, name: Name): string[] {
  return given.flatMap((option) => (option.name === name && option.value !== undefined ? [option.value] : []));
}

/** `--fence WAY`, as in the help and in messages. */
export function optionText(name: string, { value }: Pick<CommandOption<string>, "value">): string {
  return `--${name}${value === undefined ? "" : ` ${value}`}`;
}
