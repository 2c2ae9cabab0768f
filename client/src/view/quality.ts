// How much the picture may cost. Without a graphics processor (remote desktops, test machines) it is drawn plainly, so
// that dragging stays fluent; `?quality=full` or `?quality=plain` in the page's address decides otherwise.

export type Quality = "full" | "plain";

const IN_SOFTWARE = /swiftshader|llvmpipe|softpipe|software|basic render/i;

export function quality(): Quality {
  const asked = new URLSearchParams(location.search).get("quality");
  if (asked === "full" || asked === "plain") return asked;
  const gl = document.createElement("canvas").getContext("webgl2");
  if (gl === null) return "plain";
  const info = gl.getExtension("WEBGL_debug_renderer_info");
  const name = String(gl.getParameter(info === null ? gl.RENDERER : info.UNMASKED_RENDERER_WEBGL));
  gl.getExtension("WEBGL_lose_context")?.loseContext();
  return IN_SOFTWARE.test(name) ? "plain" : "full";
}
