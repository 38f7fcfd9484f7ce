// SPDX-License-Identifier: Apache-2.0
// The node: publish, schedule, list and get posts.
import type {
	IDataObject,
	IExecuteFunctions,
	ILoadOptionsFunctions,
	INodeExecutionData,
	INodePropertyOptions,
	INodeType,
	INodeTypeDescription,
} from "n8n-workflow";
import { NodeOperationError } from "n8n-workflow";

import { answerOf, bodyOf, refusal, type Answer } from "./call";
import { fields } from "./fields";

const PAGE = 100;
const OWN_AGE_MS = 3_600_000;
const OWN_PREFIX = "n8n";

export class Posthorn implements INodeType {
	description: INodeTypeDescription = {
		displayName: "Posthorn",
		name: "posthorn",
		icon: "file:posthorn.svg",
		group: ["output"],
		version: 1,
		subtitle: '={{$parameter["operation"]}}',
		description: "Publish to Instagram, Facebook, X, LinkedIn, YouTube and TikTok",
		defaults: { name: "Posthorn" },
		inputs: ["main"],
		outputs: ["main"],
		credentials: [{ name: "posthornApi", required: true }],
		properties: fields,
	};

	methods = {
		loadOptions: {
			/** The accounts that can be published to. */
			async getAccounts(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
				const found: INodePropertyOptions[] = [];
				for (let page = 1, last = 1; page <= last; page += 1) {
					const body = await bodyOf(this, { method: "GET", path: "/v1/accounts", query: { page, per_page: PAGE } });
					last = (body.meta as IDataObject).last_page as number;
					for (const { id, platform, username, app_user_id: user, status } of body.data as IDataObject[]) {
						if (status === "active" || status === "expiring") {
							found.push({ name: `${platform}: ${username} (${user})`, value: id as string });
						}
					}
				}
				return found;
			},
		},
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const results: INodeExecutionData[] = [];
		for (const [index] of this.getInputData().entries()) {
			try {
				const operation = this.getNodeParameter("operation", index) as keyof typeof OPERATIONS;
				const rows = await OPERATIONS[operation].call(this, index);
				results.push(...rows.map((json) => ({ json, pairedItem: { item: index } })));
			} catch (error) {
				if (!this.continueOnFail()) {
					throw error;
				}
				results.push({ json: { error: (error as Error).message }, pairedItem: { item: index } });
			}
		}
		return [results];
	}
}

const OPERATIONS = { publish, schedule: publish, get, getAll };

async function publish(this: IExecuteFunctions, index: number): Promise<IDataObject[]> {
	const body = postOf(this, index);
	const answer = await answerOf(this, { method: "POST", path: "/v1/posts/publish", body });
	if (answer.statusCode === 409 && answer.body.error === "DUPLICATE_REQUEST") {
		return [await firstOf(this, answer, body, index)];
	}
	if (answer.statusCode !== 202) {
		throw refusal(this, answer);
	}
	return [answer.body.data as IDataObject];
}

/**
 * The id of a request of the node's own: the same when n8n tries this item again, so that a try whose answer was lost never makes a
 * second post. Another run of the workflow, or of a loop in it, has another one.
 */
function requestIdOf(node: IExecuteFunctions, index: number): string {
	const run = node.evaluateExpression("{{ $runIndex }}", index) as number;
	return [OWN_PREFIX, node.getInstanceId().slice(0, 16), node.getExecutionId(), node.getNode().id, run, index].join("-").slice(0, 128);
}

/**
 * After a repeat: the post that the first try made. An id that a person gave is no repeat, nor is one of the node's own that an old post
 * has, or one with another text: n8n's counter began anew.
 */
async function firstOf(node: IExecuteFunctions, answer: Answer, body: IDataObject, index: number): Promise<IDataObject> {
	const postId = (answer.body.details as IDataObject).post_id as string;
	const post = (await bodyOf(node, { method: "GET", path: `/v1/posts/${postId}` })).data as IDataObject;
	const isOurs = body.request_id === requestIdOf(node, index) && textOf(post) === textOf(body);
	if (!isOurs || Date.now() - Date.parse(post.created_at as string) > OWN_AGE_MS) {
		throw refusal(node, answer);
	}
	const { request_id, status, scheduled_at, mode } = post;
	return { post_id: postId, request_id, status, scheduled_at, mode, recovered: true };
}

function textOf(post: IDataObject): unknown {
	return ((post.containers as IDataObject[] | undefined)?.[0] ?? post).content;
}

function postOf(node: IExecuteFunctions, index: number): IDataObject {
	const options = node.getNodeParameter("options", index, {}) as IDataObject;
	const media = (node.getNodeParameter("media", index, {}) as IDataObject).file as IDataObject[] | undefined;
	const comments = (node.getNodeParameter("comments", index, {}) as IDataObject).comment as IDataObject[] | undefined;
	const content = node.getNodeParameter("content", index, "") as string;
	const files = (media ?? []).map(fileOf);
	const main = { content, ...(files.length ? { media: files } : {}), ...(options.type ? { type: options.type } : {}) };
	return {
		request_id: options.request_id || requestIdOf(node, index),
		account_ids: node.getNodeParameter("accountIds", index) as string[],
		...(comments?.length ? { containers: [main, ...comments.map((comment) => ({ content: comment.content }))] } : main),
		...(options.platforms ? { platforms: jsonOf(node, options.platforms, index) } : {}),
		...(node.getNodeParameter("operation", index) === "schedule" ? { scheduled_at: instantOf(node, index) } : {}),
	};
}

function fileOf({ source, type, alt_text }: IDataObject): IDataObject {
	const place = /^https?:/.test(source as string) ? { url: source, type } : { media_id: source };
	return { ...place, ...(alt_text ? { alt_text } : {}) };
}

function jsonOf(node: IExecuteFunctions, given: unknown, index: number): IDataObject {
	try {
		return (typeof given === "string" ? JSON.parse(given) : given) as IDataObject;
	} catch (error) {
		throw new NodeOperationError(node.getNode(), "Platform Options is not JSON", { itemIndex: index, description: String(error) });
	}
}

/** n8n's dates have no zone when a person picks them: they mean the workflow's. */
function instantOf(node: IExecuteFunctions, index: number): string {
	const given = node.getNodeParameter("scheduledAt", index) as string;
	const at = new Date(given);
	if (Number.isNaN(at.getTime())) {
		const description = `It is ${JSON.stringify(given)}.`;
		throw new NodeOperationError(node.getNode(), "Time is not a date", { itemIndex: index, description });
	}
	return at.toISOString();
}

async function get(this: IExecuteFunctions, index: number): Promise<IDataObject[]> {
	const id = encodeURIComponent(this.getNodeParameter("postId", index) as string);
	return [(await bodyOf(this, { method: "GET", path: `/v1/posts/${id}` })).data as IDataObject];
}

async function getAll(this: IExecuteFunctions, index: number): Promise<IDataObject[]> {
	const filters = this.getNodeParameter("filters", index, {}) as IDataObject;
	const most = this.getNodeParameter("returnAll", index, false) ? Infinity : (this.getNodeParameter("limit", index, 50) as number);
	const found = new Map<string, IDataObject>();
	for (let page = 1, last = 1; page <= last && found.size < most; page += 1) {
		const body = await bodyOf(this, { method: "GET", path: "/v1/posts", query: { ...filters, page, per_page: PAGE } });
		last = (body.meta as IDataObject).last_page as number;
		for (const post of body.data as IDataObject[]) {
			found.set(post.id as string, post); // what is added at the top while pages are read moves them
		}
	}
	return [...found.values()].slice(0, most);
}
