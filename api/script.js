// SPDX-License-Identifier: Apache-2.0
// The reference page's copy buttons, and the address of this installation in its examples. The page reads as well without it.
"use strict";

for (const code of document.querySelectorAll("pre.sh code")) {
	code.textContent = code.textContent.replace("http://127.0.0.1:8080", location.origin);
}

for (const button of document.querySelectorAll("button.copy")) {
	button.hidden = !navigator.clipboard;
	button.addEventListener("click", async () => {
		await navigator.clipboard.writeText(button.closest("figure").querySelector("code").textContent);
		button.textContent = "Copied";
		setTimeout(() => { button.textContent = "Copy"; }, 1500);
	});
}

const links = new Map();
for (const link of document.querySelectorAll("nav.side a[href^='#']")) {
	links.set(link.getAttribute("href").slice(1), link);
}
const watcher = new IntersectionObserver((entries) => {
	for (const entry of entries) {
		const link = links.get(entry.target.id);
		if (link && entry.isIntersecting) {
			document.querySelector("nav.side a.here")?.classList.remove("here");
			link.classList.add("here");
		}
	}
}, {rootMargin: "-10% 0px -80% 0px"});
for (const article of document.querySelectorAll("article[id]")) {
	watcher.observe(article);
}
