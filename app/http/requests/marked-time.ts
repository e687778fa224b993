/**
 * Returns the time of a request, in ms, behind its id: text that can be found in a page without being taken for what
 * somebody wrote. `timeIn` reads it.
 */
export function markedTime(requestId: string, ms: number): string {
  return `${requestId}@${ms}`;
}

export function timeIn(mark: string): number {
  return Number(mark.slice(mark.lastIndexOf("@") + 1));
}
