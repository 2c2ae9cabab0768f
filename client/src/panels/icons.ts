// Icons, drawn for this page: lines on a field of 16 × 16, in the colour of the text beside them.

const PATHS = {
  menu: "M2.5 4.5h11M2.5 8h11M2.5 11.5h11",
  undo: "M5.5 3 2.5 6l3 3M2.5 6h7a4 4 0 0 1 0 8H6",
  redo: "M10.5 3l3 3-3 3M13.5 6h-7a4 4 0 0 0 0 8H10",
  play: "M4.5 2.8v10.4L13 8z",
  pause: "M5.5 3v10M10.5 3v10",
  step: "M3.5 3v10L10 8zM12.5 3v10",
  reset: "M3 8a5 5 0 1 0 1.7-3.8M3 2.5v3h3",
  select: "M4 2l8.5 6.5-4 .6L11 14l-2 .8-2.3-5L4 12.5z",
  cable: "M2 12c4.5 0 2.5-8 6-8s1.5 8 6 8M1 12h2M13 12h2",
  clip: "M2 11h12M6 11V7a2 2 0 0 1 4 0v4M4.5 13.5h7",
  measure: "M2 10.5 10.5 2 14 5.5 5.5 14zM5 8l1.5 1.5M7.5 5.5 9 7M10 3l1.5 1.5",
  section: "M2.5 5 8 2l5.5 3v6L8 14l-5.5-3zM8 2v12M8 8l5.5-3M8 11l5.5-3",
  eye: "M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8zM8 6.2a1.8 1.8 0 1 1 0 3.6 1.8 1.8 0 0 1 0-3.6z",
  eyeOff: "M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8zM3 13 13 3",
  lock: "M4 7.5h8v6H4zM5.8 7.5V5a2.2 2.2 0 0 1 4.4 0v2.5",
  unlock: "M4 7.5h8v6H4zM5.8 7.5V5A2.2 2.2 0 0 1 10 4",
  glass: "M8 2.5a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11zM8 2.5v11M8 5h3.6M8 8h5.4M8 11h3.6",
  isolate: "M2.5 5V2.5H5M11 2.5h2.5V5M13.5 11v2.5H11M5 13.5H2.5V11M6 6h4v4H6z",
  fit: "M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10",
  plus: "M8 3v10M3 8h10",
  minus: "M3 8h10",
  trash: "M3 4.5h10M6 4.5V3h4v1.5M4.5 4.5l.6 9h5.8l.6-9M6.8 7v4M9.2 7v4",
  copy: "M5.5 5.5h7v8h-7zM3.5 10.5v-8h7",
  search: "M7 2.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9zM10.3 10.3 14 14",
  group: "M2 4.5h4l1.2 1.5H14v7.5H2z",
  down: "M4 6.5 8 10.5l4-4",
  right: "M6.5 4l4 4-4 4",
  check: "M3 8.5 6.5 12 13 4.5",
  cross: "M4 4l8 8M12 4l-8 8",
  warning: "M8 2.2 14.6 13.5H1.4zM8 6.5v3.5M8 11.6v.4",
  info: "M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2zM8 7.2V11M8 4.8v.4",
  help: "M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2zM6.2 6.4a1.8 1.8 0 1 1 2.6 1.6c-.6.3-.8.7-.8 1.3M8 11.2v.3",
  sun: "M8 5.2a2.8 2.8 0 1 1 0 5.6 2.8 2.8 0 0 1 0-5.6zM8 1.5v1.6M8 12.9v1.6M1.5 8h1.6M12.9 8h1.6M3.4 3.4l1.1 1.1M11.5 11.5l1.1 1.1M3.4 12.6l1.1-1.1M11.5 4.5l1.1-1.1",
  moon: "M13 9.8A5.6 5.6 0 0 1 6.2 3 5.6 5.6 0 1 0 13 9.8z",
  record: "M8 3.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9z",
  part: "M8 2l5.5 3v6L8 14l-5.5-3V5zM2.5 5 8 8l5.5-3M8 8v6",
  junction: "M2 8h5M7 8l6-4.5M7 8l6 4.5M7 6.2a1.8 1.8 0 1 1 0 3.6 1.8 1.8 0 0 1 0-3.6z",
  end: "M3 3v10M3 8h10M6 5.5v5",
  view: "M2 8l6-5 6 5M4 7v6h8V7",
  camera: "M2 5h3l1-1.5h4L11 5h3v8H2zM8 6.5a2.4 2.4 0 1 1 0 4.8 2.4 2.4 0 0 1 0-4.8z",
  target: "M8 3.2a4.8 4.8 0 1 1 0 9.6 4.8 4.8 0 0 1 0-9.6zM8 1v3M8 12v3M1 8h3M12 8h3",
  more: "M3.5 8h.1M8 8h.1M12.5 8h.1",
  link: "M6.5 9.5l3-3M7 5l1.8-1.8a2.7 2.7 0 0 1 3.9 3.9L11 9M9 11l-1.8 1.8a2.7 2.7 0 0 1-3.9-3.9L5 7",
} as const;

export type IconName = keyof typeof PATHS;

const SVG = "http://www.w3.org/2000/svg";

export function icon(name: IconName, className = ""): SVGSVGElement {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("class", `icon ${className}`);
  svg.setAttribute("aria-hidden", "true");
  svg.dataset.icon = name;
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", PATHS[name]);
  svg.append(path);
  return svg;
}

/** Changes what an icon shows. */
export function setIcon(svg: SVGSVGElement, name: IconName): void {
  if (svg.dataset.icon === name) return;
  svg.dataset.icon = name;
  svg.firstElementChild?.setAttribute("d", PATHS[name]);
}
