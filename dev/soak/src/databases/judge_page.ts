import type { Page } from "playwright-core";

/**
 * Actions of a page beyond being displayed. A script that only the policy blocked counts: it should not be in the page.
 */
export async function judgePage(page: Page, address: string, junit: string): Promise<string[]> {
  const wrong: string[] = [];
  const listeners = {
    console: (message: { text(): string }) => wrong.push(`the page logged: ${message.text()}`),
    pageerror: (error: Error) => wrong.push(`the page threw: ${error.message}`),
    dialog: (dialog: { dismiss(): Promise<void> }) => (wrong.push("a dialog was opened"), void dialog.dismiss()),
    popup: () => wrong.push("a window was opened"),
    request: (request: { url(): string }) =>
      request.url().replace(/#.*/, "") === address ||
      request.url().endsWith("/favicon.ico") ||
      wrong.push(`the page requested ${request.url()}`),
  };
  for (const [event, listener] of Object.entries(listeners)) page.on(event as "console", listener as never);
  try {
    await page.goto(address);
    wrong.push(...(await page.evaluate(lookAround, junit)));
  } finally {
    for (const [event, listener] of Object.entries(listeners)) page.off(event as "console", listener as never);
  }
  return wrong;
}

interface PageElement {
  localName: string;
  textContent: string;
  attributes: Iterable<{ name: string; value: string }>;
  dispatchEvent: (event: object) => void;
}

interface PageDocument {
  scripts: { length: number };
  querySelector: (selector: string) => PageElement | null;
  querySelectorAll: (selector: string) => Iterable<PageElement>;
}

/** The parts of the page's globals that are inspected. */
interface PageScope {
  hacked?: number;
  document: PageDocument;
  DOMParser: new () => { parseFromString: (text: string, type: string) => PageDocument };
  MouseEvent: new (name: string, options: object) => object;
}

/** Runs in the page: hovers over and clicks every element, and looks for foreign content. */
function lookAround(junit: string): string[] {
  const scope = globalThis as unknown as PageScope;
  const { document } = scope;
  const wrong: string[] = [];
  for (const element of document.querySelectorAll("*")) {
    element.dispatchEvent(new scope.MouseEvent("mouseover", { bubbles: true }));
    for (const { name, value } of element.attributes) {
      if (name.startsWith("on")) wrong.push(`the element ${element.localName} has the attribute ${name}`);
      if (["href", "src", "action"].includes(name) && /^\s*(?:javascript|data|vbscript):/i.test(value))
        wrong.push(`${name}=${value}`);
    }
  }
  for (const name of ["iframe", "object", "embed", "form", "base", "img"])
    if (document.querySelector(name) !== null) wrong.push(`the page has an element ${name}`);
  if (document.scripts.length !== 1) wrong.push(`the page has ${document.scripts.length} scripts`);
  const fault = new scope.DOMParser().parseFromString(junit, "application/xml").querySelector("parsererror");
  if (fault !== null) wrong.push(`the JUnit report is not XML: ${fault.textContent.slice(0, 200)}`);
  if (scope.hacked !== undefined) wrong.push("a script in the data was executed");
  return wrong;
}
