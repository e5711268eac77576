/** The oldest Node that has everything which is used. */
const NODE_MAJOR = 24;

/** What to say on an older Node; null where this one will do. */
export function tooOldNode(version: string): string | null {
  return Number(version.split(".")[0]) >= NODE_MAJOR
    ? null
    : `this is Node ${version}, and Holdfast needs Node ${String(NODE_MAJOR)} or newer; install it and repeat`;
}
