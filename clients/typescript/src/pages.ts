// SPDX-License-Identifier: Apache-2.0
// Lists that come in pages.
import type { PageMeta } from "./types.js";

export interface Page<T> {
	data: T[];
	meta: PageMeta;
}

/**
 * A list, read page by page as it is needed: `for await (const post of posthorn.posts.list())`. Every loop begins anew.
 * What is added at the top while you read moves the pages: what stood on the page before is not given twice.
 */
export class Pages<T extends { id: string }> implements AsyncIterable<T> {
	constructor(
		readonly read: (page: number) => Promise<Page<T>>,
		readonly from: number = 1,
	) {}

	/** The first page alone, with the totals in `meta`. */
	first(): Promise<Page<T>> {
		return this.read(this.from);
	}

	async *pages(): AsyncGenerator<Page<T>, void, void> {
		for (let number = this.from; ; number += 1) {
			const page = await this.read(number);
			yield page;
			if (number >= page.meta.last_page) {
				return;
			}
		}
	}

	async *[Symbol.asyncIterator](): AsyncGenerator<T, void, void> {
		let before = new Set<string>();
		for await (const page of this.pages()) {
			for (const item of page.data) {
				if (!before.has(item.id)) {
					yield item;
				}
			}
			before = new Set(page.data.map((item) => item.id));
		}
	}

	/** Up to so many of them. */
	async take(most: number): Promise<T[]> {
		const taken: T[] = [];
		if (most > 0) {
			for await (const item of this) {
				taken.push(item);
				if (taken.length >= most) {
					break;
				}
			}
		}
		return taken;
	}
}
