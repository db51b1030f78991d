import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decodeNode, encodeNode, type Hash, hashBytes } from "@uncaged/json-cas";
import type { Fault, Result } from "@uncaged/workflow-protocol";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { openDatabase } from "../src/database.js";
import {
  type NewThread,
  openRemote,
  type Push,
  type Remote,
  type RemoteNode,
  type RemoteRoot,
  VERSION,
} from "../src/index.js";
import { remoteOn } from "../src/remote.js";
import { BINARIES, startPostgres } from "./support/postgres.js";

function good<T>(result: Result<T, Fault>): T {
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result.value;
}

const AT = 1_700_000_000_000;

const hashOf = (name: string): Hash => hashBytes(new TextEncoder().encode(name));

const T = hashOf("TYPE");
const TYPE: RemoteNode = { hash: T, type: T, refs: [T], bytes: new Uint8Array([0, 1, 255]) };

function node(hash: string, ...refs: readonly string[]): RemoteNode {
  return { hash, type: T, refs: [T, ...refs], bytes: new TextEncoder().encode(hash) };
}

function rootOf(root: string, leaseSeconds: number): RemoteRoot {
  return { root, leaseSeconds, host: "one", folder: "/srv/uwf", place: "one 1:1" };
}

/** Threads of one test have names that no other test has. */
let tests = 0;

function newThread(more: Partial<NewThread> = {}): NewThread {
  tests += 1;
  const thread = `01TEST${String(tests).padStart(20, "0")}`;
  const head = hashOf(`A${tests}`);
  const nodes = [TYPE, node(head)];
  return {
    thread,
    workflow: hashOf(`W${tests}`),
    head,
    steps: 0,
    cwd: null,
    workspace: null,
    ended: null,
    nodes,
    ...more,
  };
}

function pushOf({ thread, head }: NewThread, lease: number, next: string, more: Partial<Push> = {}): Push {
  const nodes = [node(next, head)];
  const entry = { event: "step" };
  return { thread, expected: head, lease, next, steps: 1, ended: null, commit: null, nodes, entry, ...more };
}

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

async function embedded(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "uwf-pglite-"));
  folders.push(folder);
  return `pglite:${folder}/db`;
}

const DATABASES: readonly (readonly [name: string, url: () => Promise<string>, isThere: boolean])[] = [
  ["PGlite", embedded, true],
  ["PostgreSQL", async () => (await startPostgres()).url, BINARIES !== null],
];

