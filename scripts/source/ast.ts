/** A node of the ESTree that oxc-parser gives, seen generically. */
export type AstNode = { readonly type: string; readonly start: number } & Readonly<Record<string, unknown>>;

export function isNode(value: unknown): value is AstNode {
  return typeof value === "object" && value !== null && typeof (value as AstNode).type === "string";
}

export function children(node: AstNode): AstNode[] {
  return Object.values(node).flatMap((value) =>
    Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : [],
  );
}

/** The text of a string literal or of a template without substitutions. */
export function literalText(node: unknown): string | null {
  if (!isNode(node)) return null;
  if (node.type === "TSLiteralType") return literalText(node.literal);
  if (node.type === "Literal" && typeof node.value === "string") return node.value;
  if (node.type !== "TemplateLiteral" || (node.expressions as unknown[]).length > 0) return null;
  const [quasi] = node.quasis as readonly { readonly value: { readonly cooked: string } }[];
  return quasi?.value.cooked ?? null;
}
