import { startHashing } from "@uncaged/json-cas";

// Tests run on the sources, which nobody else starts.
await startHashing();
