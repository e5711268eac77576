/** Pages that need no program: what to do where the dashboard cannot be shown. */
interface PlainPage {
  readonly title: string;
  readonly lines: readonly string[];
  readonly command: string;
  /** The page of the dashboard, whose styles these share. */
  readonly like: string | null;
}

export const loginPage = (like: string | null): string =>
  plainPage({
    title: "Log in to Holdfast",
    lines: [
      "This browser has no session with this server, or the session has ended.",
      "On the machine of the server run this command. It opens a login URL, which is good once and for one minute; then this page is shown.",
    ],
    command: "holdfast dashboard",
    like,
  });

export const usedLoginPage = (like: string | null): string =>
  plainPage({
    title: "This login URL is no longer valid",
    lines: [
      "A login URL is good once and for one minute. This one was used already, or its minute is over.",
      "Get a new one:",
    ],
    command: "holdfast dashboard",
    like,
  });

export const notBuiltPage = (): string =>
  plainPage({
    title: "Holdfast: the dashboard is not built",
    lines: [
      "The API of this store is served, but the files of the dashboard (dist/web) are missing beside the program.",
      "In a checkout, build them and load this page again. In an installed package, install it again.",
    ],
    command: "npm run build",
    like: null,
  });

function plainPage({ title, lines, command, like }: PlainPage): string {
  const styles = [...(like ?? "").matchAll(/<link rel="stylesheet"[^>]*>/g)].map(([link]) => link);
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><title>${title}</title>${styles.join("")}</head>
<body>
<main class="plain-page">
<h1>${title}</h1>
${lines.map((line) => `<p>${line}</p>`).join("\n")}
<pre><code>${command}</code></pre>
</main>
</body>
</html>
`;
}
