// The script of `uwf ui`. It reads through /api, and asks for everything else: the server runs the ordinary uwf command.

/** @typedef {{ readonly thread: string, readonly name: string, readonly task: string, readonly state: string, readonly steps: number, readonly cost: string, readonly damage: string | null }} Row */
/** @typedef {{ readonly threads: readonly Row[], readonly total: number, readonly undecided: string | null, readonly workflows: readonly { readonly name: string, readonly description: string }[] }} Overview */
/** @typedef {{ readonly role: string, readonly head: string, readonly question: string, readonly schema: Schema }} Asked */
/** @typedef {{ readonly thread: string, readonly head: string, readonly name: string, readonly state: string, readonly done: boolean, readonly running: boolean, readonly paused: boolean, readonly html: string, readonly steps: readonly { readonly number: number, readonly role: string, readonly hash: string }[], readonly asked: Asked | null }} Thread */

const KEPT_TOKEN = "uwf-token";

const token = ownToken();
const list = byId("list");
const view = byId("thread");
const state = byId("state");

/** Threads that the list grows by. */
const PAGE = 200;

let listed = PAGE;
/** @type {Thread | null} */
let shown = null;
/** The report on the page. */
let drawn = "";
/** The question that the form on the page is about. */
let formFor = "";

/** It comes in the fragment, which no server and no log sees, and stays with this tab. */
function ownToken() {
  const [, given] = /^#token=([0-9a-f]+)$/.exec(location.hash) ?? [];
  if (given !== undefined) {
    sessionStorage.setItem(KEPT_TOKEN, given);
    history.replaceState(null, "", "#/");
  }
  return sessionStorage.getItem(KEPT_TOKEN) ?? "";
}

/** @param {string} text */
function say(text) {
  state.textContent = text;
}

/**
 * @param {string} path
 * @param {unknown} body `undefined`: only read
 */
async function ask(path, body = undefined) {
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  const request = body === undefined ? { headers } : { headers, method: "POST", body: JSON.stringify(body) };
  const response = await fetch(path, request);
  const answer = await response.json();
  if (response.ok) return answer;
  throw new Error(answer.error ?? `the server answers ${response.status}`);
}

// What a person does

/**
 * @param {string} action
 * @param {Readonly<Record<string, unknown>>} more
 */
async function act(action, more) {
  try {
    await ask("/api/do", { action, ...more });
    say(`${action}…`);
    return true;
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    await refresh();
    return false;
  }
}

/**
 * On the thread as the page shows it.
 * @param {string} action
 * @param {Readonly<Record<string, unknown>>} more
 */
function actOn(action, more = {}) {
  if (shown === null) return Promise.resolve(false);
  return act(action, { thread: shown.thread, head: shown.head, ...more });
}

/** @param {Overview} overview */
function showList({ threads, total, undecided, workflows }) {
  const count = threads.length < total ? `The newest ${threads.length} of ${total}` : `${total} in all`;
  byId("count").textContent = undecided === null ? count : `${count}; ${undecided}`;
  byId("more").hidden = threads.length >= total;
  const rows = threads.map(({ thread, name, task, state: standing, steps, cost, damage }) => {
    const row = element("tr", "", "");
    const link = element("a", "", thread.slice(-6));
    link.setAttribute("href", `#/${thread}`);
    const first = element("th", "", "");
    first.append(link);
    const named = element("td", "", name);
    named.append(element("div", "small", task));
    const mark = element("td", "", "");
    mark.append(element("span", `state ${damage === null ? standing : "damaged"}`, damage ?? standing));
    row.append(first, named, mark, element("td", "number", String(steps)), element("td", "number", cost));
    return row;
  });
  byId("rows").replaceChildren(...rows);
  const select = /** @type {HTMLSelectElement} */ (byId("workflow"));
  const before = select.value;
  select.replaceChildren(
    ...workflows.map(({ name, description }) => new Option(`${name}: ${description}`, name)),
  );
  if (before !== "") select.value = before;
}

