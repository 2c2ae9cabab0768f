// Whether this browser can draw the view at all, said in words where it cannot.

export function hasWebGL(): boolean {
  return document.createElement("canvas").getContext("webgl2") !== null;
}

export function sayNoWebGL(element: HTMLElement): void {
  const words = document.createElement("div");
  words.className = "view-failure";
  words.textContent = "This browser gives no WebGL 2, which the view is drawn with.\nUse a current Firefox, Chrome, Edge or Safari, and see that its hardware acceleration is switched on.";
  element.append(words);
}
