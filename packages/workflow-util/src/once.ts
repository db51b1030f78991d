/** A value made at the first call and kept. */
type Once<T> = (() => T) & { readonly made: () => boolean };

export function once<T>(make: () => T): Once<T> {
  let kept: { readonly value: T } | null = null;
  const get = (): T => {
    kept ??= { value: make() };
    return kept.value;
  };
  return Object.assign(get, { made: () => kept !== null });
}
