import type { DefaultTheme, UserConfig } from "vitepress";
import { sitePages } from "../src/pages.ts";
import { publication } from "../src/publication.ts";
import { FOLDER, siteConfig } from "../src/site_config.ts";
import { writePages } from "../src/write_pages.ts";

export default async (): Promise<UserConfig<DefaultTheme.Config>> => {
  const pages = sitePages();
  return siteConfig(pages, await writePages(FOLDER, pages), publication());
};
