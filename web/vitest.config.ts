import { defineConfig } from "vitest/config";

// Patient: what is tested here is what comes out, on a machine that may have other work.
export default defineConfig({
  test: { include: ["src/**/*.test.ts"], environment: "node", testTimeout: 120_000 },
});
