import type { Point } from "./types.js";

/** Of the corners of back edges. */
const RADIUS = 10;

/** The `d` of a curve that starts and ends at the outer points and is drawn towards the others (a uniform B-spline). */
export function smoothPath(points: readonly Point[]): string {
  const [first, second] = points;
  const last = points.at(-1);
  if (first === undefined || second === undefined || last === undefined) return "";
  if (points.length === 2) return `M${at(first)}L${at(second)}`;
  const parts = [`M${at(first)}`, `L${at(mix([first, 5], [second, 1]))}`];
  // The last point counts three times, so that the curve ends there.
  const through = [...points, last];
  for (let index = 2; index < through.length; index += 1) {
    const [a, b, c] = [through[index - 2] ?? last, through[index - 1] ?? last, through[index] ?? last];
    const end = mix([a, 1], [b, 4], [c, 1]);
    parts.push(`C${at(mix([a, 2], [b, 1]))} ${at(mix([a, 1], [b, 2]))} ${at(end)}`);
  }
  return `${parts.join("")}L${at(last)}`;
}

/** The `d` of straight lines with rounded corners. */
export function roundedPath(points: readonly Point[]): string {
  const parts = points.map((point, index) => {
    const before = points[index - 1];
    const after = points[index + 1];
    if (before === undefined) return `M${at(point)}`;
    if (after === undefined) return `L${at(point)}`;
    const radius = Math.min(RADIUS, distance(before, point) / 2, distance(point, after) / 2);
    return `L${at(towards(point, before, radius))}Q${at(point)} ${at(towards(point, after, radius))}`;
  });
  return parts.join("");
}

function mix(...weighted: readonly (readonly [Point, number])[]): Point {
  const whole = weighted.reduce((sum, [, weight]) => sum + weight, 0);
  return {
    x: weighted.reduce((sum, [{ x }, weight]) => sum + x * weight, 0) / whole,
    y: weighted.reduce((sum, [{ y }, weight]) => sum + y * weight, 0) / whole,
  };
}

function distance(a: Point, b: Point): number {
  return Math.hypot(a.x - b.x, a.y - b.y);
}

function towards(from: Point, to: Point, length: number): Point {
  const whole = distance(from, to);
  return whole === 0 ? from : mix([from, whole - length], [to, length]);
}

function at({ x, y }: Point): string {
  return `${number(x)},${number(y)}`;
}

/** A tenth of a pixel is enough, and the same on every machine. */
export function number(value: number): string {
  return String(Math.round(value * 10) / 10);
}
