/** Contrast of colors as WCAG 2 defines it. Colors are `#rrggbb`. */

const channels = (color: string) => [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));

function luminance(color: string): number {
  const [red, green, blue] = channels(color).map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}

/** From 1, for the same color, to 21, for black and white. */
export function contrast(one: string, other: string): number {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light! + 0.05) / (dark! + 0.05);
}

/** The color of text on a background: whichever of white and black can be read better. */
export const textOn = (background: string): string =>
  contrast("#ffffff", background) >= contrast("#000000", background) ? "#ffffff" : "#000000";

const mixed = (color: string, other: string, share: number) => {
  const to = channels(other);
  const parts = channels(color).map((value, index) => Math.round(value + (to[index]! - value) * share));
  return `#${parts.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
};

/** What text needs to be readable for most people. */
const readable = 4.5;

/** The color itself, or as much darker or lighter as text of it needs to be readable on all of these backgrounds. */
export function readableOn(color: string, backgrounds: readonly string[]): string {
  const toward = textOn(backgrounds[0]!);
  for (let share = 0; share < 1; share += 0.05) {
    const candidate = mixed(color, toward, share);
    if (backgrounds.every((background) => contrast(candidate, background) >= readable)) return candidate;
  }
  return toward;
}
