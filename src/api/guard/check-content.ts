import type { Refusal } from "./refusal.ts";

const JSON_TYPE = /^application\/json(?:\s*;\s*charset="?utf-8"?)?$/i;

/** Forms and plain text can be sent by any page without being asked; JSON cannot (T2). */
export function checkContentType(contentType: string | null): Refusal | null {
  if (contentType !== null && JSON_TYPE.test(contentType)) return null;
  return {
    status: 415,
    code: "media_type",
    detail: `Content-Type is ${contentType === null ? "missing" : JSON.stringify(contentType.slice(0, 100))}`,
    expected: "Content-Type: application/json",
  };
}