for (const [name, urlOf, isThere] of DATABASES) {
  describe.skipIf(!isThere)(`a remote on ${name}`, () => {
    const opened = isThere ? urlOf().then(async (url) => good(await openRemote(url, { isNew: true }))) : null;
    const remote = async (): Promise<Remote> => {
      if (opened === null) throw new Error("skipped");
      const ready = await opened;
      good(await ready.migrate());
      // What an earlier test has left would go to the same root again.
      const { threads: left } = good(
        await ready.list({ all: false, held: false, workflow: null, limit: null }),
      );
      for (const { thread } of left) good(await ready.kill(thread));
      return ready;
    };
    afterAll(async () => (await opened)?.close());
    const claim = (on: Remote, root: string, { workflow }: NewThread, inFlight: readonly string[] = []) =>
      on.leaseNext({ root, inFlight, workflow }).then(good);

    it("says that it has no tables, and makes them once, however many ask", async () => {
      const fresh = await opened;
      expect(await fresh?.check()).toMatchObject({ ok: false, error: { code: "REMOTE_NOT_READY" } });
      const made = await Promise.all([fresh?.migrate(), fresh?.migrate(), fresh?.migrate()]);
      expect(made.map((each) => each?.ok && each.value.from).sort()).toEqual([0, VERSION, VERSION]);
      expect(await fresh?.check()).toEqual({ ok: true, value: undefined });
    });

    it("takes a thread once", async () => {
      const on = await remote();
      const thread = newThread();
      expect([good(await on.add(thread)), good(await on.add(thread))]).toEqual([true, false]);
      expect(good(await on.find(thread.thread.toLowerCase()))).toMatchObject({
        ...{ head: thread.head, steps: 0, worker: null },
      });
      expect(await on.find("NOWHERE")).toMatchObject({ ok: false, error: { code: "NOT_ON_REMOTE" } });
    });

    it("gives a thread to one root, and again to that root alone", async () => {
      const on = await remote();
      const thread = newThread();
      good(await on.add(thread));
      for (const root of ["r1", "r2"]) good(await on.announce(rootOf(root, 3600)));
      const claims = await Promise.all(["r1", "r2", "r2", "r1"].map((root) => claim(on, root, thread, [])));
      const winner = claims.find((each) => each !== null)?.leasedBy ?? "";
      expect(claims.every((each) => each === null || each.leasedBy === winner)).toBe(true);
      expect(await claim(on, winner === "r1" ? "r2" : "r1", thread)).toBeNull();
      // A worker does not get what it has in hand; its successor does.
      expect(await claim(on, winner, thread, [thread.thread])).toBeNull();
      expect(await claim(on, winner, thread)).toMatchObject({ lost: null });
    });

    it("takes a lost root's thread away, and refuses what it pushes too late; the nodes are kept", async () => {
      const on = await remote();
      const thread = newThread();
      good(await on.add(thread));
      good(await on.announce(rootOf("gone", 0)));
      good(await on.announce(rootOf("next", 3600)));
      const before = await claim(on, "gone", thread);
      const { worker } = good(await on.find(thread.thread));
      expect(worker).toEqual({ root: "gone", host: "one", folder: "/srv/uwf" });
      const after = await claim(on, "next", thread);
      expect(after).toMatchObject({ lost: { root: "gone" }, lease: (before?.lease ?? 0) + 1 });
      const late = pushOf(thread, before?.lease ?? 0, hashOf(`LATE${tests}`));
      expect(good(await on.push(late))).toEqual({ kind: "refused", head: thread.head });
      expect(good(await on.status()).refused).toContainEqual({ thread: thread.thread, head: late.next });
      good(await on.collect(null));
      expect(good(await on.fetch(late.next, [])).map(({ hash }) => hash)).toContain(late.next);
      const own = pushOf(thread, after?.lease ?? 0, hashOf(`B${tests}`));
      expect(good(await on.push(own))).toEqual({ kind: "moved" });
      const events = good(await on.events({ threads: [thread.thread], since: null, limit: 10 })).map(
        ({ entry }) => entry.event,
      );
      expect(events).toEqual(["submitted", "lost", "refused", "step"]);
    });

    it("takes a push whose answer was lost a second time, and changes nothing", async () => {
      const on = await remote();
      const thread = newThread();
      good(await on.add(thread));
      good(await on.announce(rootOf("r1", 3600)));
      const leased = await claim(on, "r1", thread);
      const push = pushOf(thread, leased?.lease ?? 0, hashOf(`B${tests}`));
      const twice = [good(await on.push(push)), good(await on.push(push))];
      expect(twice).toEqual([{ kind: "moved" }, { kind: "moved" }]);
      expect(good(await on.events({ threads: [thread.thread], since: null, limit: 10 }))).toHaveLength(2);
    });

    it("gives what a head reaches, to where it is known, byte for byte", async () => {
      const on = await remote();
      const thread = newThread();
      good(await on.add(thread));
      good(await on.announce(rootOf("r1", 3600)));
      const leased = await claim(on, "r1", thread);
      const next = hashOf(`B${tests}`);
      good(await on.push(pushOf(thread, leased?.lease ?? 0, next)));
      const whole = good(await on.fetch(next, []));
      expect(whole.map(({ hash }) => hash).sort()).toEqual([thread.head, next, T].sort());
      expect(whole.find(({ hash }) => hash === T)).toEqual(TYPE);
      expect(good(await on.fetch(next, [thread.head, T]))).toEqual([node(next, thread.head)]);
      expect(await on.fetch(hashOf("NONE"), [])).toMatchObject({
        ok: false,
        error: { code: "NODE_MISSING" },
      });
    });

    it("refuses another content under a hash that is there, with all that comes with it, also of two at once", async () => {
      const on = await remote();
      const thread = newThread();
      good(await on.add(thread));
      good(await on.announce(rootOf("r1", 3600)));
      const [given, before] = [hashOf(`given ${tests}`), hashOf(`before ${tests}`)];
      const of = (hash: string, text: string, timestamp: number): RemoteNode => ({
        ...node(hash),
        bytes: encodeNode({ type: T, payload: { text }, timestamp }),
      });
      good(await on.add({ ...newThread(), head: given, nodes: [TYPE, of(given, "as it was", AT)] }));
      const collision = { ok: false, error: { code: "HASH_COLLISION", hash: given } };
      const { lease = 0 } = (await claim(on, "r1", thread)) ?? {};
      const next = hashOf(`next ${tests}`);
      const forged = [node(next, given), of(given, "\x69timestamp", AT)];
      expect(await on.push(pushOf(thread, lease, next, { nodes: forged }))).toMatchObject(collision);
      expect(await on.add({ ...newThread(), nodes: forged, head: next })).toMatchObject(collision);
      const { thread: _, ...child } = newThread({ head: next });
      const place = { parent: thread.thread, head: thread.head, role: "lead", item: 0, at: 1 };
      const held = { for: "threads", role: "lead", question: null, code: null };
      const children = [{ ...child, thread: newThread().thread, place }];
      const wait = { thread: thread.thread, lease, held, children, nodes: forged, entry: { event: "held" } };
      expect(await on.wait(wait)).toMatchObject(collision);
      expect(good(await on.find(thread.thread))).toMatchObject({
        head: thread.head,
        leasedBy: "r1",
        held: null,
      });
      expect(await on.fetch(next, [])).toMatchObject({ ok: false, error: { code: "NODE_MISSING" } });
      const [kept] = good(await on.fetch(given, [T]));
      expect(decodeNode(kept?.bytes ?? new Uint8Array())).toMatchObject({ payload: { text: "as it was" } });
      // The same node, put at other times: by whoever put it first.
      for (const [index, time] of [0, 200, 2 ** 31, AT + 1].entries()) {
        const head = hashOf(`later ${index} ${tests}`);
        const nodes = [TYPE, node(head, given), of(given, "as it was", time)];
        expect(await on.add({ ...newThread(), head, nodes })).toEqual({ ok: true, value: true });
      }
      expect(good(await on.fetch(given, [T]))).toEqual([kept]);
      const adds = ["one", "other"].map((text) =>
        on.add({ ...newThread(), head: before, nodes: [TYPE, of(before, text, AT)] }),
      );
      expect((await Promise.all(adds)).map(({ ok }) => ok).sort()).toEqual([false, true]);
    });

    it("passes a held thread over until it is resumed, or due", async () => {
      const on = await remote();
      const thread = newThread();
      good(await on.add(thread));
      good(await on.announce(rootOf("r1", 3600)));
      const held = { for: "answer", role: "checker", question: "Ship it?", code: null };
      const hold = async (againIn: number | null): Promise<void> => {
        const leased = await claim(on, "r1", thread);
        const lease = leased?.lease ?? 0;
        const entry = { event: "held", held };
        const release = { thread: thread.thread, lease, held, againIn, keep: false, entry };
        expect([good(await on.release(release)), good(await on.release(release))]).toEqual([true, false]);
      };
      await hold(null);
      expect(await claim(on, "r1", thread)).toBeNull();
      expect(good(await on.isBusy(thread.workflow))).toBe(false);
      expect(
        good(await on.list({ all: false, held: true, workflow: thread.workflow, limit: null })).threads,
      ).toMatchObject([{ thread: thread.thread, held }]);
      expect([good(await on.resume(thread.thread)), good(await on.resume(thread.thread))]).toEqual([
        true,
        false,
      ]);
      await hold(0);
      expect(await claim(on, "r1", thread)).not.toBeNull();
    });

    it("tells once what a worker finds again and again", async () => {
      const on = await remote();
      const thread = newThread();
      good(await on.add(thread));
      good(await on.announce(rootOf("r1", 3600)));
      const held = { for: "failure", role: null, question: "git could not fetch", code: "GIT_FAILED" };
      const told = async (runs: readonly unknown[]): Promise<number> => {
        const leased = await claim(on, "r1", thread);
        const entry = { event: "held", held, runs };
        const release = { held, againIn: 0, keep: false, entry };
        expect(good(await on.release({ thread: thread.thread, lease: leased?.lease ?? 0, ...release }))).toBe(
          true,
        );
        const events = good(await on.events({ threads: [thread.thread], since: null, limit: 10 }));
        return events.filter((line) => line.entry.event === "held").length;
      };
      expect([await told([]), await told([]), await told([{ run: "1" }]), await told([])]).toEqual([
        1, 1, 2, 2,
      ]);
      good(await on.resume(thread.thread));
      expect(await told([])).toBe(3);
    });

    it("gives a paused thread to nobody, takes the step that runs, and lets it go on where it was", async () => {
      const on = await remote();
      const thread = newThread();
      good(await on.add(thread));
      good(await on.announce(rootOf("r1", 3600)));
      const leased = await claim(on, "r1", thread);
      expect(good(await on.pause(thread.thread, "wait for the release"))).toBe(true);
      expect(good(await on.push(pushOf(thread, leased?.lease ?? 0, hashOf(`B${tests}`))))).toEqual({
        kind: "moved",
      });
      expect(await claim(on, "r1", thread)).toBeNull();
      expect(good(await on.isBusy(thread.workflow))).toBe(false);
      // Said again, it keeps its time and its reason.
      const { paused } = good(await on.find(thread.thread));
      expect(good(await on.pause(thread.thread, null))).toBe(true);
      expect(good(await on.find(thread.thread)).paused).toEqual({ ...paused, why: "wait for the release" });
      expect(good(await on.resume(thread.thread))).toBe(true);
      expect(await claim(on, "r1", thread)).toMatchObject({ paused: null, steps: 1 });
      const held = { for: "answer", role: "checker", question: null, code: null };
      const again = await claim(on, "r1", thread);
      const release = { thread: thread.thread, lease: again?.lease ?? 0, held, againIn: null };
      good(await on.release({ ...release, keep: false, entry: null }));
      good(await on.pause(thread.thread, null));
      good(await on.resume(thread.thread));
      // What it waited for before it waits for again.
      expect(good(await on.find(thread.thread))).toMatchObject({ paused: null, held: { for: "answer" } });
      expect(await claim(on, "r1", thread)).toBeNull();
      good(await on.kill(thread.thread));
      expect(good(await on.pause(thread.thread, null))).toBe(false);
      const events = good(await on.events({ threads: [thread.thread], since: null, limit: null }));
      expect(events.map(({ entry }) => entry.event)).toEqual([
        ...["submitted", "paused", "step", "paused", "resumed", "paused", "resumed", "killed"],
      ]);
    });

    /** A parent that waits for so many children. */
    const waiting = async (on: Remote, count: number) => {
      const parent = newThread();
      good(await on.add(parent));
      good(await on.announce(rootOf("r1", 3600)));
      const leased = await claim(on, "r1", parent);
      const { workflow, head } = parent;
      const children = Array.from({ length: count }, (_, item) => {
        const place = { parent: parent.thread, head, role: "lead", item, at: 1 };
        const { nodes: _nodes, ended: _ended, ...child } = newThread({ workflow, head });
        return { ...child, place };
      });
      const held = { for: "threads", role: "lead", question: null, code: null };
      const { thread } = parent;
      const wait = {
        thread,
        lease: leased?.lease ?? 0,
        held,
        children,
        nodes: [],
        entry: { event: "held", held },
      };
      return { parent, children, wait };
    };

    it("holds a parent until the last of its children has ended, of two that end at once too", async () => {
      const on = await remote();
      const { parent, children, wait } = await waiting(on, 3);
      expect([good(await on.wait(wait)), good(await on.wait(wait))]).toEqual([true, false]);
      expect(good(await on.find(parent.thread))).toMatchObject({ held: { for: "threads" }, leasedBy: null });
      const claims: string[] = [];
      const pushes: Push[] = [];
      for (
        let left = await claim(on, "r1", parent, claims);
        left !== null;
        left = await claim(on, "r1", parent, claims)
      ) {
        expect(left).toMatchObject({ place: { parent: parent.thread, role: "lead" }, hasChildren: false });
        claims.push(left.thread);
        pushes.push(
          pushOf({ ...parent, ...left }, left.lease, hashOf(`${left.thread}-END`), { ended: "end" }),
        );
      }
      expect(claims.toSorted()).toEqual(children.map(({ thread }) => thread).toSorted());
      const [first, ...rest] = pushes;
      good(await on.push(first as Push));
      // A push whose answer was lost counts once.
      good(await on.push(first as Push));
      expect(await claim(on, "r1", parent, claims)).toBeNull();
      await Promise.all(rest.map(async (push) => good(await on.push(push))));
      const again = await claim(on, "r1", parent, claims);
      expect(again).toMatchObject({ thread: parent.thread, held: null, hasChildren: true });
      const { above, below } = good(await on.family(parent.thread));
      expect(above).toEqual([]);
      expect(below.map(({ thread, ended, place }) => [thread, ended, place?.item])).toEqual(
        children.map(({ thread }, item) => [thread, "end", item]),
      );
      expect(good(await on.family(children[0]?.thread ?? "")).above).toMatchObject([
        { parent: parent.thread },
      ]);
      // They have ended long ago, but their parent has not read them.
      good(await on.collect(0));
      expect(good(await on.family(parent.thread)).below).toHaveLength(3);
      // The same children once more are none that it would wait for.
      expect(good(await on.wait({ ...wait, lease: again?.lease ?? 0 }))).toBe(true);
      expect(await claim(on, "r1", parent)).toMatchObject({ thread: parent.thread, held: null });
    });

    it("takes a thread with those below it, which it waits for, also where one of them was there before", async () => {
      const on = await remote();
      const parent = newThread();
      const { workflow, head } = parent;
      const below = ["there", "new", "ended"].map((kind, item) => {
        const { nodes: _, ...child } = newThread({ workflow, head, ended: kind === "ended" ? "end" : null });
        return { ...child, place: { parent: parent.thread, head, role: "lead", item, at: 1 } };
      });
      const [there] = below;
      if (there === undefined) throw new Error("none");
      const { place: _, ...alone } = there;
      good(await on.add({ ...alone, nodes: parent.nodes }));
      expect(good(await on.add(parent, below))).toBe(true);
      expect(good(await on.add(parent, below))).toBe(false);
      const found = good(await on.family(parent.thread));
      expect(found.below.map(({ thread, place }) => [thread, place])).toEqual(
        below.map(({ thread, place }) => [thread, place]),
      );
      good(await on.announce(rootOf("r1", 3600)));
      const leased = good(await on.leaseThread(parent.thread, "r1"));
      const held = { for: "threads", role: "lead", question: null, code: null };
      const children = below.slice(0, 2).map(({ ended: _, ...child }) => child);
      const entry = { event: "held", held };
      const wait = { thread: parent.thread, lease: leased?.lease ?? 0, held, children, nodes: [], entry };
      expect(good(await on.wait(wait))).toBe(true);
      for (const { thread } of children) {
        expect(good(await on.find(parent.thread))).toMatchObject({ held: { for: "threads" } });
        good(await on.kill(thread));
      }
      expect(good(await on.find(parent.thread))).toMatchObject({ held: null });
      const log = good(await on.events({ threads: [parent.thread, there.thread], since: null, limit: null }));
      expect(log.map(({ thread, entry: { event } }) => [thread, event])).toEqual([
        ...[
          [there.thread, "submitted"],
          [parent.thread, "submitted"],
          [parent.thread, "held"],
        ],
        [there.thread, "killed"],
      ]);
    });

    it("keeps where a thread works, and the commit that its last step has left there", async () => {
      const on = await remote();
      const workspace = { git: "https://git.example/shop.git", ref: "main", commit: null };
      const thread = newThread({ workspace });
      good(await on.add(thread));
      good(await on.announce(rootOf("r1", 3600)));
      const leased = await claim(on, "r1", thread);
      expect(leased).toMatchObject({ workspace });
      good(
        await on.push(
          pushOf(thread, leased?.lease ?? 0, hashOf(`${thread.head}-1`), {
            commit: "c0ffee".padEnd(40, "0"),
          }),
        ),
      );
      expect(good(await on.find(thread.thread))).toMatchObject({
        workspace: { ...workspace, commit: "c0ffee".padEnd(40, "0") },
      });
      const again = await claim(on, "r1", thread);
      const next = pushOf(thread, again?.lease ?? 0, hashOf(`${thread.head}-2`), {
        expected: hashOf(`${thread.head}-1`),
      });
      good(await on.push(next));
      expect(good(await on.find(thread.thread))).toMatchObject({
        workspace: { ...workspace, commit: "c0ffee".padEnd(40, "0") },
      });
    });

    it("lets a parent go on when its children are killed, and kills, pauses and resumes them with it", async () => {
      const on = await remote();
      const one = await waiting(on, 2);
      good(await on.wait(one.wait));
      for (const { thread } of one.children) good(await on.kill(thread));
      expect(await claim(on, "r1", one.parent)).toMatchObject({ thread: one.parent.thread });
      good(await on.kill(one.parent.thread));
      const other = await waiting(on, 2);
      good(await on.pause(other.parent.thread, "not yet"));
      good(await on.wait(other.wait));
      const below = async () => good(await on.family(other.parent.thread)).below;
      // What a paused thread starts is paused, too.
      expect((await below()).map(({ paused }) => paused?.why)).toEqual(["not yet", "not yet"]);
      expect(await claim(on, "r1", other.parent)).toBeNull();
      good(await on.resume(other.parent.thread));
      expect((await below()).map(({ paused }) => paused)).toEqual([null, null]);
      expect(good(await on.find(other.parent.thread))).toMatchObject({
        paused: null,
        held: { for: "threads" },
      });
      good(await on.kill(other.parent.thread));
      expect((await below()).map(({ ended }) => ended)).toEqual(["killed", "killed"]);
    });

    it("has no active thread that nobody would ever claim", async () => {
      const on = await remote();
      const [thread, other] = [newThread(), newThread()];
      good(await on.add(thread));
      for (const root of ["mine", "another"]) good(await on.announce(rootOf(root, 3600)));
      const { lease = 0 } = (await claim(on, "mine", thread)) ?? {};
      // Neither held nor due some day: due.
      const release = { thread: thread.thread, lease, held: null, againIn: null, entry: null };
      good(await on.release({ ...release, keep: false }));
      const again = await claim(on, "another", thread);
      good(await on.release({ ...release, lease: again?.lease ?? 0, keep: true }));
      // A root whose worker takes other workflows now finishes what it has.
      expect(await claim(on, "mine", thread)).toBeNull();
      expect(await claim(on, "another", other)).toMatchObject({ thread: thread.thread });
    });

    it("takes a killed thread from its worker", async () => {
      const on = await remote();
      const thread = newThread();
      good(await on.add(thread));
      good(await on.announce(rootOf("r1", 3600)));
      const leased = await claim(on, "r1", thread);
      expect([good(await on.kill(thread.thread)), good(await on.kill(thread.thread))]).toEqual([true, false]);
      expect(good(await on.heartbeat("r1")).has(thread.thread)).toBe(false);
      const push = pushOf(thread, leased?.lease ?? 0, hashOf(`B${tests}`));
      expect(good(await on.push(push))).toMatchObject({ kind: "refused" });
      expect(good(await on.find(thread.thread))).toMatchObject({ ended: "killed", head: thread.head });
    });

    it("leaves what a root has to it when its worker ends, until it counts as lost", async () => {
      const on = await remote();
      const thread = newThread();
      good(await on.add(thread));
      for (const root of ["leaves", "r2"]) good(await on.announce(rootOf(root, 3600)));
      const leased = await claim(on, "leaves", thread);
      const { lease = 0 } = leased ?? {};
      good(
        await on.release({ thread: thread.thread, lease, held: null, againIn: 0, keep: true, entry: null }),
      );
      good(await on.leave("leaves"));
      expect(await claim(on, "r2", thread)).toBeNull();
      expect(good(await on.isBusy(thread.workflow))).toBe(true);
      good(await on.announce(rootOf("leaves", -1)));
      expect(await claim(on, "r2", thread)).toMatchObject({ lost: { root: "leaves" } });
      good(await on.leave("leaves"));
      expect(good(await on.status()).roots.map(({ root }) => root)).not.toContain("leaves");
    });

    it("leaves a held thread to the root that keeps it, also when its worker has ended", async () => {
      const on = await remote();
      const thread = newThread();
      good(await on.add(thread));
      for (const root of ["keeps", "other"]) good(await on.announce(rootOf(root, 3600)));
      const leased = await claim(on, "keeps", thread);
      const held = { for: "threads", role: "mapper", question: null, code: null };
      const { lease = 0 } = leased ?? {};
      good(await on.release({ thread: thread.thread, lease, held, againIn: 0, keep: true, entry: null }));
      good(await on.leave("keeps"));
      expect(await claim(on, "other", thread)).toBeNull();
      // Its next worker.
      expect(good(await on.announce(rootOf("keeps", 3600)))).toBeNull();
      expect(await claim(on, "keeps", thread)).toMatchObject({ held });
    });

    it("forgets lost roots that have no thread, when asked for", async () => {
      const on = await remote();
      const thread = newThread();
      good(await on.add(thread));
      for (const root of ["has-one", "lost", "works"]) good(await on.announce(rootOf(root, 3600)));
      await claim(on, "has-one", thread);
      for (const root of ["has-one", "lost"]) good(await on.announce(rootOf(root, -1)));
      const names = async () => good(await on.status()).roots.map(({ root }) => root);
      expect(good(await on.collect(null))).toMatchObject({ roots: 0 });
      expect(await names()).toContain("lost");
      good(await on.collect(3600));
      expect(await names()).toContain("lost");
      good(await on.collect(0));
      expect(await names()).toEqual(expect.arrayContaining(["has-one", "works"]));
      expect(await names()).not.toContain("lost");
    });

    it("collects what no thread reaches, and old threads if that is asked for", async () => {
      const on = await remote();
      const [kept, old] = [newThread(), newThread({ ended: "end" })];
      for (const each of [kept, old]) good(await on.add(each));
      good(await on.collect(3600));
      expect(good(await on.find(old.thread))).toMatchObject({ ended: "end" });
      good(await on.collect(0));
      expect(await on.find(old.thread)).toMatchObject({ ok: false });
      expect(await on.fetch(old.head, [])).toMatchObject({ ok: false });
      expect(good(await on.fetch(kept.head, []))).toHaveLength(2);
    });
  });
}

