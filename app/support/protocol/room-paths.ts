export function filePath(sessionId: string, fileId: string): string {
  return `${roomPath(sessionId)}/files/${fileId}`;
}

export function roomPath(sessionId: string): string {
  return `/support/sessions/${sessionId}`;
}
