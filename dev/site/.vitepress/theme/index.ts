import type { Theme } from "vitepress";
import DefaultTheme from "vitepress/theme";
import LineSwitch from "./LineSwitch.vue";
import "./style.css";

const theme: Theme = {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    app.component("LineSwitch", LineSwitch);
  },
};

export default theme;
