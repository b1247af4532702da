/** Creates an element. It is embedded as text, so it uses nothing outside of this function. */
export function createElement<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  className = "",
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  if (className !== "") element.className = className;
  return element;
}

export type Create = typeof createElement;