describe("an address", () => {
  it("of a folder without a database is none, unless a new one may be made", async () => {
    const url = await embedded();
    const folder = url.slice("pglite:".length);
    const fault = { code: "REMOTE_NOT_READY", folder };
    expect(await openRemote(url)).toMatchObject({ ok: false, error: fault });
    expect(existsSync(folder)).toBe(false);
  });

  it("that is none is refused", async () => {
    expect(await openRemote("mysql://db")).toMatchObject({ ok: false, error: { code: "INVALID_INPUT" } });
  });

  it("where nobody listens is REMOTE_FAILED, without the password in it", async () => {
    const opened = good(await openRemote("postgres://uwf:secret@127.0.0.1:1/uwf"));
    const failed = await opened.check();
    expect(failed).toMatchObject({ ok: false, error: { code: "REMOTE_FAILED", sqlstate: "ECONNREFUSED" } });
    expect(JSON.stringify(failed)).not.toContain("secret");
    await opened.close();
  });
});

describe.skipIf(BINARIES === null)("a PostgreSQL that crashes", () => {
  it("has all of a push or nothing, and is used again when it is back", async () => {
    const server = await startPostgres();
    const remote = good(await openRemote(server.url));
    good(await remote.migrate());
    const thread = newThread();
    good(await remote.add(thread));
    good(await remote.announce(rootOf("r1", 3600)));
    const leased = good(await remote.leaseNext({ root: "r1", inFlight: [], workflow: null }));
    const push = pushOf(thread, leased?.lease ?? 0, hashOf("B"));
    await server.stop();
    expect(await remote.push(push)).toMatchObject({ ok: false, error: { code: "REMOTE_FAILED" } });
    await server.start();
    expect(good(await remote.find(thread.thread))).toMatchObject({ head: thread.head, steps: 0 });
    expect(good(await remote.push(push))).toEqual({ kind: "moved" });
    await remote.close();
  });
});

