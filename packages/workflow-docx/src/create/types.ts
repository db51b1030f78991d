/** A piece of a new document. In its texts `**…**` is bold. */
export type NewBlock =
  | { readonly kind: "heading"; readonly level: 1 | 2 | 3 | 4 | 5 | 6; readonly text: string }
  /** Each line is a paragraph. `style`: the id or the name of one of `STYLES`; `null`: the usual one. */
  | { readonly kind: "paragraph"; readonly text: string; readonly style: string | null }
  | { readonly kind: "list"; readonly ordered: boolean; readonly items: readonly string[] }
  /** `header`: the first row is the heads of the columns. All rows have the same number of cells. */
  | { readonly kind: "table"; readonly header: boolean; readonly rows: readonly (readonly string[])[] };
