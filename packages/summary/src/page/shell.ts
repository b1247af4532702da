import { createHash } from "node:crypto";
import { clientScript, servedScript } from "./client_script.ts";
import { minute } from "./figures.ts";
import { type Content, Markup, markup } from "./markup.ts";
import { STYLE_DATA, STYLE_PAGE } from "./style.ts";
import { chartLibrary } from "./uplot.ts";

export interface Shell {
  /** Title of the window. */
  title: string;
  /** Program that made the page, and the time. */
  program: string;
  made_at: string;
  /** Class of the head, for the colour of a verdict. */
  headClass?: string;
  head: Content;
  /** Links to the parts of the page; undefined without any. */
  contents: Content;
  main: Content;
  /** The counted operations, or the choice of them; undefined for a page without a range. */
  range?: Content;
  served?: Served | undefined;
}

/** Addresses of a program that serves the page, relative to the page. */
export interface Served {
  /** Server-sent events: `change` when the page is outdated, and `trouble` with a reason. */
  changes: string;
  /** The days with which the counted operations begin, and before which they end: `YYYY-MM-DD`, or empty. */
  range: { since: string; until: string };
  /** The page of all data, of the same range. */
  wholePage: string;
  /** The page of a user, of the same range. */
  userPage: (database: string, user: string) => string;
}

/**
 * A self-contained page: its policy allows only its own style and scripts, and nothing is loaded. It contains uPlot with
 * its licence. The scripts contain no data; they read them from the elements and from blocks of JSON.
 */
export function pageOf({ title, program, made_at, headClass, head, contents, main, range, served }: Shell): string {
  const library = chartLibrary();
  const style = `${library.style}\n${STYLE_PAGE}${STYLE_DATA}`;
  const scripts = [library.script, clientScript(), ...(served === undefined ? [] : [servedScript()])];
  const policy = `default-src 'none'; style-src '${hashOf(style)}'; script-src ${scripts.map((text) => `'${hashOf(text)}'`).join(" ")}; base-uri 'none'; form-action ${served === undefined ? "'none'" : "'self'; connect-src 'self'"}`;
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${new Markup(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="${program}">
<title>${title}</title>
<style>${new Markup(style)}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the data</a>
<header class="head${headClass === undefined ? undefined : ` ${headClass}`}">
<div class="brand"><p><span>${program}</span> · <span>made ${minute(made_at)}</span> · <span>times in UTC</span></p>${served === undefined ? undefined : statusOf(served)}<button type="button" id="theme" hidden></button></div>
${head}
${range}</header>
<div class="columns${contents === undefined ? " alone" : undefined}">
${
  contents === undefined
    ? undefined
    : markup`<nav class="contents" aria-label="Contents">
${contents}</nav>`
}
<main id="main" tabindex="-1">
${main}</main>
</div>
${scripts.map((text) => markup`<script>${new Markup(text)}</script>\n`)}</body>
</html>
`.text;
}

/** The state of the connection, and the button that loads newer data. */
function statusOf({ changes }: Served): Markup {
  return markup`<p class="status" role="status" data-changes="${changes}"><span></span> <button type="button" hidden>Show them</button></p>`;
}

function hashOf(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}
