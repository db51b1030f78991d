/** The title of the section in which the task of a child thread has its item: the last one of the task. */
export function partTitle(index: number, count: number): string {
  return `Your part: item ${index + 1} of ${count}`;
}

const PART = /(?:^|\n)# Your part: (item \d+ of \d+)\n\n/g;

/** The section that may follow where the item is that of a thread above. */
export const RESULTS_TITLE = "Results so far";

const RESULTS = `\n\n# ${RESULTS_TITLE}\n\n`;

/** On which of several items a thread works. */
type Part = {
  /** `item 2 of 3`. */
  readonly which: string;
  /** YAML. */
  readonly item: string;
};

/** `null`: on all there is. */
export function partIn(task: string): Part | null {
  const found = [...task.matchAll(PART)].at(-1);
  if (found === undefined) return null;
  const [whole, which = ""] = found;
  const [item = ""] = task.slice(found.index + whole.length).split(RESULTS, 1);
  return { which, item: item.trimEnd() };
}
