import js from "@eslint/js";
import reactHooks from "eslint-plugin-react-hooks";
import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["node_modules", "types"] },
  js.configs.recommended,
  tseslint.configs.recommended,
  {
    files: ["src/**/*.{ts,tsx}"],
    plugins: { "react-hooks": reactHooks },
    rules: {
      "react-hooks/rules-of-hooks": "error",
      "react-hooks/exhaustive-deps": "error",
      // Prettier breaks code at 110, but not strings and comments.
      "max-len": ["error", { code: 120, comments: 120, ignorePattern: "^$" }],
      "max-lines": ["error", { max: 400 }],
      eqeqeq: ["error", "always", { null: "ignore" }],
      "no-useless-rename": "error",
      "object-shorthand": ["error", "properties"],
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
    },
  },
);
