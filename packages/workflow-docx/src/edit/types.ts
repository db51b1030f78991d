type AtBlock = {
  /** The number of the block in the outline of the document as it is given: edits do not move blocks for each other. */
  readonly block: number;
  /**
   * The text that stands there, as the outline has it; for a cell the cell's. White space counts once. A text that
   * ends in `…` is how the text there begins.
   */
  readonly expect: string;
};

/**
 * One change of a document. In new texts `**…**` is bold. An end of a line begins another paragraph in inserted
 * blocks and in cells, and another line elsewhere.
 */
export type Edit =
  /** `find` has to be there once. */
  | (AtBlock & { readonly op: "replaceText"; readonly find: string; readonly text: string })
  | (AtBlock & { readonly op: "setText"; readonly text: string })
  /** `style`: of the new paragraphs; `null`: as the block is, or plain text at headings and tables. */
  | (AtBlock & {
      readonly op: "insertBefore" | "insertAfter";
      readonly text: string;
      readonly style: string | null;
    })
  | (AtBlock & { readonly op: "delete" })
  /** The id or the name of a style. */
  | (AtBlock & { readonly op: "setStyle"; readonly style: string })
  /** Rows and columns count from 1. */
  | (AtBlock & {
      readonly op: "setCell";
      readonly row: number;
      readonly column: number;
      readonly text: string;
    });

/** An edit with its number, from 1. */
export type Numbered<T extends Edit = Edit> = T & { readonly edit: number };
