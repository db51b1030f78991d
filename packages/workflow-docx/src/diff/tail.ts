import type { XmlElement } from "../xml/index.js";
import type { Step } from "./align.js";
import type { ChangeKind } from "./mark.js";

/** A step, and what becomes of the end of its paragraph. */
export type Placed = {
  readonly step: Step<XmlElement>;
  readonly end: ChangeKind | null;
  /** The paragraph whose properties this one takes over from, where it is the last one. */
  readonly last: { readonly old: XmlElement; readonly new: XmlElement } | null;
};

/**
 * The last end of a paragraph of a body or a cell is never inserted or deleted: a word processor could not do it. Where
 * paragraphs are added behind the last one, its end is inserted, and theirs is kept; the same for deletions.
 */
export function placeEnds(steps: readonly Step<XmlElement>[]): readonly Placed[] {
  const old = steps.findLast((step) => step.kind !== "inserted");
  const now = steps.findLast((step) => step.kind !== "deleted");
  if (old === undefined || now === undefined || old === now) return steps.map(place);
  const [oldLast, newLast] = [oldOf(old), newOf(now)];
  if (oldLast?.name !== "w:p" || newLast?.name !== "w:p") return steps.map(place);
  const anchor = steps.findLastIndex((step) => step.kind === "same" || step.kind === "changed");
  const tail = steps.slice(anchor + 1);
  const isAll = (kind: Step<XmlElement>["kind"]): boolean =>
    tail.every((step) => step.kind === kind && (oldOf(step) ?? newOf(step))?.name === "w:p");
  const kind =
    steps[anchor] === old && isAll("inserted")
      ? "ins"
      : steps[anchor] === now && isAll("deleted")
        ? "del"
        : null;
  if (kind !== null) {
    return steps.map((step, index): Placed => {
      if (index === steps.length - 1) return { step, end: null, last: { old: oldLast, new: newLast } };
      return index >= anchor ? { step, end: kind, last: null } : place(step);
    });
  }
  const others = steps.flatMap((step): readonly Step<XmlElement>[] => {
    if (step !== old && step !== now) return [step];
    // What they were paired with stands for itself.
    if (step === old) return old.kind === "deleted" ? [] : [{ kind: "inserted", new: old.new }];
    return now.kind === "inserted" ? [] : [{ kind: "deleted", old: now.old }];
  });
  return [...others, { kind: "changed" as const, old: oldLast, new: newLast }].map(place);
}

function place(step: Step<XmlElement>): Placed {
  const end = step.kind === "inserted" ? "ins" : step.kind === "deleted" ? "del" : null;
  return { step, end, last: null };
}

function oldOf(step: Step<XmlElement>): XmlElement | null {
  return step.kind === "inserted" ? null : step.old;
}

function newOf(step: Step<XmlElement>): XmlElement | null {
  return step.kind === "deleted" ? null : step.new;
}
