import { type Application, JSX } from "typedoc";
import { SECTIONS } from "./pages.ts";

/** Opens the sections of the sidebar for first-time visitors; TypeDoc stores closed ones in the browser. */
export function openSections(app: Application): void {
  const keys = JSON.stringify(SECTIONS.map((section) => `tsd-accordion-${section}`));
  const html = `<script>for (const key of ${keys}) localStorage.setItem(key, localStorage.getItem(key) ?? "true")</script>`;
  app.renderer.hooks.on("head.begin", () => JSX.createElement(JSX.Raw, { html }));
}
