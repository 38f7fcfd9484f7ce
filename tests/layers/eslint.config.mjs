// SPDX-License-Identifier: Apache-2.0
// eslint's rules: faults, not taste. They are listed in full, so that nothing but eslint has to be installed.
const browser = [
	"AbortController", "AbortSignal", "Blob", "CustomEvent", "DOMException", "Element", "Event", "FileReader", "FormData", "Headers",
	"HTMLElement", "IntersectionObserver", "Intl", "KeyboardEvent", "MutationObserver", "Node", "Request", "ResizeObserver",
	"XMLHttpRequest",
	"Response", "URL", "URLSearchParams", "addEventListener", "cancelAnimationFrame", "clearInterval", "clearTimeout", "console",
	"createImageBitmap",
	"crypto", "document", "fetch", "getComputedStyle", "history", "localStorage", "location", "matchMedia", "navigator",
	"performance", "queueMicrotask", "removeEventListener", "requestAnimationFrame", "sessionStorage", "setInterval", "setTimeout",
	"structuredClone", "window", "TextDecoder", "TextEncoder",
];
const node = [
	"AbortController", "AbortSignal", "Buffer", "Request", "URL", "URLSearchParams", "clearTimeout", "console", "fetch", "process",
	"setTimeout", "TextDecoder", "TextEncoder",
];

const rules = [
	"array-callback-return", "consistent-return", "constructor-super", "default-case-last", "eqeqeq", "for-direction",
	"getter-return", "no-async-promise-executor", "no-case-declarations", "no-class-assign", "no-compare-neg-zero", "no-cond-assign",
	"no-const-assign", "no-constant-binary-expression", "no-constant-condition", "no-control-regex", "no-debugger", "no-delete-var",
	"no-dupe-args", "no-dupe-class-members", "no-dupe-else-if", "no-dupe-keys", "no-duplicate-case", "no-duplicate-imports",
	"no-empty", "no-empty-character-class", "no-empty-pattern", "no-eval", "no-ex-assign", "no-extra-boolean-cast", "no-fallthrough",
	"no-func-assign", "no-global-assign", "no-implied-eval", "no-import-assign", "no-invalid-regexp", "no-irregular-whitespace",
	"no-loss-of-precision", "no-misleading-character-class", "no-new-func", "no-new-native-nonconstructor", "no-obj-calls",
	"no-octal", "no-prototype-builtins", "no-redeclare", "no-regex-spaces", "no-self-assign", "no-self-compare", "no-setter-return",
	"no-shadow-restricted-names", "no-sparse-arrays", "no-template-curly-in-string", "no-this-before-super", "no-throw-literal",
	"no-undef", "no-unexpected-multiline", "no-unmodified-loop-condition", "no-unreachable", "no-unreachable-loop",
	"no-unsafe-finally", "no-unsafe-negation", "no-unsafe-optional-chaining", "no-unused-labels", "no-unused-private-class-members",
	"no-unused-vars", "no-useless-backreference", "no-useless-catch", "no-useless-escape", "no-var", "no-with", "prefer-const",
	"require-yield", "use-isnan", "valid-typeof",
];

const known = (names) => Object.fromEntries(names.map((name) => [name, "readonly"]));
const errors = Object.fromEntries(rules.map((rule) => [rule, "error"]));
// A name may be taken out of an object to leave the rest; a parameter may stand before one that is used.
errors["no-unused-vars"] = ["error", {args: "after-used", ignoreRestSiblings: true}];

export default [
	{linterOptions: {reportUnusedDisableDirectives: "error"}, rules: errors},
	{files: ["src/dashboard/web/**/*.js"], languageOptions: {ecmaVersion: 2022, sourceType: "module", globals: known(browser)}},
	{files: ["api/*.js"], languageOptions: {ecmaVersion: 2022, sourceType: "script", globals: known(browser)}},
	{
		files: ["examples/*.mjs", "tests/client_packages/*.mjs", "tests/clients_published/*.mjs"],
		languageOptions: {ecmaVersion: 2022, sourceType: "module", globals: known(node)},
	},
];
