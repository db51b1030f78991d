import { readFileSync } from "node:fs";
import type { KindReport, Report } from "../frame/index.js";

const BEGIN = "<!-- figures: written by `bun run test:faults` -->";
const END = "<!-- end of figures -->";

/** The document with the figures of this run between its two marks. Throws when the marks are gone. */
export function documentWith(file: string, report: Report): string {
  const text = readFileSync(file, "utf8");
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (begin === -1 || end < begin) throw new Error(`${file} has no place for the figures: ${BEGIN} … ${END}`);
  return `${text.slice(0, begin + BEGIN.length)}\n${tableOf(report)}\n${text.slice(end)}`;
}

/** The figures as Markdown. */
export function tableOf({ date, seed, minutes, machine, runtimes, kinds }: Report): string {
  return `
Run of ${date}, ${minutes} minutes, seed ${seed}, on ${machine}, with ${runtimes.join(" and ")}.

| kind | what was done | figures | broken promises |
|---|---|---|---|
${kinds.map(rowOf).join("\n")}
`;
}

function rowOf({ name, title, figures, violations }: KindReport): string {
  const shown = Object.entries(figures).map(([figure, value]) => `${value.toLocaleString("en")} ${figure}`);
  return `| ${name} | ${title} | ${shown.join("; ")} | ${violations.length} |`;
}
