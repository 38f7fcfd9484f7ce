// SPDX-License-Identifier: Apache-2.0
import type { IAuthenticateGeneric, ICredentialTestRequest, ICredentialType, INodeProperties } from "n8n-workflow";

export class PosthornApi implements ICredentialType {
	name = "posthornApi";

	displayName = "Posthorn API";

	documentationUrl = "posthorn";

	properties: INodeProperties[] = [
		{
			displayName: "URL",
			name: "url",
			type: "string",
			default: "",
			placeholder: "https://social.example.com",
			description: "The address of your Posthorn",
			required: true,
		},
		{
			displayName: "Key",
			name: "token",
			type: "string",
			typeOptions: { password: true },
			default: "",
			description: "A key of the app (posthorn key create) with the scopes read and publish, and webhooks for the trigger",
			required: true,
		},
	];

	authenticate: IAuthenticateGeneric = {
		type: "generic",
		properties: { headers: { Authorization: "=Bearer {{$credentials.token}}" } },
	};

	test: ICredentialTestRequest = {
		request: { baseURL: "={{$credentials.url}}", url: "/v1/platforms" },
	};
}
