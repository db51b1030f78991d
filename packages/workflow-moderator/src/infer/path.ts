import { type AstNode, pathText } from "../engine/index.js";
import { hintForeign, nearField, noteBad, noteGood, typesOf } from "./fixes.js";
import type { Run, Scope } from "./infer.js";
import {
  ANY,
  type Field,
  isNone,
  listOf,
  NONE,
  NOTHING,
  orNothing,
  type Shape,
  something,
  truthOf,
  union,
  unionOf,
  type Value,
} from "./value.js";

// JSONata's sequences: a step is applied to each item and lists on the way are flattened; at the end one item becomes
// itself, and none becomes "nothing". Only a list in the last field of a single item stays a list.

/** The items of a path so far; `single`: reached through single items only. */
type Stream = { readonly item: Value; readonly min: number; readonly max: number; readonly single: boolean };

export function evaluatePath(run: Run, node: AstNode, scope: Scope): Value {
  const { steps = [] } = node;
  if (isUnusual(node) || steps.some(isUnusual)) return ANY;
  const [first] = steps;
  let stream: Stream | null =
    first?.type === "variable" ? { item: scope.focus, min: 1, max: 1, single: true } : streamOf(scope.focus);
  let value: Value = NOTHING;
  for (const [i, step] of steps.entries()) {
    if (stream === null) return NOTHING;
    if (run.notes !== null && i > 0) hintForeign(run, node, step, stream.item, !stream.single);
    value = stepValue(run, step, stream.item, scope, steps.slice(0, i));
    if (value.any) return ANY;
    if (isNone(value)) return NONE;
    if (i === steps.length - 1) return ended(step, stream, value);
    stream = step.type === "sort" ? stream : next(stream, value);
  }
  return value;
}

/** Unsupported constructs: bound positions, parents, grouping. */
function isUnusual(node: AstNode): boolean {
  const { focus, index, ancestor, tuple, group, seekingParent, keepSingletonArray } = node as Readonly<
    Record<string, unknown>
  >;
  // The filter after a sort gets the whole list.
  if (node.type === "sort" && node.stages !== undefined) return true;
  return [focus, index, ancestor, tuple, group, seekingParent, keepSingletonArray].some(
    (key) => key !== undefined && key !== false,
  );
}

function streamOf(value: Value): Stream | null {
  if (value.list === null) return { item: value, min: value.nothing ? 0 : 1, max: 1, single: true };
  const { item, min, max } = itemsOf(value);
  return max === 0 ? null : { item, min, max, single: false };
}

function next(stream: Stream, value: Value): Stream | null {
  if (stream.single && value.list === null) {
    if (isNone(something(value))) return null;
    const item = something(value);
    return { item, min: value.nothing ? 0 : stream.min, max: 1, single: true };
  }
  const items = itemsOf(value);
  const max = items.max === 0 || stream.max === 0 ? 0 : items.max * stream.max;
  return max === 0 ? null : { item: items.item, min: items.min * stream.min, max, single: false };
}

function ended(step: AstNode, stream: Stream, value: Value): Value {
  if (stream.single && value.list === null) return stream.min === 0 ? orNothing(value) : value;
  if (stream.single && step.type === "name") return stream.min === 0 ? orNothing(value) : value;
  const items = itemsOf(value);
  const max = items.max === 0 || stream.max === 0 ? 0 : items.max * stream.max;
  const sequence = collapsed(items.item, items.min * stream.min, max);
  return value.list === null ? sequence : union(sequence, { ...NONE, list: value.list });
}

/** A value as items of a sequence. */
export function itemsOf(value: Value): { readonly item: Value; readonly min: number; readonly max: number } {
  if (value.any) return { item: something(ANY), min: 0, max: Number.POSITIVE_INFINITY };
  const alone: Value = { ...value, nothing: false, list: null };
  const counts: (readonly [number, number])[] = [];
  if (value.nothing) counts.push([0, 0]);
  if (!isNone(alone)) counts.push([1, 1]);
  if (value.list !== null) counts.push([value.list.min, value.list.max]);
  const item = value.list === null || value.list.max === 0 ? alone : union(alone, value.list.items());
  return {
    item,
    min: Math.min(...counts.map(([min]) => min)),
    max: Math.max(0, ...counts.map(([, max]) => max)),
  };
}

