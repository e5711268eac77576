/** The hour of the day here, as people compare it with their clock. */
export const clockText = (ms: number): string => {
  const time = new Date(ms);
  return [time.getHours(), time.getMinutes(), time.getSeconds()]
    .map((part) => String(part).padStart(2, "0"))
    .join(":");
};

/** A length of time in its two largest units. */
export function durationText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  const [days, hours, minutes] = [seconds / 86_400, (seconds / 3_600) % 24, (seconds / 60) % 60].map(
    Math.floor,
  );
  if (days) return `${String(days)} d ${String(hours)} h`;
  if (hours) return `${String(hours)} h ${String(minutes)} min`;
  if (minutes) return `${String(minutes)} min ${String(seconds % 60)} s`;
  return `${String(seconds)} s`;
}
