// A colour ramp whose lightness grows evenly: mixed in OKLab, from deep indigo over teal to pale yellow.
import { DataTexture, LinearFilter, SRGBColorSpace } from "three";

const STOPS: readonly [number, number, number][] = [
  // lightness, chroma, hue in degrees
  [0.36, 0.13, 285],
  [0.49, 0.11, 255],
  [0.62, 0.1, 200],
  [0.75, 0.14, 150],
  [0.9, 0.15, 105],
];

/** sRGB bytes of the ramp at t from 0 to 1. */
export function rampAt(t: number): [number, number, number] {
  const x = Math.max(0, Math.min(1, t)) * (STOPS.length - 1);
  const i = Math.min(STOPS.length - 2, Math.floor(x));
  const [a, b] = [oklab(STOPS[i]), oklab(STOPS[i + 1])];
  const u = x - i;
  return srgb(a.map((value, k) => value * (1 - u) + b[k] * u) as [number, number, number]);
}

export function rampTexture(): DataTexture {
  const bytes = new Uint8Array(4 * 256);
  for (let i = 0; i < 256; i++) bytes.set([...rampAt(i / 255), 255], 4 * i);
  const texture = new DataTexture(bytes, 256, 1);
  texture.colorSpace = SRGBColorSpace;
  texture.minFilter = texture.magFilter = LinearFilter;
  texture.needsUpdate = true;
  return texture;
}

/** A CSS gradient over the ramp up to `limit`, and in one colour beyond it. */
export function rampGradient(limit: number | null, bad: string): string {
  const end = limit ?? 1;
  const stops = Array.from({ length: 17 }, (_, k) => {
    const t = (k / 16) * end;
    return `rgb(${rampAt(t).join(" ")}) ${(100 * t).toFixed(1)}%`;
  });
  if (limit !== null) stops.push(`${bad} ${(100 * limit).toFixed(1)}%`, `${bad} 100%`);
  return `linear-gradient(to right, ${stops.join(", ")})`;
}

function oklab([lightness, chroma, hue]: readonly [number, number, number]): [number, number, number] {
  const h = (hue * Math.PI) / 180;
  return [lightness, chroma * Math.cos(h), chroma * Math.sin(h)];
}

/** OKLab to sRGB bytes (B. Ottosson, "A perceptual color space for image processing", 2020). */
function srgb([lightness, a, b]: [number, number, number]): [number, number, number] {
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const linear = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
  return linear.map((c) => {
    const v = Math.max(0, Math.min(1, c));
    return Math.round(255 * (v <= 0.0031308 ? 12.92 * v : 1.055 * v ** (1 / 2.4) - 0.055));
  }) as [number, number, number];
}
