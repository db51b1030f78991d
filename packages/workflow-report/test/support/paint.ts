import type { TextPaint } from "../../src/index.js";

const same = (text: string): string => text;

export const plain: TextPaint = { good: same, bad: same, warn: same, busy: same, dim: same, strong: same };

/** `<good>×2</good>` */
export const marked: TextPaint = {
  good: (text) => `<good>${text}</good>`,
  bad: (text) => `<bad>${text}</bad>`,
  warn: (text) => `<warn>${text}</warn>`,
  busy: (text) => `<busy>${text}</busy>`,
  dim: (text) => `<dim>${text}</dim>`,
  strong: (text) => `<strong>${text}</strong>`,
};
