import type { Command } from "commander";
import { invoke } from "./invoke.js";
import { leaf } from "./leaf.js";
import { load } from "./load.js";
import { JSON_HELP } from "./nodes.js";
import type { CasContext } from "./types.js";

export function mountSchemas(group: Command, context: CasContext): void {
  const schema = leaf(group, context, "schema", "store and look at JSON Schemas, the types of nodes", [
    "schema list",
    `schema put '{"type": "object", "properties": {"name": {"type": "string"}}}'`,
  ]).helpCommand(false);

  leaf(schema, context, "put <json>", "store a JSON Schema (2020-12), print {hash}", [
    `schema put '{"title": "Person", "type": "object"}'`,
    "schema put person.schema.json",
  ])
    .addHelpText("after", JSON_HELP)
    .action((json: string) => invoke(context, load.schemaPut, { json }));

  leaf(schema, context, "get <hash>", "print a schema", ["schema get 120VN86QG7052"]).action((hash: string) =>
    invoke(context, load.schemaGet, { hash }),
  );

  leaf(schema, context, "list", "print all schemas: [{hash, title}], the meta-schema first", [
    "schema list",
  ]).action(() => invoke(context, load.schemaList, {}));

  leaf(
    schema,
    context,
    "validate <hash> [json]",
    "print {valid, violations} for a stored node, or for JSON against the schema <hash>; exit 0 or 4",
    ["schema validate 64KB4T4A9CKTS", `schema validate 120VN86QG7052 '{"name": 1}'`],
  )
    .addHelpText("after", JSON_HELP)
    .action((hash: string, json: string | undefined) =>
      invoke(context, load.schemaValidate, { hash, json: json ?? null }),
    );
}
