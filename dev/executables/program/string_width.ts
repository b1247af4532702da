type StringWidth = (text: string) => number;

/** The package is a part of the executable; `require` runs it at the first call. */
export function stringWidth(): StringWidth {
  return (require("string-width") as { default: StringWidth }).default;
}