/** A sequence as the value of an expression. */
export function collapsed(item: Value, min: number, max: number): Value {
  if (max === 0) return NOTHING;
  if (isNone(item)) return min === 0 ? NOTHING : NONE;
  if (item.any) return ANY;
  const one = min <= 1 ? something(item) : NONE;
  const several = max >= 2 ? listOf(() => item, Math.max(2, min), max) : NONE;
  const all = union(one, several);
  return min === 0 || item.nothing ? orNothing(all) : all;
}

function stepValue(run: Run, step: AstNode, item: Value, scope: Scope, before: readonly AstNode[]): Value {
  if (step.type === "sort") return item.any ? ANY : item;
  const inner = step.type === "variable" ? scope : within(scope, item);
  let value = step.type === "name" ? lookup(run, step, item, scope, before) : run.evaluate(run, step, inner);
  for (const { expr } of step.stages ?? []) {
    if (expr !== undefined) value = filtered(run, expr, value, scope);
  }
  return value;
}

/** The field of an object, or of each object of a list, that `key` names. */
export function fieldOf(run: Run, key: AstNode, value: Value, scope: Scope): Value {
  if (value.any) return ANY;
  const stream = streamOf(value);
  if (stream === null) return NOTHING;
  const found = lookup(run, key, stream.item, scope, []);
  return found.any || isNone(found) ? found : ended({ type: "name" }, stream, found);
}

/** In an item names mean its fields; facts about paths outside do not hold there. */
export function within(scope: Scope, focus: Value): Scope {
  return { ...scope, focus, refined: new Map() };
}

function lookup(run: Run, step: AstNode, item: Value, scope: Scope, before: readonly AstNode[]): Value {
  const name = String(step.value);
  if (item.any || item.list !== null) {
    noteLength(run, step, name);
    return ANY;
  }
  const fields = item.objects.map((shape) => ({ shape, field: shape.field(name) }));
  const scalars = isNone({ ...item, objects: [], nothing: false }) ? NONE : NOTHING;
  const found = unionOf(fields.map(({ field }) => valueIn(field)));
  const value = union(union(found, scalars), item.nothing ? NOTHING : NONE);
  if (run.notes === null || isNone(something(item))) return value;
  const offset = run.places.startOf(step);
  if (fields.length === 0 || isMissing(name, fields)) noteMissing(run, step, item, scope, before, "part");
  else if (isUndeclared(fields) && !run.asked.has(name)) noteMissing(run, step, item, scope, before, "doubt");
  else noteGood(run, offset, "field");
  return value;
}

/** Of a list whose items may have any field: `.length` is hardly one. */
function noteLength(run: Run, step: AstNode, name: string): void {
  const suggestion = run.hints.get(step) ?? null;
  if (run.notes === null || suggestion === null || name !== "length") return;
  const message = "length is a field of each item of the list, not the number of its items";
  const offset = run.places.startOf(step);
  noteBad(run, "field", "unknown-field", offset, message, suggestion, "doubt");
}

function valueIn({ presence, value }: Field): Value {
  if (presence === "always") return value();
  if (presence === "maybe") return orNothing(value());
  return presence === "undeclared" ? ANY : NOTHING;
}

type Looked = { readonly shape: Shape; readonly field: Field };

/**
 * Whether no object there can have the field. The extract keeps only declared fields of a role's output; in nested
 * objects only a misspelling is certain. If nothing is declared, any field may exist.
 */
function isMissing(name: string, fields: readonly Looked[]): boolean {
  return fields.every(({ shape, field }) => {
    if (field.presence === "never") return true;
    if (field.presence !== "undeclared" || shape.names().length === 0) return false;
    return shape.kind === "output" || nearField(name, [shape], { roles: [], outputFields: [] }) !== null;
  });
}

/** Whether the fields of all objects there are declared, and this is none of them. */
function isUndeclared(fields: readonly Looked[]): boolean {
  return fields.every(
    ({ shape, field: { presence } }) =>
      presence === "never" || (presence === "undeclared" && shape.names().length > 0),
  );
}

