/**
 * A node of jsonata's syntax tree after its post-parse stage. Only the members that we read are named; `childrenOf`
 * reaches the rest.
 */
export type AstNode = {
  readonly type: string;
  readonly value?: unknown;
  readonly position?: number;
  /** path */
  readonly steps?: readonly AstNode[];
  /** Filters after a step of a path. */
  readonly stages?: readonly AstFilter[];
  /** Filters after any other expression. */
  readonly predicate?: readonly AstFilter[];
  /** binary, bind, apply */
  readonly lhs?: AstNode;
  readonly rhs?: AstNode;
  /** unary minus */
  readonly expression?: AstNode;
  /** block, array constructor */
  readonly expressions?: readonly AstNode[];
  /** function, lambda */
  readonly arguments?: readonly AstNode[];
  readonly procedure?: AstNode;
  readonly body?: AstNode;
  readonly thunk?: boolean;
  /** condition */
  readonly condition?: AstNode;
  readonly then?: AstNode;
  readonly else?: AstNode;
};

/** `filter` has an expression; `index` binds a position. */
export type AstFilter = { readonly type: string; readonly expr?: AstNode };

/** jsonata calls these around every evaluation of a node. */
export type EvaluationHook = (
  node: AstNode,
  input: unknown,
  frame: unknown,
  result: unknown,
) => Promise<void> | void;

/** What one evaluation may still make; each function throws when that is exceeded. */
export type Budget = {
  /** Before the evaluation of each node. */
  readonly step: () => void;
  readonly spend: (characters: number, items: number) => void;
  /** Into the parts of a value (1), and out of them again (-1). */
  readonly deeper: (levels: number, items: number) => void;
  /** Before the JSON of a value is made, or all of it is walked. */
  readonly measure: (value: unknown) => void;
  /** Before a picture is read. */
  readonly picture: (text: string) => void;
};

/** What evaluations have cost so far: steps, items of lists and, by `costOfText`, characters; every runtime counts the same. */
export type Meter = { cost: number };

/** A parsed expression, ready to run. Hooks are assigned under symbols. */
export type Compiled = {
  readonly ast: () => AstNode;
  readonly assign: (name: string | symbol, value: unknown) => void;
  /** With bindings of its own, one evaluation knows nothing of another. */
  readonly evaluate: (input: unknown, bindings: object) => Promise<unknown>;
};

export type RegexEngine = new (regex: RegExp) => { lastIndex: number; exec: (text: string) => RegExpLike };

export type RegExpLike = (readonly (string | undefined)[] & { readonly index: number }) | null;

export type CompileOptions = {
  readonly timeout: number;
  readonly stack: number;
  readonly sequence: number;
  /** Epoch ms of jsonata's current time. */
  readonly timestamp: number;
  readonly budget: () => Budget;
  readonly RegexEngine?: RegexEngine;
};

/** The part of the package jsonata that is used. */
export type Jsonata = (expression: string, options: CompileOptions) => Compiled;

/** The result of an expression. `json` is `null` unless it is a value. */
export type Observation = {
  readonly kind: "value" | "none" | "function";
  readonly json: string | null;
  /** Missing paths that were read, as an author would write them; empty without tracing. */
  readonly missing: readonly string[];
};

/** The request to the evaluator process; the input follows as JSON on the second line. */
export type ServeRequest = { readonly expression: string; readonly regex: boolean };

/** A request to an evaluator process that answers many: a whole context, of which the process has a part. */
export type NextRequest = ServeRequest & {
  readonly start: unknown;
  /** How many of the steps that the process has are the first of this context. */
  readonly kept: number;
  /** The others. */
  readonly steps: readonly unknown[];
};

/** Its answer, and what the request has cost up to it, as a `Meter` counts. */
export type ServeAnswer = { readonly cost: number } & (
  | { readonly ok: true; readonly observation: Observation }
  | { readonly ok: false; readonly reason: string }
);
