export type Format = "json" | "yaml";
export type ErrorFormat = "text" | "json";
