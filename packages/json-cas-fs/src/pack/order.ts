/** The next of a place: places that are to come before it. */
export type NextPlaces = (place: number) => Iterable<number>;

const NEW = 0;
const ENTERED = 1;
const DONE = 2;

/**
 * Visits what each seed reaches, and the seed itself, each place once and after everything it leads to: what a chain's
 * newest node reaches comes oldest first. Without recursion: a chain may have a million nodes. 1 byte per place.
 */
export function createOrder(next: NextPlaces, visit: (place: number) => void): (seed: number) => void {
  let states = new Uint8Array(1024);
  const stack: number[] = [];
  const set = (place: number, state: number): void => {
    if (place >= states.length) {
      const larger = new Uint8Array(Math.max(place + 1, states.length * 2));
      larger.set(states);
      states = larger;
    }
    states[place] = state;
  };
  const enter = (place: number): void => {
    set(place, ENTERED);
    stack.push(place);
    const before = [...next(place)];
    // The first one is to be on top.
    for (let index = before.length - 1; index >= 0; index -= 1) {
      const other = before[index] ?? place;
      if ((states[other] ?? NEW) === NEW) stack.push(other);
    }
  };
  return (seed) => {
    if ((states[seed] ?? NEW) === NEW) stack.push(seed);
    for (let place = stack.pop(); place !== undefined; place = stack.pop()) {
      const state = states[place] ?? NEW;
      if (state === NEW) enter(place);
      else if (state === ENTERED) {
        set(place, DONE);
        visit(place);
      }
    }
  };
}
