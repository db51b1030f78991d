import type { BlockChange, Difference, OtherChange } from "../diff/index.js";

/** Changes that stand under one heading; `null`: before the first one. */
export type Section = { readonly heading: string | null; readonly changes: readonly BlockChange[] };

/** The changed blocks in their order, by the heading above them. */
export function sectionsOf({ changes }: Pick<Difference, "changes">): readonly Section[] {
  const sections: { heading: string | null; changes: BlockChange[] }[] = [];
  for (const change of changes) {
    const last = sections.at(-1);
    if (last !== undefined && last.heading === change.heading) last.changes.push(change);
    else sections.push({ heading: change.heading, changes: [change] });
  }
  return sections;
}

const OTHERS: Readonly<Record<OtherChange["what"], string>> = {
  header: "header",
  footer: "footer",
  footnotes: "footnotes",
  endnotes: "endnotes",
  comments: "comments",
  styles: "styles",
  numbering: "lists",
  theme: "theme",
  section: "page",
};

/** What a person calls it: `header`, `lists`, `page`. */
export function otherName({ what }: OtherChange): string {
  return OTHERS[what];
}

/** `2 blocks changed, 1 inserted; the header and the styles differ`, or `no difference`. */
export function differenceSummary({ isEqual, changes, others }: Difference): string {
  if (isEqual) return "no difference";
  const counts = (["changed", "inserted", "deleted"] as const)
    .map((kind) => ({ kind, count: changes.filter(({ change }) => change === kind).length }))
    .filter(({ count }) => count > 0)
    .map(({ kind, count }, at) =>
      at > 0 ? `${count} ${kind}` : `${count} ${count === 1 ? "block" : "blocks"} ${kind}`,
    );
  const names = [...new Set(others.map((other) => `the ${otherName(other)}`))];
  const isPlural = names.length > 1 || /s$/.test(names[0] ?? "");
  const listed = names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names.at(-1)}` : names[0];
  return [
    counts.join(", "),
    ...(listed === undefined ? [] : [`${listed} ${isPlural ? "differ" : "differs"}`]),
  ]
    .filter((part) => part !== "")
    .join("; ");
}
