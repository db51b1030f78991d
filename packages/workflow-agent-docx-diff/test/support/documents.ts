import { fileOf, heading, paragraph, SECTION, table } from "../../../workflow-docx/test/support/document.js";

/** A short plan, and what became of it. */
export const OLD = fileOf(
  heading("Fruit") +
    paragraph("We have three apples for 2,800 euros.") +
    paragraph("Pears are out.") +
    table([
      ["Ann", "1,000"],
      ["Bob", "2,000"],
    ]) +
    heading("Staff") +
    paragraph("Ann leads.") +
    SECTION,
);

export const NEW = fileOf(
  heading("Fruit") +
    paragraph("We have four apples for 3,000 euros.") +
    table([
      ["Ann", "1,000"],
      ["Bob", "2,500"],
    ]) +
    heading("Staff") +
    paragraph("Ann leads.") +
    paragraph("Dan joins.") +
    SECTION,
);

/** What `docx-diff` says of the two. */
export const DIFFERENCE = `Fruit
  2: We have [-three-]{+four+} apples for [-2,800-]{+3,000+} euros.
  old 3: [-Pears are out.-]
  3: Bob | [-2,000-]{+2,500+}

Staff
  6: {+Dan joins.+}

2 blocks changed, 1 inserted, 1 deleted
`;
