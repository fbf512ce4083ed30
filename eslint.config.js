// For our own scripts: ES modules in browsers, without a build step.
import js from "@eslint/js";
import globals from "globals";

export default [
  js.configs.recommended,
  {
    files: ["src/steward/web/static/js/**/*.js", "scripts/browser/*.js"],
    languageOptions: { ecmaVersion: 2024, sourceType: "module", globals: globals.browser },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      "consistent-return": "error",
      curly: ["error", "multi-line"],
      eqeqeq: "error",
      "max-lines": ["error", 300],
      "max-lines-per-function": ["error", { max: 60, skipComments: true }],
      "no-console": "error",
      "no-eval": "error",
      "no-implied-eval": "error",
      "no-new-func": "error",
      "no-shadow": "error",
      "no-var": "error",
      "object-shorthand": "error",
      "prefer-const": "error",
      // The page's policy forbids what these would bring in.
      "no-restricted-properties": [
        "error",
        { property: "insertAdjacentHTML", message: "Build elements, or let the server render them." },
        { property: "outerHTML", message: "Build elements, or let the server render them." },
      ],
    },
  },
];
