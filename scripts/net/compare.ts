import type { Net, Recorded } from "./record.js";

export type Comparison = {
  /** By kind, in the order of the first record. */
  readonly table: readonly { readonly kind: string; readonly lines: number; readonly differ: number }[];
  /** Lines that differ in the same way. */
  readonly groups: readonly { readonly diff: string; readonly lines: readonly string[] }[];
};

/** What two records have of each line, and what one of them lacks. */
export function compareNets(left: Net, right: Net): Comparison {
  const counts = new Map<string, { lines: number; differ: number }>();
  const groups = new Map<string, string[]>();
  for (const line of new Set([...Object.keys(left.lines), ...Object.keys(right.lines)])) {
    const [before, after] = [left.lines[line], right.lines[line]];
    const kind = (before ?? after)?.kind ?? "";
    const count = counts.get(kind) ?? { lines: 0, differ: 0 };
    counts.set(kind, count);
    count.lines += 1;
    const diff = differenceOf(before, after);
    if (diff === "") continue;
    count.differ += 1;
    groups.set(diff, [...(groups.get(diff) ?? []), line]);
  }
  return {
    table: [...counts].map(([kind, count]) => ({ kind, ...count })),
    groups: [...groups]
      .map(([diff, lines]) => ({ diff, lines }))
      .sort((one, other) => other.lines.length - one.lines.length),
  };
}

/** Lines of a group that are named; the others are counted. */
const NAMED = 5;

export function comparisonText({ table, groups }: Comparison, all: boolean): string {
  const rows = [
    ["KIND", "LINES", "DIFFER"],
    ...table.map(({ kind, lines, differ }) => [kind, String(lines), String(differ)]),
  ];
  const wide = Math.max(...rows.map(([kind = ""]) => kind.length));
  const shown = rows.map(
    ([kind = "", lines = "", differ = ""]) =>
      `${kind.padEnd(wide)}  ${lines.padStart(6)}  ${differ.padStart(6)}`,
  );
  const parts = groups.map(({ diff, lines }) => {
    const named = all ? lines : lines.slice(0, NAMED);
    const rest = lines.length - named.length;
    const more = rest === 0 ? [] : [`… and ${rest} more`];
    return `\n${lines.length} ×\n${[...named.map((line) => `  $ ${line}`), ...more].join("\n")}\n${diff}`;
  });
  return `${[...shown, ...parts].join("\n")}\n`;
}

function differenceOf(before: Recorded | undefined, after: Recorded | undefined): string {
  if (before === undefined) return "only in the second record";
  if (after === undefined) return "only in the first record";
  const parts = [
    before.code === after.code ? "" : `exit code ${before.code} → ${after.code}`,
    diffOf("stdout", before.out.split("\n"), after.out.split("\n")),
    diffOf("stderr", before.err.split("\n"), after.err.split("\n")),
    diffOf("files", before.changed, after.changed),
  ];
  return parts.filter((part) => part !== "").join("\n");
}

/** A longest common part is looked for up to so many lines. */
const LONGEST = 400;

/** The lines that only one of them has, in order. */
function diffOf(what: string, left: readonly string[], right: readonly string[]): string {
  let begin = 0;
  while (begin < left.length && begin < right.length && left[begin] === right[begin]) begin += 1;
  if (begin === left.length && begin === right.length) return "";
  let end = 0;
  while (end < Math.min(left.length, right.length) - begin && left.at(-1 - end) === right.at(-1 - end))
    end += 1;
  const [gone, come] = [left.slice(begin, left.length - end), right.slice(begin, right.length - end)];
  const told = gone.length * come.length > LONGEST ** 2 ? whole(gone, come) : stepwise(gone, come);
  return [what, ...told].join("\n");
}

function whole(left: readonly string[], right: readonly string[]): readonly string[] {
  return [...left.map((line) => `- ${line}`), ...right.map((line) => `+ ${line}`)];
}

function stepwise(left: readonly string[], right: readonly string[]): readonly string[] {
  const common = Array.from({ length: left.length + 1 }, () => new Array<number>(right.length + 1).fill(0));
  const at = (row: number, column: number): number => common[row]?.[column] ?? 0;
  for (let row = left.length - 1; row >= 0; row -= 1)
    for (let column = right.length - 1; column >= 0; column -= 1)
      (common[row] as number[])[column] =
        left[row] === right[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
  const told: string[] = [];
  let [row, column] = [0, 0];
  while (row < left.length || column < right.length) {
    if (row < left.length && column < right.length && left[row] === right[column]) {
      row += 1;
      column += 1;
    } else if (column === right.length || (row < left.length && at(row + 1, column) >= at(row, column + 1))) {
      told.push(`- ${left[row]}`);
      row += 1;
    } else {
      told.push(`+ ${right[column]}`);
      column += 1;
    }
  }
  return told;
}
