// The colours of the view, for both themes. Red means one thing only: a limit is exceeded.
import type { Options } from "../store";

export interface Palette {
  part: string;
  partSelected: string;
  edge: string;
  edgeSelected: string;
  cables: readonly string[];
  support: string;
  accent: string; // selected
  hover: string;
  bad: string;
  ghost: string;
  measured: string;
  measure: string;
  reaction: string;
  moment: string;
  contact: string;
  axes: readonly [string, string, string];
  gridLine: string;
  gridStrength: number;
  shadow: number;
  cap: string;
  sky: string;
  ground: string;
  light: number; // strength of all lights together
}

const LIGHT: Palette = {
  part: "#bfc6cf",
  partSelected: "#b9cbe4",
  edge: "#5d6773",
  edgeSelected: "#1668c7",
  cables: ["#3b6ea5", "#c8842c", "#3f8f77", "#8461a3", "#4b5563", "#a88f2f", "#2f8fa3", "#9c6b4e"],
  support: "#3a424d",
  accent: "#1a73e8",
  hover: "#5b9bf0",
  bad: "#d3222a",
  ghost: "#7a8694",
  measured: "#7b3fb5",
  measure: "#0b6b57",
  reaction: "#c2571a",
  moment: "#7b3fb5",
  contact: "#0f8a6a",
  axes: ["#c73c3c", "#3d9a46", "#2f6fd0"],
  gridLine: "#5a6675",
  gridStrength: 0.22,
  shadow: 0.15,
  cap: "#e0b184",
  sky: "#ffffff",
  ground: "#c3cad4",
  light: 1,
};

const DARK: Palette = {
  part: "#78818d",
  partSelected: "#6d8bb3",
  edge: "#20252c",
  edgeSelected: "#7fb4ff",
  cables: ["#6aa3dd", "#e0a04c", "#62b899", "#ab8bd0", "#a3adba", "#cdb452", "#5cb9cc", "#c69271"],
  support: "#c9d1db",
  accent: "#4c9bff",
  hover: "#86bbff",
  bad: "#ff4d4d",
  ghost: "#8d99a8",
  measured: "#c792f0",
  measure: "#5fd3b3",
  reaction: "#ff9a5c",
  moment: "#c792f0",
  contact: "#5fd3a8",
  axes: ["#e06c6c", "#77c17e", "#6ea8f5"],
  gridLine: "#a9b6c6",
  gridStrength: 0.16,
  shadow: 0.38,
  cap: "#b98a5c",
  sky: "#e9eef5",
  ground: "#4b5563",
  light: 0.92,
};

export function isDark(theme: Options["theme"]): boolean {
  return theme === "dark" || (theme === "system" && matchMedia("(prefers-color-scheme: dark)").matches);
}

export function palette(theme: Options["theme"]): Palette {
  return isDark(theme) ? DARK : LIGHT;
}