/** @param {Thread} thread */
function showThread(thread) {
  const open = new Set([...view.querySelectorAll("details[open] > .inside")].map(({ id }) => id));
  shown = thread;
  byId("name").textContent = `${thread.name} ${thread.thread.slice(-6)}`;
  const mark = byId("standing");
  mark.className = `state ${thread.state}`;
  mark.textContent = thread.state;
  const canStep = !thread.done && !thread.running && thread.asked === null;
  enable("step", canStep);
  enable("run", canStep);
  enable("pause", !thread.done && !thread.paused);
  enable("resume", thread.paused);
  enable("kill", !thread.done);
  const heads = /** @type {HTMLSelectElement} */ (byId("fork-from"));
  const chosen = heads.value;
  heads.replaceChildren(
    ...thread.steps.map(({ number, role, hash }) => new Option(`${number} ${role}`, hash)),
  );
  if (thread.steps.some(({ hash }) => hash === chosen)) heads.value = chosen;
  showQuestion(thread.asked);
  // What somebody reads stays as it is while nothing new is in it.
  if (thread.html === drawn) return;
  drawn = thread.html;
  // Made by the server, which escapes every text in it.
  byId("report").innerHTML = thread.html;
  for (const inside of view.querySelectorAll("details > .inside"))
    if (open.has(inside.id)) /** @type {HTMLDetailsElement} */ (inside.parentElement).open = true;
}

/**
 * @param {string} id
 * @param {boolean} can
 */
function enable(id, can) {
  /** @type {HTMLButtonElement} */ (byId(id)).disabled = !can;
}

/**
 * The question is Markdown of a few forms: headings, and one block of YAML.
 * @param {string} question
 */
function questionParts(question) {
  return question.split(/^(#{1,2} .*|```[\s\S]*?^```)$/m).flatMap((part) => {
    const [, title] = /^#{1,2} (.*)$/.exec(part) ?? [];
    const [, code] = /^```.*\n([\s\S]*?)\n?```$/.exec(part) ?? [];
    if (part.trim() === "") return [];
    if (title !== undefined) return [element("h3", "", title)];
    return [code === undefined ? element("div", "text", part.trim()) : element("div", "data", code)];
  });
}

/** What somebody is typing stays. @param {Asked | null} asked */
function showQuestion(asked) {
  const place = byId("question");
  const about = asked === null ? "" : `${asked.head} ${asked.role}`;
  if (about === formFor) return;
  formFor = about;
  place.replaceChildren();
  if (asked === null) return;
  const control = controlOf(asked.schema, { name: "", required: true });
  const send = buttonOf("Answer", () => {
    byId("wrong").textContent = "";
    void actOn("answer", { role: asked.role, head: asked.head, value: control.value() ?? {} });
  });
  send.id = "answer";
  const wrong = element("p", "text bad", "");
  wrong.id = "wrong";
  wrong.setAttribute("role", "alert");
  place.append(
    element("h2", "", `You are asked, as ${asked.role}`),
    ...questionParts(asked.question),
    control.node,
    wrong,
    send,
  );
}

async function refresh() {
  const [, wanted] = /^#\/([0-9A-Z]{26})$/.exec(location.hash) ?? [];
  try {
    if (wanted === undefined) {
      shown = null;
      showList(await ask(`/api/overview?most=${listed}`));
    } else {
      showThread(await ask(`/api/thread/${wanted}`));
    }
    list.hidden = wanted !== undefined;
    view.hidden = wanted === undefined;
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
  }
}

/** A thread that has been started does nothing by itself. @param {string} action */
function doneWords(action) {
  const isNew = action === "start" || action === "fork";
  return isNew
    ? `${action}: done. Run goes on to the next question or the end, Step makes one step`
    : `${action}: done`;
}

