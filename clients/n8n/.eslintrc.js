// SPDX-License-Identifier: Apache-2.0
// n8n's own rules for community nodes.
module.exports = {
	root: true,
	parser: "@typescript-eslint/parser",
	parserOptions: { extraFileExtensions: [".json"], sourceType: "module" },
	ignorePatterns: ["dist/**", "node_modules/**"],
	overrides: [
		{
			files: ["package.json"],
			plugins: ["eslint-plugin-n8n-nodes-base"],
			extends: ["plugin:n8n-nodes-base/community"],
			rules: {
				// It wants MIT; Posthorn is Apache-2.0 as a whole.
				"n8n-nodes-base/community-package-json-license-not-default": "off",
			},
		},
		{
			files: ["credentials/**/*.ts"],
			plugins: ["eslint-plugin-n8n-nodes-base"],
			extends: ["plugin:n8n-nodes-base/credentials"],
			rules: {
				// These are for nodes inside n8n's own repository, whose documentation has a page for each.
				"n8n-nodes-base/cred-class-field-documentation-url-miscased": "off",
				"n8n-nodes-base/cred-class-field-documentation-url-not-http-url": "off",
			},
		},
		{
			files: ["nodes/**/*.ts"],
			plugins: ["eslint-plugin-n8n-nodes-base"],
			extends: ["plugin:n8n-nodes-base/nodes"],
		},
	],
};
