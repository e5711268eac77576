const escaped = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (sign) => `&#${String(sign.charCodeAt(0))};`);

/** What stands here until there are pages: where one is, and how to see what runs do. */
export const rootPage = (name: string | null): string => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Holdfast</title></head>
<body>
<h1>Holdfast</h1>
<p>This server has the API of a store. It has no pages yet.</p>
<p>${name === null ? "You are not logged in: <code>holdfast dashboard</code> prints a login URL." : `You are logged in as ${escaped(name)}.`}</p>
<ul>
<li><a href="/api/v1/runs">Runs</a></li>
<li><a href="/api/v1/inbox">What waits for you</a></li>
<li><a href="/api/v1/openapi.json">The contract (OpenAPI 3.1)</a></li>
</ul>
<p>In a terminal: <code>holdfast status</code>, <code>holdfast watch</code>, <code>holdfast inbox</code>.</p>
</body>
</html>
`;
