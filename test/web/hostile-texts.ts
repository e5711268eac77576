const esc = "\u001b";

/** Runs where a page takes text for markup or code; the page that ran it says so in `window.ran`. */
const CODE = [
  "<script>window.ran=1</script>",
  "<img src=x onerror=window.ran=1>",
  '"><svg onload=window.ran=1>',
  "';window.ran=1;//",
  "{{constructor.constructor('window.ran=1')()}}",
  "<iframe src=javascript:parent.ran=1></iframe>",
  "<style>@import url(http://evil.test/x.css);*{background:url(http://evil.test/y)}</style>",
  "<link rel=stylesheet href=http://evil.test/z.css><base href=http://evil.test/>",
  "[a link](javascript:window.ran=1) ![an image](http://evil.test/i.png)",
  "<form action=http://evil.test/><button autofocus onfocus=window.ran=1>Approve</button></form>",
];

/** Draws over other text, writes titles and clipboards, hides, or turns the direction of what follows. */
const SEQUENCES = [
  `${esc}[2J${esc}[1;1H${esc}[31mred${esc}[8mhidden${esc}[0m`,
  `${esc}]0;a title${esc}\\${esc}]52;c;ZXZpbA==\u0007${esc}]8;;http://evil.test${esc}\\link${esc}]8;;${esc}\\`,
  `${esc}P+q544e${esc}\\${esc}_Gf=100;AAAA${esc}\\`,
  "safe\u202Egnp.exe\u202C and \u2066isolated\u2069 and \u200Fmarked",
  "zero\u200Bwidth\u00ADsoft\uFEFFbom\u2028line\u2029paragraph\u0000nul\b\b\b",
  "һоldfаst саncеl", // Cyrillic letters among Latin ones.
  "e\u0301\u0302\u0303\u0304\u0305\u0306\u0307\u0308\u0309\u030A\u030B\u030C\u030D\u030E\u030F".repeat(20),
];

/** One line, as long as an agent may print. */
export const LONG_LINE = `long ${"x".repeat(1_000_000)}`;
export const HOSTILE_TEXTS: readonly string[] = [...CODE, ...SEQUENCES];
export const HOSTILE_LINE = HOSTILE_TEXTS.join(" ").replaceAll("\0", "");

/** Names that a file system takes. */
export const HOSTILE_FILES: readonly string[] = HOSTILE_TEXTS.map((text, at) =>
  `${String(at)} ${text}`.replaceAll(/[/\0\\]/g, "_").slice(0, 60),
);
