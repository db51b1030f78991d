import {
  type Secret,
  type Spelling,
  settledCount,
  settledEnd,
  spellingsOf,
  VIEWS,
  type View,
  type ViewName,
  viewsOf,
} from "./views.js";

/** Finds secrets in texts. */
export type Finder = {
  /** Takes them out; if the text may go on (`isWhole` is false), what may become one stays in `rest`. */
  readonly scan: (text: string, isWhole: boolean) => Scanned;
  /** The first place, before the last `least` characters, from which the text is the beginning of a secret; `null`: none. */
  readonly cutEnd: (text: string, least: number) => Place | null;
  /** How much of the text's beginning, of which `before` characters may be the rest of an escape, is the end of a secret. */
  readonly cutStart: (text: string, before: number) => number;
  /** Characters of the longest spelling, escaped as texts usually do. */
  readonly longest: number;
};

type Scanned = { readonly clean: string; readonly rest: string };

/** A place in a text, and the name of the secret there. */
type Place = { readonly start: number; readonly name: string };

type Found = Place & { readonly end: number };

/** The spellings to find in one view. */
type Searched = {
  readonly view: ViewName;
  /** All of them as one pattern. */
  readonly pattern: RegExp;
  /** The longest first. */
  readonly spellings: readonly Spelling[];
  readonly names: ReadonlyMap<string, string>;
};

/** So many characters of a spelling's end show nothing. */
const HARMLESS_END: Readonly<Record<ViewName, number>> = { raw: 3, plain: 3, base64: 4, hex: 6, numbers: 6 };

/** The characters that a text usually takes for one of a spelling. */
const WIDEST: Readonly<Record<ViewName, number>> = { raw: 1, plain: 12, base64: 3, hex: 4, numbers: 8 };

/** The same for a text that escapes each of its characters, its escapes too. */
const WIDEST_ESCAPED = 32;

export function createFinder(secrets: readonly Secret[]): Finder {
  const spellings = secrets.flatMap(spellingsOf).sort((a, b) => b.text.length - a.text.length);
  const searched = VIEWS.map((view) => searchedIn(view, spellings)).filter(({ names }) => names.size > 0);
  const widest =
    WIDEST_ESCAPED * Math.max(0, ...searched.map(({ spellings: [first] }) => first?.text.length ?? 0));
  return {
    scan: (text, isWhole) => scan(text, searched, isWhole),
    cutEnd: (text, least) => {
      const skipped = Math.max(0, text.length - widest);
      const views = viewsOf(text.slice(skipped));
      const [first] = opensIn(views, searched, settledEnd(views));
      return first === undefined || skipped + first.start >= text.length - least
        ? null
        : { ...first, start: skipped + first.start };
    },
    cutStart: (text, before) => {
      const views = viewsOf(text.slice(0, widest));
      return Math.max(0, ...searched.map((each) => cutStartIn(views[each.view], each, before)));
    },
    longest: Math.max(
      0,
      ...searched.map(({ view, spellings: [first] }) => (first?.text.length ?? 0) * WIDEST[view]),
    ),
  };
}

function searchedIn(view: ViewName, all: readonly Spelling[]): Searched {
  const spellings = all.filter((each) => each.view === view);
  // Of two variables with the same value the first provides the name.
  const names = new Map(spellings.toReversed().map(({ text, name }) => [text, name]));
  return { view, pattern: new RegExp(alternation([...names.keys()].toReversed()), "g"), spellings, names };
}

/** Texts with a common beginning stand together, so that a place where none begins is passed quickly. */
function alternation(texts: readonly string[], depth = 3): string {
  if (depth === 0 || texts.length < 3) return texts.map(literal).join("|");
  const firsts = [...new Set(texts.map((text) => text.charAt(0)))];
  return firsts
    .map((first) => {
      const rests = texts.filter((text) => text.charAt(0) === first).map((text) => text.slice(1));
      return `${literal(first)}(?:${alternation(rests, depth - 1)})`;
    })
    .join("|");
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}

type Views = ReturnType<typeof viewsOf>;

function scan(text: string, searched: readonly Searched[], isWhole: boolean): Scanned {
  const views = viewsOf(text);
  const settled = isWhole ? text.length : settledEnd(views);
  const opens = isWhole ? [] : opensIn(views, searched, settled);
  // The longest of those that begin in one place: a shorter one may be its beginning.
  const all = searched.flatMap((each) => foundIn(views[each.view], each));
  let [clean, shown] = ["", 0];
  const heldFrom = (): number => opens.find(({ start }) => start >= shown)?.start ?? Math.max(shown, settled);
  for (const { start, end, name } of all.sort((a, b) => a.start - b.start || b.end - a.end)) {
    if (start < shown) continue;
    if (start >= heldFrom()) break;
    clean += text.slice(shown, start) + markOf({ name });
    shown = end;
  }
  const held = isWhole ? text.length : heldFrom();
  return { clean: clean + text.slice(shown, held), rest: text.slice(held) };
}

function foundIn({ text, start, end }: View, { pattern, names }: Searched): readonly Found[] {
  return [...text.matchAll(pattern)].map(({ index, 0: found }) => ({
    start: start(index),
    end: end(index + found.length - 1),
    name: names.get(found) ?? "",
  }));
}

/** The places, in order, from which what is settled of a text is the beginning of a secret. */
function opensIn(views: Views, searched: readonly Searched[], settled: number): readonly Place[] {
  const places = searched.flatMap(({ view, spellings }) => {
    const text = views[view].text.slice(0, settledCount(views[view], settled));
    const end = view === "hex" ? text.length - (UNFINISHED_GAP.exec(text)?.[0].length ?? 0) : text.length;
    const found: Place[] = [];
    for (let at = Math.max(0, end - (spellings[0]?.text.length ?? 0)); at < end; at += 1) {
      const name = nameOfOpen(text.slice(at, end), spellings);
      if (name !== null) found.push({ start: views[view].start(at), name });
    }
    return found;
  });
  return places.sort((a, b) => a.start - b.start);
}

/** `73, 0` may be continued by `x6b`. */
const UNFINISHED_GAP = /,?0?$/;

function nameOfOpen(beginning: string, spellings: readonly Spelling[]): string | null {
  const first = beginning.charCodeAt(0);
  const open = spellings.find(
    ({ text }) =>
      text.charCodeAt(0) === first && text.length > beginning.length && text.startsWith(beginning),
  );
  return open?.name ?? null;
}

function cutStartIn({ text, start, end }: View, { view, spellings }: Searched, before: number): number {
  let cut = 0;
  for (let at = 0; at < text.length && start(at) <= before; at += 1) {
    // A complete one was not truncated.
    if (spellings.some((each) => text.startsWith(each.text, at))) break;
    const first = text.charCodeAt(at);
    for (const each of spellings) {
      for (let from = 1; from < each.text.length - HARMLESS_END[view]; from += 1) {
        if (each.text.charCodeAt(from) !== first || !text.startsWith(each.text.slice(from), at)) continue;
        cut = Math.max(cut, end(at + each.text.length - from - 1));
        break;
      }
    }
  }
  return cut;
}

/** The replacement of a secret. */
export function markOf({ name }: Pick<Secret, "name">): string {
  return `[redacted:${name}]`;
}
