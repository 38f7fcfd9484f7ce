// SPDX-License-Identifier: Apache-2.0
// What the programs beside it share: what the test gives them, how they wait, and how they say what came of it.
declare const process: { env: Record<string, string>; stdout: { write(text: string): void } };

const TRIES = 100;
const PAUSE_MS = 100;
let tries = 0;

export const given = {
	...(JSON.parse(process.env["GIVEN"] ?? "{}") as { url: string; token: string; account: string; text: string; request_id: string }),
	/** After a pause: is it worth reading again? Not when the state is final. */
	async more(status: string): Promise<boolean> {
		if (status === "published" || status === "failed" || ++tries > TRIES)
			return false;
		await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
		return true;
	},
};

export function done(result: object): void {
	process.stdout.write(JSON.stringify(result));
}
