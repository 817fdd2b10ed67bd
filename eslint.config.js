import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["**/build/**", "**/dist/**", "**/node_modules/**"] },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: {
      parserOptions: {
        project: [
          "packages/*/tsconfig.json",
          "proof/tsconfig.json",
          "bench/tsconfig.json",
          "tsconfig.test.json",
        ],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      "@typescript-eslint/switch-exhaustiveness-check": "error",
      // `openStore<MyMessage>()` names the caller's type once; the generic carries it through.
      "@typescript-eslint/no-unnecessary-type-parameters": "off",
      "@typescript-eslint/restrict-template-expressions": [
        "error",
        { allowNumber: true, allowBoolean: true },
      ],
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
    },
  },
  {
    // Untrusted JSON is parsed in one place, and time and chance come from the host: a second place is a mistake.
    files: ["packages/store/src/**/*.ts"],
    rules: {
      "no-restricted-properties": [
        "error",
        {
          object: "JSON",
          property: "parse",
          message: "Use parseJson from format/json.ts; it returns unknown.",
        },
        { object: "Date", property: "now", message: "Ask the host's clock." },
        { object: "Math", property: "random", message: "Ask the host for random bytes." },
      ],
    },
  },
  { files: ["packages/store/src/format/json.ts"], rules: { "no-restricted-properties": "off" } },
  { files: ["packages/store/src/host/**/*.ts"], rules: { "no-restricted-properties": "off" } },
  { files: ["**/*.js", "**/*.mjs"], ...tseslint.configs.disableTypeChecked },
);
