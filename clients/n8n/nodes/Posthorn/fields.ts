// SPDX-License-Identifier: Apache-2.0
// What the node's form has.
import type { INodeProperties } from "n8n-workflow";

const publishing = { show: { operation: ["publish", "schedule"] } };
const EVERYWHERE = "Options by platform slug, as GET /v1/platforms lists them";

export const fields: INodeProperties[] = [
	{
		displayName: "Operation",
		name: "operation",
		type: "options",
		noDataExpression: true,
		options: [
			{ name: "Get", value: "get", description: "Get one post with its outcome", action: "Get a post" },
			{ name: "Get Many", value: "getAll", description: "List posts, newest first", action: "Get many posts" },
			{ name: "Publish", value: "publish", description: "Publish a post now", action: "Publish a post" },
			{ name: "Schedule", value: "schedule", description: "Publish a post at a time", action: "Schedule a post" },
		],
		default: "publish",
	},
	{
		displayName: "Account Names or IDs",
		name: "accountIds",
		type: "multiOptions",
		typeOptions: { loadOptionsMethod: "getAccounts" },
		required: true,
		default: [],
		displayOptions: publishing,
		description:
			'Where it goes. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
	},
	{
		displayName: "Text",
		name: "content",
		type: "string",
		typeOptions: { rows: 4 },
		default: "",
		displayOptions: publishing,
	},
	{
		displayName: "Time",
		name: "scheduledAt",
		type: "dateTime",
		required: true,
		default: "",
		displayOptions: { show: { operation: ["schedule"] } },
		description: "When it is published, at most five years ahead",
	},
	{
		displayName: "Media",
		name: "media",
		type: "fixedCollection",
		typeOptions: { multipleValues: true },
		placeholder: "Add File",
		default: {},
		displayOptions: publishing,
		options: [
			{
				name: "file",
				displayName: "File",
				values: [
					{
						displayName: "URL or Media ID",
						name: "source",
						type: "string",
						default: "",
						description: "An address that the service can fetch, or the ID of an uploaded file",
					},
					{
						displayName: "Type",
						name: "type",
						type: "options",
						options: [
							{ name: "Image", value: "image" },
							{ name: "Video", value: "video" },
						],
						default: "image",
					},
					{
						displayName: "Alternative Text",
						name: "alt_text",
						type: "string",
						default: "",
						description: "What an image shows, for those who do not see it",
					},
				],
			},
		],
	},
	{
		displayName: "Comments",
		name: "comments",
		type: "fixedCollection",
		typeOptions: { multipleValues: true },
		placeholder: "Add Comment",
		default: {},
		displayOptions: publishing,
		description: "Written under the post; on X as a thread",
		options: [
			{
				name: "comment",
				displayName: "Comment",
				values: [{ displayName: "Text", name: "content", type: "string", typeOptions: { rows: 2 }, default: "" }],
			},
		],
	},
	{
		displayName: "Options",
		name: "options",
		type: "collection",
		placeholder: "Add Option",
		default: {},
		displayOptions: publishing,
		options: [
			{ displayName: "Platform Options", name: "platforms", type: "json", default: "{}", description: EVERYWHERE },
			{
				displayName: "Post Type",
				name: "type",
				type: "options",
				options: [
					{ name: "Article", value: "article" },
					{ name: "Carousel", value: "carousel" },
					{ name: "Post", value: "post" },
					{ name: "Story", value: "story" },
					{ name: "Video", value: "video" },
				],
				default: "post",
			},
			{
				displayName: "Request ID",
				name: "request_id",
				type: "string",
				default: "",
				description: "Unique forever in your app: a second post with it is refused. Without one the node makes its own.",
			},
		],
	},
	{
		displayName: "Post ID",
		name: "postId",
		type: "string",
		required: true,
		default: "",
		displayOptions: { show: { operation: ["get"] } },
	},
	{
		displayName: "Return All",
		name: "returnAll",
		type: "boolean",
		default: false,
		displayOptions: { show: { operation: ["getAll"] } },
		description: "Whether to return all results or only up to a given limit",
	},
	{
		displayName: "Limit",
		name: "limit",
		type: "number",
		typeOptions: { minValue: 1 },
		default: 50,
		displayOptions: { show: { operation: ["getAll"], returnAll: [false] } },
		description: "Max number of results to return",
	},
	{
		displayName: "Filters",
		name: "filters",
		type: "collection",
		placeholder: "Add Filter",
		default: {},
		displayOptions: { show: { operation: ["getAll"] } },
		options: [
			{ displayName: "From", name: "date_from", type: "string", default: "", placeholder: "2027-01-31" },
			{
				displayName: "Status",
				name: "status",
				type: "options",
				options: [
					{ name: "Failed", value: "failed" },
					{ name: "Pending", value: "pending" },
					{ name: "Published", value: "published" },
					{ name: "Scheduled", value: "scheduled" },
				],
				default: "published",
			},
			{ displayName: "To", name: "date_to", type: "string", default: "", placeholder: "2027-01-31" },
		],
	},
];
