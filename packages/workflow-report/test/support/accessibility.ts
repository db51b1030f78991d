/// <reference lib="dom" />
import axe from "axe-core";
import type { Page } from "puppeteer-core";

export const SCHEMES = ["light", "dark"] as const;

/** Makes a page as if the reader's system were light or dark, and the reader had chosen no theme, here or on another page. */
export async function inScheme(page: Page, scheme: (typeof SCHEMES)[number]): Promise<void> {
  await page.evaluate(() => {
    localStorage.clear();
    delete document.documentElement.dataset.theme;
  });
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
}

/** Opens everything that can be opened. */
export async function openAll(page: Page): Promise<void> {
  await page.$$eval("details", (all) => {
    for (const details of all) details.open = true;
  });
}

/** What axe says against a page, and which texts of its pictures are too pale; each with its place. */
export async function barriersOf(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const found = await page.evaluate(async () => {
    const { axe: run } = window as unknown as { readonly axe: typeof axe };
    /** Texts of pictures are measured below. Arrows, single digits, and what is scrolled out look like the texts beside them. */
    const isOpen = ({ node }: { readonly node: axe.NodeResult }): boolean => {
      const [target = ""] = node.target;
      const inPicture = document.querySelector(String(target))?.closest("svg") != null;
      return (
        !inPicture &&
        !["nonBmp", "shortTextContent", "elmPartiallyObscured"].includes(node.any[0]?.data?.messageKey)
      );
    };
    const { violations, incomplete } = await run.run(document, {
      resultTypes: ["violations", "incomplete"],
      // Browsers let the Tab key reach what scrolls (Chromium since 130); a stop at every table would be in the way.
      rules: { "scrollable-region-focusable": { enabled: false } },
    });
    const unmeasured = incomplete.filter(({ id }) => id === "color-contrast");
    return [
      ...violations.flatMap(({ id, nodes }) => nodes.map((node) => ({ id, node }))),
      ...unmeasured.flatMap(({ id, nodes }) => nodes.map((node) => ({ id, node }))).filter(isOpen),
    ].map(({ id, node }) => `${id}: ${node.target} ${node.any[0]?.message ?? ""}`);
  });
  return [...found, ...(await pale(page))];
}

/** Texts in SVG, of which axe knows no background, against the last shape under their middle. */
function pale(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const LEAST = 4.5;
    const channels = (colour: string): readonly number[] => (colour.match(/[\d.]+/g) ?? []).map(Number);
    const luminance = (colour: string): number => {
      const [red = 0, green = 0, blue = 0] = channels(colour).map((each) => {
        const part = each / 255;
        return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const isPainted = (colour: string): boolean => colour.startsWith("rgb") && (channels(colour)[3] ?? 1) > 0;
    const behind = (text: Element): string => {
      const { left, right, top, bottom } = text.getBoundingClientRect();
      const [x, y] = [(left + right) / 2, (top + bottom) / 2];
      const shapes = [
        ...(text.closest("svg")?.querySelectorAll("rect, polygon, circle, ellipse, path") ?? []),
      ];
      const under = shapes
        .filter((shape) => (shape.compareDocumentPosition(text) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0)
        .filter((shape) => isPainted(getComputedStyle(shape).fill))
        .filter((shape) => {
          const box = shape.getBoundingClientRect();
          return box.left <= x && x <= box.right && box.top <= y && y <= box.bottom;
        });
      const shape = under.at(-1);
      if (shape !== undefined) return getComputedStyle(shape).fill;
      for (let at: Element | null = text; at !== null; at = at.parentElement) {
        const { backgroundColor } = getComputedStyle(at);
        if (isPainted(backgroundColor)) return backgroundColor;
      }
      return "rgb(255, 255, 255)";
    };
    return [...document.querySelectorAll("svg text")].flatMap((text) => {
      const [own, under] = [getComputedStyle(text).fill, behind(text)];
      const [light = 0, dark = 0] = [luminance(own), luminance(under)].sort((a, b) => b - a);
      const ratio = (light + 0.05) / (dark + 0.05);
      return ratio >= LEAST ? [] : [`${text.textContent}: ${own} on ${under} is ${ratio.toFixed(2)}:1`];
    });
  });
}
