import { defineConfig } from "vitest/config";

// Tests run on the sources: `uwf-source` is the exports condition of every package that names them.
const conditions = ["uwf-source"];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ["packages/*/test/**/*.test.ts", "scripts/test/**/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
