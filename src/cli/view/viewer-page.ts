/**
 * One page that needs nothing but itself: the pages of the dashboard on one exported run.
 *
 * 1. Its policy names the one script and the one style by their hashes: nothing else in the page can run, and the page
 *    can load and reach nothing.
 * 2. What comes from the run is in one element that is no script, compressed and in base64: its letters can end no
 *    element and begin none, whatever an agent has written.
 */
import { hash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { invariant } from "../../model/fault.ts";

export interface ViewerParts {
  readonly script: string;
  readonly styles: string;
}

const sourceHash = (text: string): string => `'sha256-${hash("sha256", text, "base64")}'`;

/** Inside of an element only its own end is read as markup. */
const inElement = (text: string, element: "script" | "style"): string => {
  invariant(
    !text.toLowerCase().includes(`</${element}`),
    `the built ${element} does not end its own element`,
  );
  return text;
};

/** In a script the beginning of a comment is read as markup too; the compiler leaves it in texts alone. */
const withoutComments = (script: string): string => script.replaceAll("<!--", String.raw`\x3C!--`);

export function viewerPage(parts: ViewerParts, exported: unknown): string {
  const { styles } = parts;
  const script = withoutComments(parts.script);
  const policy = [
    "default-src 'none'",
    `script-src ${sourceHash(script)}`,
    `style-src ${sourceHash(styles)}`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  const data = gzipSync(JSON.stringify(exported)).toString("base64");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>Holdfast</title>
<style id="react-aria-pressable-style">${inElement(styles, "style")}</style>
</head>
<body>
<div id="app"></div>
<script type="application/octet-stream" id="holdfast-export">${data}</script>
<script type="module">${inElement(script, "script")}</script>
</body>
</html>
`;
}
