// The script of a report. Everything essential stands on the page without it: it adds search, keys, colours, and the long
// texts (prompts, replies, tool calls), which wait in compressed blocks until somebody opens their step.

/** @typedef {{ readonly texts: readonly string[], readonly steps: Readonly<Record<string, readonly (readonly [string, number])[]>> }} Block */

/** Inflated blocks that are kept. */
const KEPT = 8;

const page = document.documentElement;
const steps = /** @type {HTMLDetailsElement[]} */ ([
  ...document.querySelectorAll("#steps > details.step, #steps > .rest > details.step"),
]);
const form = /** @type {HTMLFormElement} */ (byId("find"));
const query = /** @type {HTMLInputElement} */ (byId("query"));
const deep = /** @type {HTMLInputElement} */ (byId("deep"));
const failed = /** @type {HTMLInputElement} */ (byId("failed"));
const found = /** @type {HTMLOutputElement} */ (byId("found"));
const keys = /** @type {HTMLDialogElement} */ (byId("keys"));

// Long texts

/** @type {Map<string, Promise<Block>>} */
const inflated = new Map();

/**
 * @param {string} number
 * @returns {Promise<Block>}
 */
function blockOf(number) {
  const known = inflated.get(number);
  if (known !== undefined) return known;
  const bytes = Uint8Array.from(atob(byId(`block-${number}`).textContent ?? ""), (sign) =>
    sign.charCodeAt(0),
  );
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const block = new Response(stream).text().then(blockIn);
  inflated.set(number, block);
  for (const first of inflated.keys()) if (inflated.size > KEPT) inflated.delete(first);
  return block;
}

/**
 * A line says how long each text is, and the texts follow.
 * @param {string} content
 * @returns {Block}
 */
function blockIn(content) {
  let from = content.indexOf("\n");
  const { lengths, steps } = JSON.parse(content.slice(0, from));
  from += 1;
  const texts = /** @type {number[]} */ (lengths).map((length) => {
    const begin = from;
    from += length;
    return content.slice(begin, from);
  });
  return { texts, steps };
}

/** @param {HTMLElement} step */
async function showTexts(step) {
  const place = /** @type {HTMLElement | null} */ (step.querySelector(":scope > .inside > .bulk"));
  if (place === null || place.dataset.shown !== undefined) return;
  place.dataset.shown = "";
  try {
    const { texts, steps: entries } = await blockOf(place.dataset.block ?? "");
    const made = (entries[place.dataset.step ?? ""] ?? []).map(([title, at]) =>
      longText(title, texts[at] ?? ""),
    );
    place.replaceChildren(...made);
  } catch {
    place.append(element("p", "small bad", "The texts of this step are damaged."));
  }
}

// Search

/** @type {WeakMap<HTMLElement, string>} */
const words = new WeakMap();

/** @param {HTMLElement} step */
function wordsOf(step) {
  const known = words.get(step) ?? (step.textContent ?? "").toLowerCase();
  words.set(step, known);
  return known;
}

let asked = 0;

async function search() {
  asked += 1;
  const mine = asked;
  const wanted = query.value.trim().toLowerCase();
  const inTexts = deep.checked && wanted !== "" ? await searchTexts(wanted, () => mine !== asked) : new Set();
  if (mine !== asked) return;
  let [shown, all] = [0, 0];
  for (const step of steps) {
    const matches = wanted === "" || wordsOf(step).includes(wanted) || inTexts.has(step);
    const hidden = !matches || (failed.checked && step.dataset.failed === undefined);
    if (step.hidden !== hidden) step.hidden = hidden;
    const isStep = !step.classList.contains("start");
    if (isStep) all += 1;
    if (isStep && !hidden) shown += 1;
    markInside(step, hidden ? "" : wanted);
  }
  found.textContent = wanted === "" && !failed.checked ? "" : `${shown} of ${all}`;
}

/**
 * Marks the steps with the words in threads that a step has started: whoever opens it sees where to go on.
 * @param {HTMLElement} step
 * @param {string} wanted
 */
function markInside(step, wanted) {
  for (const inside of /** @type {NodeListOf<HTMLElement>} */ (
    step.querySelectorAll("details.step, details.thread")
  )) {
    const isHit = wanted !== "" && wordsOf(inside).includes(wanted);
    if (inside.classList.contains("hit") !== isHit) inside.classList.toggle("hit", isHit);
  }
}

/**
 * The steps with the words in one of their long texts.
 * @param {string} wanted
 * @param {() => boolean} isOver
 */
