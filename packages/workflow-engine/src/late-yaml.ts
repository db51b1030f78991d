/** `toYaml`, which is loaded when the first document is to be YAML: it costs 13 ms. */
export async function renderYaml(value: unknown): Promise<string> {
  return (await import("./yaml.js")).toYaml(value);
}