/** @param {string} line */
async function hear(line) {
  if (line === "") return;
  const { ended } = JSON.parse(line);
  if (ended !== undefined) {
    say(ended.message === "" ? doneWords(ended.action) : `${ended.action}: ${ended.message}`);
    // What is wrong with an answer stands where it was typed.
    const wrong = document.getElementById("wrong");
    if (wrong !== null && ended.action === "answer" && ended.thread === shown?.thread)
      wrong.textContent = ended.message;
    if (ended.thread !== null && (ended.action === "start" || ended.action === "fork"))
      location.hash = `#/${ended.thread}`;
  }
  await refresh();
}

/** Follows what happens until the server has gone. */
async function follow() {
  const response = await fetch("/api/live", { headers: { Authorization: `Bearer ${token}` } });
  if (response.body === null || !response.ok) throw new Error(`the server answers ${response.status}`);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const lines = `${rest}${value}`.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) await hear(line);
  }
}

/** @param {HTMLElement} step */
async function fillTexts(step) {
  const place = /** @type {HTMLElement | null} */ (step.querySelector(":scope > .inside > .bulk"));
  if (place === null || place.dataset.shown !== undefined) return;
  place.dataset.shown = "";
  try {
    const texts = /** @type {{ title: string, text: string }[]} */ (
      await ask(`/api/texts/${place.dataset.step}`)
    );
    place.replaceChildren(...texts.map(({ title, text }) => longText(title, text)));
  } catch (error) {
    place.replaceChildren(element("p", "small bad", error instanceof Error ? error.message : String(error)));
  }
}

for (const id of ["step", "run", "pause", "resume"]) byId(id).addEventListener("click", () => void actOn(id));
byId("kill").addEventListener("click", () => {
  if (confirm("Kill this thread? It ends where it stands.")) void actOn("kill");
});
byId("fork").addEventListener("click", () => {
  void actOn("fork", { hash: /** @type {HTMLSelectElement} */ (byId("fork-from")).value });
});
byId("more").addEventListener("click", () => {
  listed += PAGE;
  void refresh();
});
byId("start").addEventListener("click", async () => {
  const task = /** @type {HTMLTextAreaElement} */ (byId("task"));
  const workflow = /** @type {HTMLSelectElement} */ (byId("workflow")).value;
  if (await act("start", { workflow, prompt: task.value })) task.value = "";
});
view.addEventListener(
  "toggle",
  ({ target }) => {
    if (target instanceof HTMLDetailsElement && target.open && target.classList.contains("step"))
      void fillTexts(target);
  },
  true,
);
/**
 * The address of a file is not enough to get it: the token goes in a header.
 * @param {HTMLElement} button
 */
async function download({ dataset: { file = "", name = "" } }) {
  const response = await fetch(`/api/file/${file}`, { headers: { Authorization: `Bearer ${token}` } });
  if (!response.ok) {
    say((await response.json()).error);
    return;
  }
  const link = /** @type {HTMLAnchorElement} */ (element("a", "", ""));
  link.href = URL.createObjectURL(await response.blob());
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

view.addEventListener("click", (event) => {
  const button = /** @type {HTMLElement | null} */ (
    /** @type {HTMLElement} */ (event.target).closest("button[data-file]")
  );
  if (button !== null) void download(button);
  const link = /** @type {HTMLElement} */ (event.target).closest("a[href^='#s']");
  const place = document.getElementById(link?.getAttribute("href")?.slice(1) ?? "");
  if (link === null || place === null) return;
  // The address says which thread is shown.
  event.preventDefault();
  const details = place.closest("details");
  if (details !== null) details.open = true;
  place.scrollIntoView();
});
addEventListener("hashchange", () => void refresh());

if (token === "") {
  say("The token is missing: open the address that `uwf ui` printed.");
} else {
  void refresh();
  void follow().then(
    () => say("uwf ui has ended; start it again to go on."),
    (error) => say(`The connection is lost: ${error.message}`),
  );
}
