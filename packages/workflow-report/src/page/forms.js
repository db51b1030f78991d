// Forms: a control for each kind of value, by its JSON Schema. Nothing is judged here: what was typed goes to the ordinary
// command, whose words the page shows.

/** @typedef {Readonly<Record<string, any>>} Schema */
/** @typedef {{ readonly node: HTMLElement, readonly value: () => unknown }} Control `undefined`: nothing was typed */
/** @typedef {{ readonly name: string, readonly required: boolean }} Field */

/** uwf says these itself. */
const FILLED = ["answeredBy", "answeredAt", "timedOut"];

/**
 * @param {Schema} schema
 * @param {Field} field
 * @returns {Control}
 */
function controlOf(schema, field) {
  const { name, required } = field;
  if ("const" in schema && required)
    return { node: element("span", "", plain(schema.const)), value: () => schema.const };
  if ("const" in schema) return choiceOf([schema.const], name);
  if (Array.isArray(schema.enum)) return choiceOf(schema.enum, name);
  if (schema.properties !== undefined) return fieldsOf(schema, field);
  const variants = variantsIn(schema);
  if (variants !== null) return variantsOf(variants, name);
  if (schema.type === "boolean") return choiceOf([true, false], name);
  if (schema.type === "array" && schema.items !== undefined) return itemsOf(schema.items, field);
  if (schema.type === "string") return textControl(name, (text) => text);
  if (schema.type === "number" || schema.type === "integer") return textControl(name, fromJson);
  return textControl(`${name} (JSON)`.trim(), fromJson);
}

/** @param {Schema} schema @returns {readonly Schema[] | null} */
function variantsIn(schema) {
  const variants = schema.oneOf ?? schema.anyOf;
  return Array.isArray(variants) ? variants : null;
}

/** JSON, and where it is none, the text: the command says what is wrong with it. @param {string} text */
function fromJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** @param {unknown} value */
function plain(value) {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/**
 * @param {string} name
 * @param {(text: string) => unknown} read
 * @returns {Control}
 */
function textControl(name, read) {
  const area = document.createElement("textarea");
  area.rows = 2;
  area.setAttribute("aria-label", name);
  return { node: area, value: () => (area.value === "" ? undefined : read(area.value)) };
}

/**
 * @param {readonly unknown[]} values
 * @param {string} name
 * @returns {Control}
 */
function choiceOf(values, name) {
  const select = document.createElement("select");
  select.setAttribute("aria-label", name);
  select.append(new Option("", ""), ...values.map((value, at) => new Option(plain(value), String(at))));
  return { node: select, value: () => (select.value === "" ? undefined : values[Number(select.value)]) };
}

/**
 * @param {readonly Schema[]} variants
 * @param {string} name
 * @returns {Control}
 */
function variantsOf(variants, name) {
  const box = element("div", "", "");
  const choice = choiceOf(variants.map(variantName), `kind of ${name || "answer"}`);
  /** @type {Control | null} */
  let inside = null;
  choice.node.addEventListener("change", () => {
    inside?.node.remove();
    const select = /** @type {HTMLSelectElement} */ (choice.node);
    const variant = select.value === "" ? undefined : variants[Number(select.value)];
    inside = variant === undefined ? null : controlOf(variant, { name, required: true });
    if (inside !== null) box.append(inside.node);
  });
  box.append(choice.node);
  return { node: box, value: () => inside?.value() };
}

/** Its title, what tells it from the others, or its type. @param {Schema} variant @param {number} at */
function variantName(variant, at) {
  const constants = Object.entries(variant.properties ?? {}).filter(([, member]) => "const" in member);
  const words = constants.map(([key, member]) => `${key}: ${plain(member.const)}`).join(", ");
  return variant.title ?? (words || (variant.type ?? `variant ${at + 1}`));
}

/**
 * @param {Schema} schema
 * @param {Field} field
 * @returns {Control}
 */
function fieldsOf(schema, { name, required }) {
  const needed = /** @type {readonly string[]} */ (schema.required ?? []);
  // A stored schema has its properties in another order than its author wrote; that of `required` survives.
  const others = Object.keys(schema.properties).filter((key) => !needed.includes(key));
  const fields = [...needed, ...others].flatMap((key) => {
    const member = schema.properties[key];
    if (member === undefined || (name === "" && FILLED.includes(key))) return [];
    const isNeeded = needed.includes(key);
    return [{ key, member, isNeeded, control: controlOf(member, { name: key, required: isNeeded }) }];
  });
  const set = element("fieldset", "", "");
  if (name !== "") set.append(element("legend", "", name));
  for (const { key, member, isNeeded, control } of fields) {
    // A label belongs to one control.
    const isOne = control.node.matches("textarea, select");
    const line = element(isOne ? "label" : "div", "field", `${key}${isNeeded ? "" : " (optional)"} `);
    if (member.description !== undefined) line.append(element("span", "small", member.description));
    line.append(control.node);
    set.append(line);
  }
  // Variants that say more of the same object.
  const variants = variantsIn(schema)?.filter(({ properties }) => properties !== undefined) ?? [];
  const more = variants.length === 0 ? null : variantsOf(variants, name);
  if (more !== null) set.append(more.node);
  const value = () => {
    const entries = fields
      .map(({ key, member, isNeeded, control }) => ({
        key,
        isTyped: !(isNeeded && "const" in member),
        value: control.value(),
      }))
      .filter((each) => each.value !== undefined);
    const also = more?.value();
    const isEmpty = also === undefined && !entries.some(({ isTyped }) => isTyped);
    if (isEmpty && !required) return undefined;
    return {
      ...Object.fromEntries(entries.map((each) => [each.key, each.value])),
      .../** @type {object} */ (also),
    };
  };
  return { node: set, value };
}

/**
 * @param {Schema} schema
 * @param {Field} field
 * @returns {Control}
 */
function itemsOf(schema, { name, required }) {
  const box = element("div", "", "");
  /** @type {Control[]} */
  const items = [];
  const more = buttonOf(`Add to ${name}`, () => {
    const item = controlOf(schema, { name: `${name} ${items.length + 1}`, required: false });
    items.push(item);
    box.insertBefore(item.node, more);
  });
  box.append(more);
  const value = () => {
    const values = items.map((item) => item.value()).filter((each) => each !== undefined);
    return values.length === 0 && !required ? undefined : values;
  };
  return { node: box, value };
}

/**
 * @param {string} text
 * @param {() => void} act
 */
function buttonOf(text, act) {
  const button = /** @type {HTMLButtonElement} */ (element("button", "", text));
  button.type = "button";
  button.addEventListener("click", act);
  return button;
}
