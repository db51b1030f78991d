/**
 * Renders items from the last one back for as long as their texts together stay within `quota` characters;
 * the last one is always there. Gives the texts in their original order.
 */
export function fitNewest<T>(
  items: readonly T[],
  quota: number,
  render: (item: T, index: number) => string,
): readonly string[] {
  const texts: string[] = [];
  let used = 0;
  for (let index = items.length - 1; index >= 0; index -= 1) {
    const text = render(items[index] as T, index);
    used += text.length;
    if (texts.length > 0 && used > quota) break;
    texts.push(text);
  }
  return texts.reverse();
}
