/** Search parameters are text, one of each name: an address that people can read and change. */
export function parseSearch(text: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(text));
}

export function stringifySearch(search: Record<string, unknown>): string {
  const given = Object.entries(search).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string" && entry[1] !== "",
  );
  const text = new URLSearchParams(given).toString();
  return text === "" ? "" : `?${text}`;
}
