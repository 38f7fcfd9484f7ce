// SPDX-License-Identifier: Apache-2.0
// The trigger: a webhook of the app, made when the workflow is activated and deleted when it is not. Only genuine calls start it.
import type {
	IDataObject,
	IHookFunctions,
	INodeType,
	INodeTypeDescription,
	IWebhookFunctions,
	IWebhookResponseData,
} from "n8n-workflow";

import { answerOf, bodyOf, refusal } from "./call";
import { isGenuine } from "./verify";

const EVENTS = [
	["Account Expiring", "account.expiring"],
	["Account Needs Its User", "account.reauth_required"],
	["Connection Completed", "connection.completed"],
	["Draft Created", "draft.created"],
	["Draft Rejected", "draft.rejected"],
	["Post Completed", "post.completed"],
	["Post Failed on an Account", "post.publish.failed"],
	["Post Has a Media Problem", "post.media_problem"],
	["Post Has Its Id", "post.id_found"],
	["Post Published on an Account", "post.publish.succeeded"],
	["Post Removed", "post.removed"],
	["Removal of a Post Failed", "post.removal_failed"],
	["User Erased", "user.erased"],
] as const;

export class PosthornTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: "Posthorn Trigger",
		name: "posthornTrigger",
		icon: "file:posthorn.svg",
		group: ["trigger"],
		version: 1,
		subtitle: '={{$parameter["events"].join(", ")}}',
		description: "Starts the workflow when something happens to a post, an account, a draft or a connection",
		defaults: { name: "Posthorn Trigger" },
		inputs: [],
		outputs: ["main"],
		credentials: [{ name: "posthornApi", required: true }],
		webhooks: [{ name: "default", httpMethod: "POST", responseMode: "onReceived", path: "webhook", rawBody: true }],
		properties: [
			{
				displayName: "Events",
				name: "events",
				type: "multiOptions",
				required: true,
				options: EVENTS.map(([name, value]) => ({ name, value })),
				default: ["post.completed"],
			},
		],
	};

	webhookMethods = {
		default: {
			async checkExists(this: IHookFunctions): Promise<boolean> {
				const kept = this.getWorkflowStaticData("node");
				if (!kept.webhookId || !kept.secret) {
					return false;
				}
				const answer = await answerOf(this, { method: "GET", path: `/v1/webhooks/${kept.webhookId}` });
				const hook = Object(Object(answer.body).data) as IDataObject;
				return answer.statusCode === 200 && hook.enabled === true && hook.url === this.getNodeWebhookUrl("default");
			},

			async create(this: IHookFunctions): Promise<boolean> {
				const body = { url: this.getNodeWebhookUrl("default"), events: this.getNodeParameter("events") as string[] };
				const made = (await bodyOf(this, { method: "POST", path: "/v1/webhooks", body })).data as IDataObject;
				Object.assign(this.getWorkflowStaticData("node"), { webhookId: made.id, secret: made.secret });
				return true;
			},

			async delete(this: IHookFunctions): Promise<boolean> {
				const kept = this.getWorkflowStaticData("node");
				if (kept.webhookId) {
					const answer = await answerOf(this, { method: "DELETE", path: `/v1/webhooks/${kept.webhookId}` });
					if (answer.statusCode !== 204 && answer.statusCode !== 404) {
						throw refusal(this, answer);
					}
				}
				delete kept.webhookId;
				delete kept.secret;
				return true;
			},
		},
	};

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		const { secret } = this.getWorkflowStaticData("node");
		const { rawBody } = this.getRequestObject() as unknown as { rawBody?: Uint8Array };
		const headers = this.getHeaderData() as Record<string, string | undefined>;
		if (typeof secret !== "string" || rawBody === undefined || !(await isGenuine(secret, headers, rawBody))) {
			const response = this.getResponseObject() as unknown as { status(code: number): { send(text: string): void } };
			response.status(401).send("This call is not genuine.");
			return { noWebhookResponse: true };
		}
		const event = JSON.parse(new TextDecoder().decode(rawBody)) as IDataObject;
		return { workflowData: [[{ json: event }]] };
	}
}
