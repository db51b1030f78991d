/** Where a number stands in a sorted array; -1 when it does not. */
export function search(sorted: BigUint64Array, wanted: bigint): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const value = sorted[middle];
    if (value === wanted) return middle;
    if (value !== undefined && value < wanted) low = middle + 1;
    else high = middle;
  }
  return -1;
}