async function searchTexts(wanted, isOver) {
  const hits = new Set();
  const blocks = [...document.querySelectorAll("script[type='text/plain']")];
  for (const [at, { id }] of blocks.entries()) {
    if (isOver()) break;
    found.textContent = `searching ${at + 1} of ${blocks.length}…`;
    const { texts, steps: entries } = await blockOf(id.slice("block-".length));
    const matching = new Set(
      texts.flatMap((text, index) => (text.toLowerCase().includes(wanted) ? [index] : [])),
    );
    for (const [step, list] of Object.entries(entries))
      if (list.some(([, index]) => matching.has(index))) hits.add(outermost(document.getElementById(step)));
  }
  return hits;
}

/**
 * The step of the page itself, around steps of threads that it has started.
 * @param {HTMLElement | null} inside
 */
function outermost(inside) {
  let step = inside?.closest("details.step") ?? null;
  while (step?.parentElement?.closest("details.step")) step = step.parentElement.closest("details.step");
  return step;
}

// Places

function follow() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target === null) return;
  const step = /** @type {HTMLElement | null} */ (target.closest("details.step"));
  for (let at = target.closest("details"); at !== null; at = at.parentElement?.closest("details") ?? null) {
    at.open = true;
    at.hidden = false;
  }
  if (step === null) return;
  step.scrollIntoView();
  /** @type {HTMLElement | null} */ (step.firstElementChild)?.focus({ preventScroll: true });
}

/** Steps that can be seen now, those inside of open ones too. */
function visibleSteps() {
  const all = /** @type {HTMLDetailsElement[]} */ ([
    ...document.querySelectorAll("details.step:not([hidden])"),
  ]);
  return all.filter((step) => !step.parentElement?.closest("details:not([open]), details[hidden]"));
}

/** @param {HTMLDetailsElement[]} visible */
function currentOf(visible) {
  const own = /** @type {HTMLDetailsElement | null} */ (
    document.activeElement?.closest("details.step") ?? null
  );
  return own === null ? -1 : visible.indexOf(own);
}

/** @param {HTMLElement | undefined} step */
function goTo(step) {
  if (step === undefined) return;
  /** @type {HTMLElement} */ (step.firstElementChild).focus({ preventScroll: true });
  step.scrollIntoView({ block: "nearest" });
}

// Colours

const THEMES = ["auto", "light", "dark"];
const STORED = "uwf-theme";

/** @param {string} theme */
function colour(theme) {
  if (theme === "auto") delete page.dataset.theme;
  else page.dataset.theme = theme;
  byId("theme").textContent = `Colours: ${theme}`;
}

function nextTheme() {
  const theme = THEMES[(THEMES.indexOf(page.dataset.theme ?? "auto") + 1) % THEMES.length] ?? "auto";
  colour(theme);
  try {
    localStorage.setItem(STORED, theme);
  } catch {
    // A file of its own may have no storage.
  }
}

function storedTheme() {
  try {
    const theme = localStorage.getItem(STORED) ?? "auto";
    return THEMES.includes(theme) ? theme : "auto";
  } catch {
    return "auto";
  }
}

// Keys

/** @type {Readonly<Record<string, (visible: HTMLDetailsElement[], at: number) => void>>} */
const KEYS = {
  j: (visible, at) => goTo(visible[Math.min(at + 1, visible.length - 1)]),
  k: (visible, at) => goTo(visible[Math.max(at - 1, 0)]),
  g: (visible) => goTo(visible[0]),
  G: (visible) => goTo(visible.at(-1)),
  o: (visible, at) => {
    const step = visible[at];
    if (step !== undefined) step.open = !step.open;
  },
  f: () => {
    failed.checked = !failed.checked;
    void search();
  },
  t: nextTheme,
  "/": () => query.focus(),
  "?": () => keys.showModal(),
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || keys.open) return;
  if (event.target === query) {
    if (event.key === "Escape") query.blur();
    return;
  }
  const act = Object.hasOwn(KEYS, event.key) ? KEYS[event.key] : undefined;
  if (act === undefined) return;
  event.preventDefault();
  const visible = visibleSteps();
  act(visible, currentOf(visible));
});
document.addEventListener(
  "toggle",
  ({ target }) => {
    if (target instanceof HTMLDetailsElement && target.open && target.classList.contains("step"))
      void showTexts(target);
  },
  true,
);
for (const control of [query, deep, failed]) control.addEventListener("input", () => void search());
form.addEventListener("submit", (event) => event.preventDefault());
byId("theme").addEventListener("click", nextTheme);
byId("help").addEventListener("click", () => keys.showModal());
byId("close").addEventListener("click", () => keys.close());
addEventListener("hashchange", follow);

form.hidden = false;
colour(storedTheme());
follow();
page.dataset.ready = "";
