/** The pieces of an SVG that the charts are made of. */

export interface Text {
  readonly x: number;
  readonly y: number;
  readonly text: string;
  readonly anchor?: "start" | "middle" | "end";
  readonly size?: number;
  readonly isBold?: boolean;
}

export const INK = "#1f2328";
export const FAINT = "#d0d7de";
export const OURS_COLOUR = "#0969da";
export const THEIRS_COLOUR = "#8c959f";

export function document(width: number, height: number, parts: readonly string[]): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif">`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    ...parts,
    "</svg>\n",
  ].join("\n");
}

export function text({ x, y, text: words, anchor = "start", size = 13, isBold = false }: Text): string {
  const weight = isBold ? ` font-weight="600"` : "";
  return `<text x="${round(x)}" y="${round(y)}" text-anchor="${anchor}" font-size="${size}"${weight} fill="${INK}">${escape(words)}</text>`;
}

export function rectangle(x: number, y: number, width: number, height: number, colour: string): string {
  return `<rect x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}" fill="${colour}"/>`;
}

export function line(points: readonly (readonly [number, number])[], colour: string, width = 1): string {
  const list = points.map(([x, y]) => `${round(x)},${round(y)}`).join(" ");
  return `<polyline points="${list}" fill="none" stroke="${colour}" stroke-width="${width}"/>`;
}

export function dot(x: number, y: number, colour: string): string {
  return `<circle cx="${round(x)}" cy="${round(y)}" r="3.5" fill="${colour}"/>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escape(words: string): string {
  return words.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
