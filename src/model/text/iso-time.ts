/** A given time as ISO text. The one place in the pure modules that names a date: it formats, it reads no clock. */
// eslint-disable-next-line no-restricted-globals -- formatting a given number is pure
export const isoTime = (ms: number): string => new Date(ms).toISOString();
