/** Characters in one style. */
export type Run = {
  readonly text: string;
  readonly colour: "red" | "green" | "yellow" | "cyan" | null;
  readonly bold: boolean;
  readonly dim: boolean;
  readonly struck: boolean;
};

export type Line = readonly Run[];

/** What is typed, and what the terminal shows then. */
export type Screenful = { readonly command: string; readonly output: string };
