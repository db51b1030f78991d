/** A document holds so many of a list; memory stays bounded, and the rest is counted. */
const MOST_SHOWN = 1000;

/** The first members of a list that may be long. */
export function shownList<T>() {
  const list: T[] = [];
  let omitted = 0;
  const add = (member: T): void => {
    if (list.length < MOST_SHOWN) list.push(member);
    else omitted += 1;
  };
  return { add, list, omitted: () => omitted };
}
