/** Search parameters are text, one of each name: an address that people can read and change. */
export function parseSearch(text: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(text));
}

/** Numbers stand in it as text; what is undefined or empty is left out. */
export function stringifySearch(search: Record<string, unknown>): string {
  const given = Object.entries(search).flatMap(([name, value]): [string, string][] =>
    (typeof value === "string" && value !== "") || typeof value === "number" ? [[name, String(value)]] : [],
  );
  const text = new URLSearchParams(given).toString();
  return text === "" ? "" : `?${text}`;
}