describe("two workers with the name of one root, as in a copy that is not told from it", () => {
  /** One database, and the remote of each worker's process. */
  async function twoWorkers() {
    const database = good(await openDatabase(await embedded(), true));
    onTestFinished(() => database.close());
    const [first, second] = [remoteOn(database), remoteOn(database)];
    good(await first.migrate());
    const thread = newThread();
    good(await first.add(thread));
    return { first, second, thread };
  }
  const HERE = { ...rootOf("one-name", 3600), place: "boot-1 1:1" };
  const THERE = { ...HERE, host: "clone", place: "boot-2 1:1" };
  const request = { root: "one-name", inFlight: [], workflow: null };
  const TAKEN = { ok: false, error: { code: "ROOT_NAME_TAKEN", worker: "one:/srv/uwf" } };

  it("are one: the second is told by its announcement, and leases nothing", async () => {
    const { first, second, thread } = await twoWorkers();
    expect(good(await first.announce(HERE))).toBeNull();
    expect(await second.announce(THERE)).toMatchObject(TAKEN);
    expect(await second.heartbeat("one-name")).toMatchObject(TAKEN);
    expect(good(await second.leaseNext(request))).toBeNull();
    expect(good(await second.leaseThread(thread.thread, "one-name"))).toBeNull();
    // It takes nothing from the first by leaving either.
    good(await second.leave("one-name"));
    expect(good(await first.heartbeat("one-name")).size).toBe(0);
    expect(good(await first.leaseNext(request))).toMatchObject({ thread: thread.thread });
  });

  it("where the first was silent for too long: the second takes over and says from whom, and the first is told", async () => {
    const { first, second, thread } = await twoWorkers();
    good(await first.announce({ ...HERE, leaseSeconds: -1 }));
    expect(good(await first.leaseNext(request))).toMatchObject({ thread: thread.thread });
    expect(good(await second.announce(THERE))).toMatchObject({ host: "one", folder: "/srv/uwf" });
    expect(await first.heartbeat("one-name")).toMatchObject({
      ok: false,
      error: { code: "ROOT_NAME_TAKEN", worker: "clone:/srv/uwf" },
    });
    expect(good(await first.leaseNext(request))).toBeNull();
    expect(await first.announce(HERE)).toMatchObject({ ok: false });
    expect(good(await second.leaseNext(request))).toMatchObject({ thread: thread.thread });
  });

  it("where the first has died in the same folder, or has left: the second goes on at once", async () => {
    const { first, second } = await twoWorkers();
    good(await first.announce(HERE));
    expect(good(await first.leaseNext(request))).not.toBeNull();
    expect(good(await second.announce(HERE))).toBeNull();
    good(await second.leave("one-name"));
    expect(good(await first.announce(THERE))).toBeNull();
    expect(good(await first.leaseNext(request))).toMatchObject({ lost: null });
  });
});

