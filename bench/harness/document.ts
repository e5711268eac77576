const HEAD = /^## /m;

/** A section of a document, from its headline to the next, without the blank lines around it; null if there is none. */
export function sectionOf(document: string, title: string): string | null {
  const begins = document.indexOf(`\n## ${title}\n`);
  if (begins === -1) return null;
  const text = document.slice(begins + 1);
  const next = text.slice(3).search(HEAD);
  return (next === -1 ? text : text.slice(0, next + 3)).trim();
}

/** The document with that section in the place of the one of the same title, or at its end. */
export function withSection(document: string, title: string, section: string): string {
  const old = sectionOf(document, title);
  if (old === null) return `${document.trim()}\n\n${section.trim()}\n`;
  return document.replace(old, () => section.trim());
}
