import type { DefaultTheme, UserConfig } from "vitepress";
import { sitePages } from "../src/pages.ts";
import { publication } from "../src/publication.ts";
import { FOLDER, siteConfig } from "../src/site_config.ts";
import { writePages } from "../src/write_pages.ts";

export default async ({
  command,
  mode,
}: {
  command: string;
  mode: string;
}): Promise<UserConfig<DefaultTheme.Config>> => {
  const pages = sitePages();
  // A preview serves the built site.
  const isPreview = command === "serve" && mode === "production";
  return siteConfig(pages, isPreview ? [] : await writePages(FOLDER, pages), publication());
};