function noteMissing(
  run: Run,
  step: AstNode,
  item: Value,
  scope: Scope,
  before: readonly AstNode[],
  about: "part" | "doubt",
): void {
  if (run.notes === null) return;
  const name = String(step.value);
  const shapes = item.objects;
  const offset = run.places.startOf(step);
  if (shapes.length === 0) {
    const owner = pathText(before, before.length);
    const suggestion = run.hints.get(step) ?? null;
    const type = suggestion?.startsWith("$count(") === true ? "a list" : typesOf(item);
    const message = `${owner === "" ? "it" : owner} is ${type} and has no field ${name}`;
    noteBad(run, "field", "unknown-field", offset, message, suggestion, about);
    return;
  }
  const outputs = shapes[0]?.kind === "context" ? lastOutputs(scope.root) : outputsOf(shapes);
  const around = { roles: run.roles, outputFields: outputs.flatMap((shape) => shape.names()) };
  const owners = [...new Set(shapes.map(({ what }) => what))];
  const owner = owners.length > 3 ? `none of ${owners.length} outputs` : owners.join(" or ");
  const names = [...new Set(shapes.flatMap((shape) => shape.names()))];
  const verb = about === "doubt" ? "declares no field" : owners.length > 3 ? "has a field" : "has no field";
  const known = names.length > 0 && names.length <= 8 ? `; known: ${names.join(", ")}` : "";
  const suggestion = run.hints.get(step) ?? nearField(name, shapes, around);
  noteBad(run, "field", "unknown-field", offset, `${owner} ${verb} ${name}${known}`, suggestion, about);
}

function outputsOf(steps: readonly Shape[]): readonly Shape[] {
  return steps
    .filter(({ kind }) => kind === "step")
    .flatMap((step) => {
      const output = step.field("output").value();
      return output.any ? [] : output.objects;
    });
}

function lastOutputs(root: Value): readonly Shape[] {
  const steps = root.objects[0]?.field("steps").value().list;
  const last = steps?.last ?? steps?.items;
  return last === undefined ? [] : outputsOf(last().objects);
}

/** `value[predicate]` */
export function filtered(run: Run, predicate: AstNode, value: Value, scope: Scope): Value {
  if (predicate.type === "number" && typeof predicate.value === "number") {
    return itemAt(value, Math.floor(predicate.value));
  }
  const { item, min, max } = itemsOf(value);
  if (max === 0 || isNone(item)) return isNone(value) ? NONE : NOTHING;
  const kept = partsOf(item).map((part) => {
    const result = run.evaluate(run, predicate, within(scope, part));
    // A number is an index, which may match.
    const index = result.any || result.numbers !== null || result.list !== null;
    const { yes, no } = truthOf(result);
    return { part, may: index || yes, must: !index && !no };
  });
  const some = kept.some(({ may }) => may);
  noteText(run, predicate, item);
  if (!some) return NOTHING;
  if (value.any) return ANY;
  const left = unionOf(kept.filter(({ may }) => may).map(({ part }) => part));
  return collapsed(left, kept.every(({ must }) => must) ? min : 0, max);
}

/** A text in brackets is always true: a role, or the name of a field. */
function noteText(run: Run, predicate: AstNode, item: Value): void {
  if (run.notes === null || predicate.type !== "string") return;
  const name = String(predicate.value);
  const steps = item.objects.some(({ kind }) => kind === "step");
  const isField = item.objects.some((shape) => shape.names().includes(name));
  const suggestion = steps && run.roles.includes(name) ? `role='${name}'` : isField ? `.${name}` : null;
  const message = `the filter [${run.places.textOf(predicate)}] keeps everything: a text is always true`;
  noteBad(run, "filter", "always-true", run.places.startOf(predicate), message, suggestion);
}

/** Each kind of object separately, so that a filter can distinguish them, and the rest. */
export function partsOf(item: Value): readonly Value[] {
  if (item.any) return [item];
  const rest: Value = { ...item, objects: [] };
  const alone = item.objects.map((shape): Value => ({ ...NONE, objects: [shape] }));
  return isNone(rest) ? alone : [...alone, rest];
}

function itemAt(value: Value, index: number): Value {
  if (value.any) return ANY;
  const { list } = value;
  const single: Value = { ...value, list: null, nothing: false };
  const alone = isNone(single) ? NONE : index === 0 || index === -1 ? single : NOTHING;
  const needed = index < 0 ? -index : index + 1;
  let one = NONE;
  if (list !== null) {
    if (list.max >= needed) one = index === -1 && list.last !== null ? list.last() : list.items();
    if (one.any || one.list !== null) return ANY;
    if (list.min < needed) one = orNothing(one);
  }
  const all = union(alone, one);
  return value.nothing ? orNothing(all) : all;
}
