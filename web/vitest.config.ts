import { defineConfig } from "vitest/config";

// A long timeout: the tests check results, not speed, and the machine may be busy.
export default defineConfig({
  test: { include: ["src/**/*.test.ts"], environment: "node", testTimeout: 120_000 },
});