describe.skipIf(BINARIES === null)("a PostgreSQL that was away for longer than a lease", () => {
  it("gives every root the time to be heard of again", async () => {
    const server = await startPostgres();
    const remote = good(await openRemote(server.url));
    good(await remote.migrate());
    good(await remote.add(newThread()));
    good(await remote.announce(rootOf("works", 3600)));
    const claim = (root: string) => remote.leaseNext({ root, inFlight: [], workflow: null }).then(good);
    expect(await claim("works")).not.toBeNull();
    server.psql("UPDATE uwf.roots SET seen = now() - interval '1 day'");
    await server.stop();
    await server.start();
    good(await remote.announce(rootOf("first", 3600)));
    expect(await claim("first")).toBeNull();
    expect(good(await remote.heartbeat("works")).size).toBe(1);
    await remote.close();
  });
});

describe.skipIf(BINARIES === null)("the rights that security.md gives", () => {
  it("are enough for a worker, and no more than it needs", async () => {
    const server = await startPostgres();
    const owner = good(await openRemote(server.url));
    good(await owner.migrate());
    const thread = newThread();
    good(await owner.add(thread));
    const text = readFileSync(join(import.meta.dirname, "../../../docs/security.md"), "utf8");
    server.psql(/```sql\n([\s\S]*?)```/.exec(text)?.[1] ?? "");
    const worker = good(await openRemote(server.url.replace("user=uwf", "user=uwf_worker")));
    good(await worker.check());
    good(await worker.announce(rootOf("r1", 3600)));
    const leased = good(await worker.leaseNext({ root: "r1", inFlight: [], workflow: null }));
    good(await worker.heartbeat("r1"));
    expect(good(await worker.push(pushOf(thread, leased?.lease ?? 0, hashOf("B"))))).toEqual({
      kind: "moved",
    });
    expect(good(await worker.push(pushOf(thread, 0, hashOf("C"))))).toMatchObject({ kind: "refused" });
    good(await worker.leave("r1"));
    good(await worker.status());
    const denied = { ok: false, error: { code: "REMOTE_FAILED", sqlstate: "42501" } };
    expect(await worker.collect(0)).toMatchObject(denied);
    const reader = good(await openRemote(server.url.replace("user=uwf", "user=uwf_reader")));
    expect(good(await reader.find(thread.thread))).toMatchObject({ head: hashOf("B") });
    expect(await reader.kill(thread.thread)).toMatchObject(denied);
    for (const each of [owner, worker, reader]) await each.close();
  });
});
